"""The program's second stage on the stack under test."""

from __future__ import annotations

from dataclasses import dataclass

from kubeflow_aks.local_aks.control_plane.controllers.argo import Argo
from tests.local.demo_stack import DemoStack
from tests.local.kubectl import eventually


@dataclass
class ArgoRetries:
    """`kubeflow.argoRetries` of the stack under test: what needs one value says so, and only a change costs an `up`."""

    demo: DemoStack
    argo: Argo
    _on: bool = False

    def set(self, *, on: bool) -> None:
        """Runs the program with this value, and waits until the controller has read its settings anew."""
        if on is self._on:
            return
        before = self.argo.configurations()
        self.demo.up(kubeflow={"argoRetries": on})
        eventually(lambda: self.argo.configurations() > before)
        self._on = on
