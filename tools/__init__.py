"""The programs of the local AKS, built from Go modules at pinned versions (`python -m tools`)."""

from tools.installed import Missing, Tools, find, find_only

__all__ = ["Missing", "Tools", "find", "find_only"]
