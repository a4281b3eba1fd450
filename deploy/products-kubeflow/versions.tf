terraform {
  # Rules that look at two variables at once: OpenTofu and Terraform have them since 1.9.
  required_version = ">= 1.9.0"

  required_providers {
    juju = {
      source = "juju/juju"
      # The module takes any from 1.1.1 on. This is the one that our tests have the schema of.
      version = "= 1.5.6"
    }
  }
}
