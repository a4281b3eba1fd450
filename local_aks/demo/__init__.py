"""The demo: the program's promises shown on a local AKS, and judged by what was observed there."""
