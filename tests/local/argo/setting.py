"""The program's second stage on the stack under test."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from kubeflow_aks.local_aks.control_plane.controllers.argo import Argo
from tests.local.demo_stack import DemoStack
from tests.local.kubectl import eventually


@contextmanager
def argo_retries(demo: DemoStack, argo: Argo) -> Generator[None]:
    """With `kubeflow.argoRetries: true`, by an `up` of the real engine; without it afterwards."""
    _up(demo, argo, on=True)
    try:
        yield
    finally:
        _up(demo, argo, on=False)


def _up(demo: DemoStack, argo: Argo, *, on: bool) -> None:
    """Runs the program and waits until the controller has read its settings anew."""
    known = argo.configurations()
    demo.up(kubeflow={"argoRetries": on})
    eventually(lambda: argo.configurations() > known)
