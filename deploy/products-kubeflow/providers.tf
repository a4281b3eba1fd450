# Nothing is set here, so that no login is in the configuration: the provider uses the controller that JUJU_CONTROLLER
# names, as bootstrap.sh sets it, else the current one of the `juju` command; or JUJU_CONTROLLER_ADDRESSES, JUJU_USERNAME,
# JUJU_PASSWORD and JUJU_CA_CERT.
provider "juju" {}
