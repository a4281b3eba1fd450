"""The hand-off: what Juju and Terraform need to deploy Charmed Kubeflow, written from a stack's outputs."""
