"""Checks a deployed cluster through the stack's outputs and the Kubernetes API; read-only."""
