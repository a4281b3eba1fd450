"""Everything Charmed Kubeflow needs in the cluster before Juju deploys it, and nothing Juju owns."""
