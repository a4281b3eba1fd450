"""Kubeflow's own controllers, the real ones, as processes beside the local AKS's control plane."""
