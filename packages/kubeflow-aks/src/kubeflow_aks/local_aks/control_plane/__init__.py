"""A real Kubernetes control plane on this machine, and Kubeflow's own controllers beside it."""
