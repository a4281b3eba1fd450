"""What each release of Kubeflow Pipelines' backend makes of a compiled pipeline.

Source: docs/facts/placement.md#kubeflow-pipelines-releases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ckf_spot.errors import refusal

DEFAULT: Final = "2.15"
"""Backend for a contract that names none: what programs before that made was for Charmed Kubeflow 1.11."""
PORT_FROM_V1: Final = (
    "port the pipeline to v2: https://www.kubeflow.org/docs/components/pipelines/user-guides/migration/"
)
"""What to do about kfp v1, which compiles to a workflow of Argo and to nothing else."""
_FORM: Final = re.compile(r"2\.(\d{1,3})(?:\.\d+)?")
_RETRIES: Final = 5
_NODE_AFFINITY: Final = 14
_NESTED_RETRIES: Final = 14
_FINAL_STATUS: Final = 14
_PASSTHROUGHS: Final = 15


@dataclass(frozen=True)
class Backend:
    """A release of the backend: 2.`minor`."""

    minor: int

    @classmethod
    def parse(cls, text: object) -> Backend:
        """Reads `2.15` or `2.15.0`.

        Raises:
            PlacementError: no version, or one that ignores retries and so can't survive an eviction.
        """
        match = _FORM.fullmatch(text) if isinstance(text, str) else None
        if not match:
            raise refusal(
                "backend",
                text,
                "expected 2.5 (Charmed Kubeflow 1.10), 2.15 (1.11), 2.16 (1.11-ubuntu2), or another 2.N",
                "is no version of Kubeflow Pipelines v2",
            )
        backend = cls(int(match[1]))
        if backend.minor < _RETRIES:
            raise refusal(
                "backend",
                text,
                f"expected 2.{_RETRIES} or newer",
                "ignores retries, so no task would survive an eviction",
            )
        return backend

    @property
    def node_affinity(self) -> bool:
        """Whether it reads node affinity; older ones drop it without a word."""
        return self.minor >= _NODE_AFFINITY

    @property
    def nested_retries(self) -> bool:
        """Whether tasks of nested pipelines are retried; older ones retry those of the root pipeline only."""
        return self.minor >= _NESTED_RETRIES

    def refusals(self, *, final_status: bool, passthroughs: bool) -> Iterator[str]:
        """Why it refuses a whole pipeline for the sake of one task.

        Args:
            final_status: whether the task takes a `PipelineTaskFinalStatus`.
            passthroughs: whether the task's component has `task_config_passthroughs`.
        """
        for there, since, what in (
            (final_status, _FINAL_STATUS, "PipelineTaskFinalStatus"),
            (passthroughs, _PASSTHROUGHS, "task_config_passthroughs"),
        ):
            if there and self.minor < since:
                yield f"runs no pipeline with {what}, which 2.{since} was the first to know"

    def __str__(self) -> str:
        return f"2.{self.minor}"
