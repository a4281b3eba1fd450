"""YAML and JSON as Kubernetes reads them, and changed only where something was placed."""

from ckf_spot.yaml_text.reading import Stream, load, parse
from ckf_spot.yaml_text.writing import dump

__all__ = ["Stream", "dump", "load", "parse"]
