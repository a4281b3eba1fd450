terraform {
  # Rules that look at two variables at once: OpenTofu and Terraform have them since 1.9.
  required_version = ">= 1.9.0"

  required_providers {
    juju = {
      source = "juju/juju"
      # The module takes any newer one, its charms' modules none from 1.0.0 on, which renamed an argument of every
      # application (canonical/bundle-kubeflow#1353). This is the last before.
      version = "= 0.23.3"
    }
  }
}
