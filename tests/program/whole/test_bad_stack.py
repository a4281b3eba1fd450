"""A bad stack is refused with its file and every mistake, and nothing is registered."""

from typing import Any

import pulumi
import pytest

from kubeflow_aks.recorder import run
from kubeflow_aks.recorder.monitor import RecordingMonitor
from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.run import record
from tests.program.whole.records import AS_OF


def refused(monkeypatch: pytest.MonkeyPatch, **extra: Any) -> tuple[str, list[str]]:
    """What the program says to these values in dev, and the types it registered before."""
    monitors: list[RecordingMonitor] = []

    class Watched(RecordingMonitor):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            monitors.append(self)

    monkeypatch.setattr(run, "RecordingMonitor", Watched)
    with pytest.raises(pulumi.RunError) as caught:
        record("dev", extra={"asOf": AS_OF} | extra)
    return str(caught.value), [resource.type for resource in monitors[0].registered.values()]


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        (
            {"locaton": "x", "protect": "x", "kubernetes": {"tier": "Free"}},
            ["kubernetes.tier", "locaton", "protect"],
        ),
        (
            {"kubernetes": {"tier": "Free"}, "systemPool": {"vmSize": "Standard_B4ms"}},
            ["kubernetes.tier", "systemPool.vmSize"],
        ),
    ],
)
def test_the_file_is_named_and_every_mistake_has_a_line(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], keys: list[str]
) -> None:
    message, _ = refused(monkeypatch, **values)
    head, *lines = message.splitlines()
    assert head == "Pulumi.dev.yaml holds mistakes; nothing was created:"
    assert sorted(line.split(":")[0] for line in lines) == keys


def test_nothing_but_the_stack_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    _, registered = refused(monkeypatch, kubernetes={"tier": "Free"})
    assert registered == ["pulumi:pulumi:Stack"]


def test_the_day_is_that_of_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    official = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}
    message, _ = refused(monkeypatch, kubernetes=official, asOf="2026-12-01")
    assert "standard support of 1.34 ended on 2026-11-30" in message


def test_a_stack_without_a_file_is_reported_with_those_there_are() -> None:
    with pytest.raises(
        StackFileError, match=r"stack 'staging': no file Pulumi\.staging\.yaml; stacks here: .*dev"
    ):
        record("staging")
