"""Whether Argo tries a step again after an eviction, by its `retryStrategy`: policy, limit, expression and window.

Source: `workflow/controller/operator.go` of Argo 3.7, `processNodeRetries` and `buildRetryStrategyLocalScope`; seen
with Argo's controller by `packages/kubeflow-aks/tests/local/argo/test_lost_steps.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ckf_spot import durations, time_limits
from ckf_spot.fields import Object, map_at
from ckf_spot.kinds import argo_expression

Reason = Literal["", "policy", "expression", "unjudged expression"]
"""What in a strategy keeps a step from being tried again; empty where nothing does."""

SURVIVING: Final = "Always"
"""A pod that vanishes with its node is an error to Argo, and a drained one that ends with 143 a failure."""
_POLICIES: Final[Mapping[str, tuple[str, ...]]] = {
    "Always": ("Failed", "Error"),
    "OnFailure": ("Failed",),
    "OnError": ("Error",),
    "OnTransientError": (),
}
"""Phases of an attempt after which there is another one."""


@dataclass(frozen=True)
class Attempt:
    """How an attempt ended, as Argo's expressions see it.

    Attributes:
        phase: `Failed` or `Error`.
        exit_code: as a text; `-1` where it is not known.
    """

    phase: str
    exit_code: str
    message: str

    @property
    def variables(self) -> Mapping[str, str]:
        """Variables of `retryStrategy.expression`."""
        return {
            "lastRetry.status": self.phase,
            "lastRetry.exitCode": self.exit_code,
            "lastRetry.message": self.message,
        }


_EVICTIONS: Final = {
    "vanishes with its node": Attempt("Error", "-1", "pod deleted"),
    "is drained": Attempt("Failed", "143", "Error (exit code 143)"),
}


def reason(strategy: Object, attempt: Attempt) -> Reason:
    """What keeps Argo from trying an attempt again, apart from the limit and the window."""
    if attempt.phase not in _POLICIES.get(_policy(strategy), ()):
        return "policy"
    expression = strategy.get("expression")
    if not expression:
        return ""
    verdict = argo_expression.evaluate(str(expression), attempt.variables)
    return "unjudged expression" if verdict is None else "" if verdict else "expression"


def doubts(step: str, strategy: Object) -> Iterator[str]:
    """How an eviction would still lose a step that has retries.

    Args:
        step: its name.
        strategy: the `retryStrategy` that counts for it.
    """
    lost = f"{step} is lost with its node: its retryStrategy has"
    reasons = {reason(strategy, attempt): how for how, attempt in reversed(_EVICTIONS.items())}
    if str(strategy.get("limit")) == "0":
        yield f"{lost} limit 0; set retryPolicy: {SURVIVING} and a higher limit"
        return
    if "policy" in reasons:
        yield f"{lost} the policy {_policy(strategy)}; set retryPolicy: {SURVIVING}"
    elif how := reasons.get("expression"):
        seen = ", ".join(f"{name} {value!r}" for name, value in _EVICTIONS[how].variables.items())
        yield (
            f"{step} is not tried again when its pod {how}: the expression of its retryStrategy is false then "
            f"({seen}); let it be true"
        )
    elif how := reasons.get("unjudged expression"):
        variables = " and ".join(
            f"{attempt.phase!r} with lastRetry.exitCode {attempt.exit_code!r}"
            for attempt in _EVICTIONS.values()
        )
        yield (
            f"{step}: retryStrategy.expression was not judged; an eviction loses the step unless it is true for "
            f"lastRetry.status {variables}"
        )
    yield from _window_doubts(step, strategy)


def _policy(strategy: Object) -> str:
    return str(strategy.get("retryPolicy") or (SURVIVING if strategy.get("expression") else "OnFailure"))


def _window_doubts(step: str, strategy: Object) -> Iterator[str]:
    """Retries that are over before they were all used, or before a late eviction."""
    backoff = map_at(strategy, "backoff")
    if backoff.get("maxDuration") is None:
        return
    where = f"{step}: retryStrategy.backoff.maxDuration"
    end = durations.of_argo(backoff["maxDuration"])
    if end is None:
        yield f"{where}: {backoff['maxDuration']!r} was not judged"
        return
    limit, factor = (str(value) for value in (strategy.get("limit"), backoff.get("factor", 1)))
    wait = durations.of_argo(backoff.get("duration"))
    attempts = int(limit) if limit.isdecimal() else 0
    growth = float(factor) if factor.isdecimal() else 1
    yield from map(str, time_limits.window_doubts(where, end, limit=attempts, wait=wait or 0, factor=growth))
