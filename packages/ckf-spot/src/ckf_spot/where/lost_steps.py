"""Steps of Argo workflows that lost their pod and have not gone on since: which are tried again, and why others not.

Argo waits out the backoff before it asks whether it may try again, so both kinds show `Backoff for 5 minutes` at first;
one that may not then ends with `pod deleted` (packages/kubeflow-aks/tests/local/argo/test_lost_steps.py).
"""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ckf_spot.fields import Object, map_at
from ckf_spot.kinds import argo_retries
from ckf_spot.kinds.argo_retries import Attempt
from ckf_spot.where.steps import KUBEFLOW, is_driver, pod_labels, step
from ckf_spot.where.work import Work

Fate = Literal[
    "tried again", "unjudged expression", "driver", "policy", "no retries", "retries used up", "too late", "expression",
    "over",
]  # fmt: skip
"""What becomes of it: Argo tries it again, or may do so, by an expression that is not read here; or not, because it is
a driver, its policy leaves out pods that are gone, it has no retries, has used them all, is past its deadline, its
expression is false, or it is over with its workflow."""

_KILLED: Final = re.compile(r"pod deleted|exit code 143|node shutdown")
"""Argo's messages about a step that did not end by itself: its pod vanished, or got a signal to stop and could still
report it (docs/facts/placement.md#retries-of-lost-pods)."""
_OVER: Final = ("Succeeded", "Failed", "Error")
_INPUT: Final = re.compile(r"\{\{inputs\.parameters\.([^}]+)\}\}")
_TOO_LATE: Final = re.compile(r"max duration|deadline", re.IGNORECASE)


@dataclass(frozen=True)
class LostStep:
    """One of them.

    Attributes:
        node: that its pod ran on.
        shown: what Argo shows of it now, and so Kubeflow's page of the run.
        ended: what Argo shows of its pod.
        waits: whether its backoff is not over yet.
        of_pipeline: whether Kubeflow Pipelines made its workflow.
    """

    work: Work
    node: str
    shown: str
    ended: str
    waits: bool
    fate: Fate
    of_pipeline: bool = True


def killed(node: Object) -> bool:
    """Whether a pod's node of a workflow's status did not end by itself."""
    return node.get("phase") in {"Failed", "Error"} and bool(_KILLED.search(node.get("message") or ""))


def nodes_of(workflow: Object) -> Sequence[Object]:
    """Nodes of a workflow's status; large ones are packed."""
    status = workflow.get("status") or {}
    packed = status.get("compressedNodes")
    nodes = json.loads(gzip.decompress(base64.b64decode(packed))) if packed else status.get("nodes") or {}
    return tuple(nodes.values())


def lost_steps(workflows: Iterable[Object]) -> tuple[LostStep, ...]:
    """Those of some workflows; a workflow that succeeded without them did not need them."""
    return tuple(step for workflow in workflows for step in _lost_in(workflow))


def _lost_in(workflow: Object) -> Iterator[LostStep]:
    phase = (workflow.get("status") or {}).get("phase")
    if phase == "Succeeded":
        return
    metadata, labels, nodes = workflow["metadata"], pod_labels(workflow), nodes_of(workflow)
    pods = sorted(
        (node for node in nodes if node.get("type") == "Pod"), key=lambda node: node.get("startedAt") or ""
    )
    latest = {step(pod["name"], metadata["name"], labels): pod for pod in pods}
    retries = {
        child: node for node in nodes if node.get("type") == "Retry" for child in node.get("children") or ()
    }
    for name, pod in latest.items():
        if not killed(pod):
            continue
        retry = retries.get(pod["id"])
        strategy = _strategy(workflow, pod.get("templateName") or "")
        waits = bool(retry) and retry.get("phase") not in _OVER and phase not in _OVER
        fate = _fate(strategy, pod, retry, waits=waits)
        yield LostStep(
            work=Work(metadata["namespace"], "Workflow", metadata["name"], name),
            node=pod.get("hostNodeName") or "",
            shown=(retry or {}).get("message") or pod["message"],
            ended=pod["message"],
            waits=waits,
            fate="driver" if fate == "no retries" and is_driver(pod["name"], labels) else fate,
            of_pipeline=KUBEFLOW in labels,
        )


def _fate(strategy: Object, pod: Object, retry: Object | None, *, waits: bool) -> Fate:
    if retry is None:
        return "no retries"
    limit = _limit(strategy.get("limit"), retry)
    if limit == 0:
        return "no retries"
    code = str(map_at(pod, "outputs").get("exitCode", "-1"))
    reason = argo_retries.reason(strategy, Attempt(pod["phase"], code, pod.get("message") or ""))
    if reason == "policy":
        return "policy"
    if limit is not None and len(retry["children"]) > limit:
        return "retries used up"
    if _TOO_LATE.search(retry.get("message") or ""):
        return "too late"
    if reason == "unjudged expression" and retry.get("phase") in _OVER:
        return "expression"
    return "over" if not waits and reason != "expression" else reason or "tried again"


def _strategy(workflow: Object, template: str) -> Object:
    """The retry strategy of a template over the workflow's defaults, or else the workflow's own."""
    stored = (workflow.get("status") or {}).get("storedWorkflowTemplateSpec") or {}
    specs = (workflow.get("spec") or {}, stored)
    merged: dict[str, Any] = {}
    for spec in specs:
        merged |= (spec.get("templateDefaults") or {}).get("retryStrategy") or {}
    for spec in specs:
        for template_of_spec in spec.get("templates") or ():
            if template_of_spec.get("name") == template:
                merged |= template_of_spec.get("retryStrategy") or {}
    return merged or next(filter(None, (spec.get("retryStrategy") for spec in specs)), {})


def _limit(limit: object, retry: Object) -> int | None:
    """How often it may be tried again, None for as often as it takes; an input is replaced by its value."""
    parameters = (retry.get("inputs") or {}).get("parameters") or ()
    values = {parameter["name"]: parameter.get("value") for parameter in parameters}
    text = _INPUT.sub(lambda match: str(values.get(match[1], match[0])), str(limit))
    return int(text) if text.isdecimal() else None
