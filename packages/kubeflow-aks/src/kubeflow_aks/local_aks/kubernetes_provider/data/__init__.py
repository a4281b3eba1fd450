"""Facts about Kubernetes' Go types, and the script that takes them from its sources."""
