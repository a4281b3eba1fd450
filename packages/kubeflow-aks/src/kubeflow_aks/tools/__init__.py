"""The programs of the local AKS, built from Go modules at pinned versions (`./kubeflow-aks local build`)."""

from kubeflow_aks.tools.installed import Missing, Tools, find, find_only

__all__ = ["Missing", "Tools", "find", "find_only"]
