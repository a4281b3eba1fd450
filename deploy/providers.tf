# Nothing is set here: the provider asks the `juju` command for its current controller, as bootstrap.sh leaves it, or takes
# JUJU_CONTROLLER_ADDRESSES, JUJU_USERNAME, JUJU_PASSWORD and JUJU_CA_CERT. So no login gets into the configuration.
provider "juju" {}
