"""The unchanged program on the real Pulumi engine, stand-ins as its providers (docs/facts/engine.md#the-engine)."""

from kubeflow_aks.local_aks.engine.engine import Engine, EngineError, Outputs
from kubeflow_aks.local_aks.engine.results import Result, Step

__all__ = ["Engine", "EngineError", "Outputs", "Result", "Step"]
