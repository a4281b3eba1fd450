"""Katib, KubeRay and Kueue themselves, side by side on one local AKS."""
