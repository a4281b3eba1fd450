# Nothing is set here: the provider uses the current controller of the `juju` command, which bootstrap.sh selects, or
# JUJU_CONTROLLER_ADDRESSES, JUJU_USERNAME, JUJU_PASSWORD and JUJU_CA_CERT. So no login is in the configuration.
provider "juju" {}
