"""Kubeflow's own controllers in the demo, and the program's `up` after their start."""

import json
from dataclasses import dataclass, replace
from typing import Final

from kubeflow_aks.local_aks.control_plane.controllers.argo import Argo
from kubeflow_aks.local_aks.control_plane.controllers.training_operator import TrainingOperator
from kubeflow_aks.local_aks.engine.results import Result
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.recorder.stack_files import read_stack

TOOLS: Final = ("argo", "training")
"""Groups of tools in addition to those that every local AKS needs."""


@dataclass(frozen=True)
class Kubeflow:
    """Argo's workflow controller and the training operator, the real ones, on one local AKS."""

    local: LocalAks

    @property
    def argo(self) -> Argo:
        """The workflow controller."""
        return Argo(self.local.run, self.local.tools)

    @property
    def operator(self) -> TrainingOperator:
        """The training operator."""
        return TrainingOperator(self.local.run, self.local.tools)

    def start(self) -> None:
        """Starts those that do not run yet.

        Raises:
            ControllerError: one does not start.
        """
        for controller in (self.argo, self.operator):
            if not controller.controller.running():
                controller.start()

    def up(self) -> Result:
        """Runs the program with `kubeflow.argoRetries` switched on, as in the stack file once Kubeflow is there.

        Raises:
            EngineError: it failed.
        """
        stack = read_stack(self.local.project_root, self.local.stack, self.local.extra_config)
        settings = json.loads(stack.values.get(f"{stack.project}:kubeflow", "{}"))
        extra = {**self.local.extra_config, "kubeflow": {**settings, "argoRetries": True}}
        return replace(self.local, extra_config=extra).engine.up()
