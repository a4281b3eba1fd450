"""Reports in the form of `ckf-spot where -o json`, checked against its schema; times are hours before one moment."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema

import ckf_spot
from kubeflow_aks.cost.observed import Observed, read

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
POOLS = {"system": False, "cpuspot": True, "cpuod": False, "gpuspot": True}
Raw = dict[str, Any]
SCHEMA: Any = json.loads(
    (Path(ckf_spot.__file__).parent / "where/report.schema.json").read_text(encoding="utf-8")
)


def at(hours: float) -> str:
    """So many hours before now."""
    moment = NOW - timedelta(seconds=round(3600 * hours))
    return moment.isoformat().replace("+00:00", "Z")


def pod(node: str, start: float, end: float | None = None, state: str = "running", **more: Any) -> Raw:
    """A pod on `cpuspot/0`; times are hours before now."""
    pool = node.split("/", maxsplit=1)[0] if node else None
    return {
        "name": f"pod-{node}-{start}",
        "uid": f"uid-{node}-{start}",
        "node": node or None,
        "pool": pool,
        "capacity": {"cpuspot": "spot", "gpuspot": "spot", "cpuod": "on-demand", None: None}[pool],
        "state": state,
        "created": at(start),
        "scheduled": at(start),
        "started": at(start),
        "ended": None if end is None else at(end),
        "why": "its node is gone" if state == "evicted" else None,
        "source": "pod",
        **more,
    }


def node(name: str, created: float, gone: float | None = None, notice: float | None = None) -> Raw:
    return {
        "name": name,
        "pool": name.split("/", maxsplit=1)[0],
        "capacity": "spot" if "spot" in name else "on-demand",
        "created": at(created),
        "notice": None if notice is None else at(notice),
        "silent": None,
        "gone": None if gone is None else at(gone),
    }


def report(*pods: Raw, nodes: list[Raw] | None = None, since: float | None = None) -> Raw:
    work = {"namespace": "a", "kind": "Job", "name": "train", "part": "", "role": "batch"}
    document = {
        "version": 3,
        "time": at(0),
        "since": None if since is None else at(since),
        "namespace": None,
        "work": [{**work, "evictions": 0, "unexplained": 0, "pods": list(pods)}] if pods else [],
        "nodes": nodes,
        "violations": [],
        "notes": [],
    }
    jsonschema.Draft202012Validator(SCHEMA).validate(document)  # pyright: ignore[reportUnknownMemberType]
    return document


def observations(file: Path, raw: object) -> Observed:
    """What a file with it tells of the pools."""
    file.write_text(json.dumps(raw), encoding="utf-8")
    return read(file, POOLS)


def figures(observed: Observed) -> dict[str, tuple[float, int, int]]:
    """Node hours, evictions and moments by pool."""
    return {name: (round(one.hours, 6), one.evictions, one.moments) for name, one in observed.pools.items()}
