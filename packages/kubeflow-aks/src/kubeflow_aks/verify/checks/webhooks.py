"""No webhook is dead: the API server would refuse what it should have admitted, or not read what it stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.admission_webhooks import (
    FAILED_WEBHOOK,
    Webhook,
    conversion_webhooks,
    required_webhooks,
)
from kubeflow_aks.verify.findings import CheckResult, failed, passed, unknown
from kubeflow_aks.verify.snapshot import ClusterSnapshot, has_ready_endpoint

_CHECK: Final = (
    "check the pods behind its service; if nothing needs the webhook any more, delete its configuration"
)


def answer(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Each webhook whose failure refuses requests has a ready endpoint, and no dry run has met a dead one."""
    hooks = [
        *required_webhooks(snapshot.webhooks.required()),
        *conversion_webhooks(snapshot.definitions.required()),
    ]
    dead = [hook for hook in hooks if _is_dead(hook, snapshot)]
    reasons = {answer.reason for answer in snapshot.guard.values() if FAILED_WEBHOOK in answer.reason}
    results = [
        *map(_no_endpoint, dead),
        *(
            failed(f"the API server refuses pods in a dry run: {one_line(reason)}", _CHECK)
            for reason in sorted(reasons)
            if not any(f'"{hook.name}"' in reason for hook in dead)
        ),
        *(
            unknown(
                f"whether webhooks of namespace {namespace} answer cannot be checked here: {one_line(slices.reason)}"
            )
            for namespace in sorted({hook.namespace for hook in hooks})
            if (slices := snapshot.slices(namespace)).value is None
        ),
    ]
    yield from results or [
        passed(f"webhooks that requests depend on are up: {counted(len(hooks), 'webhook')}")
    ]


def _no_endpoint(hook: Webhook) -> CheckResult:
    refused = "pods" if hook.admits_pods else listed(hook.resources) or "what it admits"
    return failed(
        f"webhook {one_line(hook.name)} has no ready endpoint (service {hook.namespace}/{hook.service}), so the API "
        f"server refuses {refused}",
        "check the pods behind its service" if hook.converts else f"{_CHECK} {hook.configuration}",
    )


def _is_dead(hook: Webhook, snapshot: ClusterSnapshot) -> bool:
    slices = snapshot.slices(hook.namespace).value
    return slices is not None and not has_ready_endpoint(slices, hook.service)
