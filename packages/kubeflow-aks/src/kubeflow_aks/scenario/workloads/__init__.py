"""What the demo runs on the cluster, as plain Kubernetes objects."""
