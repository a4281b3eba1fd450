"""Compiles a pipeline of one task, and reads both YAML documents that the backend gets."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from kfp import compiler, dsl
from kfp.compiler.compiler_utils import KubernetesManifestOptions

from ckf_spot import sources

DEMO = sources.SAMPLE
"""Pools of the demo cluster: cpu and gpu (1 GPU a node), each on spot with an on-demand twin, and general."""


@dataclass(frozen=True)
class Compiled:
    """A compiled pipeline.

    Attributes:
        pipeline: the first document: tasks, retries, images, resources.
        platform: the second: tolerations, affinity, node selectors; empty where there is none.
    """

    pipeline: dict[str, Any]
    platform: dict[str, Any]

    @classmethod
    def from_pipeline(cls, pipeline: Any) -> "Compiled":
        """Compiles what `@dsl.pipeline` made."""
        with TemporaryDirectory() as folder:
            path = Path(folder, "pipeline.yaml")
            compiler.Compiler().compile(pipeline, str(path))
            return cls.read(path)

    @classmethod
    def read(cls, path: Path) -> "Compiled":
        """From a compiled file."""
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        return cls(documents[0], documents[1] if len(documents) > 1 else {})

    def task(self, name: str) -> dict[str, Any]:
        """A task of the root pipeline."""
        return self.pipeline["root"]["dag"]["tasks"][name]

    def retry_policy(self, name: str = "work") -> dict[str, Any] | None:
        """How a task of the root pipeline is retried."""
        return self.task(name).get("retryPolicy")

    def accelerator(self, name: str = "work") -> dict[str, Any] | None:
        """The GPUs of a task."""
        container = self.pipeline["deploymentSpec"]["executors"][f"exec-{name}"]["container"]
        return container.get("resources", {}).get("accelerator")

    @property
    def tree(self) -> dict[str, Any]:
        """The tasks with all that belongs to them, whatever the compiler calls components and executors."""
        return self._tasks(self.pipeline["root"])

    def _tasks(self, component: dict[str, Any]) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for name, task in component["dag"]["tasks"].items():
            inner = self.pipeline["components"][task["componentRef"]["name"]]
            label = inner.get("executorLabel")
            within = (
                self._tasks(inner)
                if "dag" in inner
                else [self.pipeline["deploymentSpec"]["executors"][label], self.placements.get(label)]
            )
            tree[name] = [{key: task[key] for key in task if key != "componentRef"}, within]
        return tree

    @property
    def placements(self) -> dict[str, dict[str, Any]]:
        """What the second document says of each executor."""
        kubernetes = self.platform.get("platforms", {}).get("kubernetes", {})
        return kubernetes.get("deploymentSpec", {}).get("executors", {})

    def placement(self, name: str = "work") -> dict[str, Any]:
        """What it says of one task; empty where it says nothing."""
        return self.placements.get(f"exec-{name}", {})


component: Any = partial(dsl.component, base_image="python:3.11-slim")
"""kfp's decorator; this module has no `from __future__ import annotations`, as kfp reads annotations as they are."""
pipeline: Any = dsl.pipeline


@component
def work() -> None:
    """Does nothing."""


@component
def report(status: dsl.PipelineTaskFinalStatus) -> None:
    """Notifies someone."""


@partial(
    component,
    task_config_passthroughs=[
        dsl.TaskConfigField.KUBERNETES_TOLERATIONS,
        dsl.TaskConfigField.KUBERNETES_AFFINITY,
        dsl.TaskConfigField.RESOURCES,
    ],
)
def launcher(config: dsl.TaskConfig) -> None:
    """Would make a training job where its own task was placed."""


@partial(component, task_config_passthroughs=[dsl.TaskConfigField.ENV])
def env_launcher(config: dsl.TaskConfig) -> None:
    """Would hand on its environment, and nothing else."""


def made(build: Callable[[dsl.PipelineTask], object] = str) -> Any:
    """A pipeline of the task `work`, with which `build` does what is to be tested."""

    @pipeline(name="tested")
    def tested() -> None:
        build(work())

    return tested


def compiled(build: Callable[[dsl.PipelineTask], object]) -> Compiled:
    """Such a pipeline, compiled."""
    return Compiled.from_pipeline(made(build))


def manifests(source: Any) -> list[Any]:
    """The objects of Kubernetes that kfp compiles of a pipeline, a `Pipeline` and a `PipelineVersion`."""
    options = KubernetesManifestOptions(
        pipeline_name="tested", namespace="team-a", include_pipeline_manifest=True
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "manifests.yaml")
        compiler.Compiler().compile(
            source, str(path), kubernetes_manifest_format=True, kubernetes_manifest_options=options
        )
        return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
