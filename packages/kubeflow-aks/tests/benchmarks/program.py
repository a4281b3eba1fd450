"""Run time of the program by number of pools, with and without azure-native's version aliases."""

import os
import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest import mock

import pulumi

from kubeflow_aks.recorder.run import record

POOLS = (1, 10, 40, 100)
REPEATS = 3


def main() -> None:
    """Prints the table."""
    os.environ.setdefault("PULUMI_ERROR_OUTPUT_STRING", "1")
    _seconds(1, nullcontext)  # imports the SDKs
    base: float | None = None
    print("user pools   run time ÷ that of 1 pool   with aliases ÷ without   share spent in aliases")
    for pools in POOLS:
        without = statistics.median(_seconds(pools, nullcontext) for _ in range(REPEATS))
        with_aliases = _seconds(pools, _aliases_kept)
        base = base or without
        share = 1 - without / with_aliases
        print(
            f"{pools:10}   {without / base:25.1f}   {with_aliases / without:22.1f}   {share:22.0%}",
            flush=True,
        )


def _seconds(pools: int, context: Callable[[], AbstractContextManager[Any]]) -> float:
    extra = {"network": _WIDE, "pools": _pools(pools)}
    with context():
        start = time.perf_counter()
        record("demo", extra=extra)
        return time.perf_counter() - start


def _aliases_kept() -> AbstractContextManager[Any]:
    return mock.patch.object(pulumi.runtime, "register_stack_transformation", return_value=None)


_WIDE = {"podCidr": "100.64.0.0/10", "subnets": {"cpu": "10.224.64.0/18"}}


def _pools(count: int) -> dict[str, Any]:
    """The pool that hosts Kubeflow, and spot pools up to `count`; AKS's limit of 100 includes the system pool."""
    spot = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 1}
    general = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}
    return {"general": general, **{f"spot{i}": spot for i in range(min(count, 99) - 1)}}


if __name__ == "__main__":
    main()
