"""The AKS cluster, and who reaches it."""
