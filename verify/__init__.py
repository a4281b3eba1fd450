"""Whether a cluster keeps this product's promises, seen from its outputs and its Kubernetes API."""
