"""Logs of the control plane."""
