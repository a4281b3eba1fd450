"""A client of the Kubernetes API: requests, objects, watches, errors."""
