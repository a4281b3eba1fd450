"""Who used the nodes: every run's share, with idle hours apart, adds up to what the nodes cost."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from kubeflow_aks.cost.billing import Account
from kubeflow_aks.cost.observed import read
from kubeflow_aks.cost.report.document import SCHEMA
from kubeflow_aks.cost.report.usage import document, section
from kubeflow_aks.cost.usage import Run, Usage, usage
from kubeflow_aks.text.blocks import Items, Table
from tests.cost.examples import FixedMarket, pool, spot, stack
from tests.cost.reports import POOLS, node, pod, report

PRICES = {"cpuspot": 0.1, "cpuod": 0.5, "gpuspot": 2.0, "system": 0.3}


def used(tmp_path: Path, works: list[dict[str, Any]], nodes: list[dict[str, Any]], since: float = 9) -> Usage:
    """The usage of a record."""
    raw = {**report(nodes=nodes, since=since), "work": works}
    (tmp_path / "where.json").write_text(json.dumps(raw), encoding="utf-8")
    evictions = read(tmp_path / "where.json", POOLS)
    assert evictions.nodes is not None
    return usage(evictions.nodes, PRICES)


def work(name: str, *pods: dict[str, Any], namespace: str = "a", kind: str = "Workflow") -> dict[str, Any]:
    """What people made, with its pods."""
    fixed = {"part": "", "role": "batch", "evictions": 0, "unexplained": 0}
    return {"namespace": namespace, "kind": kind, "name": name, "pods": list(pods), **fixed}


def test_pods_on_one_node_share_it_and_the_rest_is_idle(tmp_path: Path) -> None:
    """A node of 6 hours: one pod from the first hour on, another with it for two of them, and the last hour none."""
    works = [
        work("train", pod("cpuspot/0", 7, 3, "succeeded")),
        work("eval", pod("cpuspot/0", 5, 3, "succeeded"), namespace="b", kind="Job"),
    ]
    shares = used(tmp_path, works, [node("cpuspot/0", 8, 2)])
    train, evaluation = shares.runs[Run("a", "Workflow", "train")], shares.runs[Run("b", "Job", "eval")]
    assert (train.hours, train.amount) == (pytest.approx(3), pytest.approx(0.3))
    assert (evaluation.hours, evaluation.amount) == (pytest.approx(1), pytest.approx(0.1))
    assert shares.idle["cpuspot"].hours == pytest.approx(2)
    assert shares.total.amount == pytest.approx(0.6)
    assert list(shares.namespaces) == ["a", "b"]


def test_what_was_before_the_record_counts_nothing(tmp_path: Path) -> None:
    works = [work("train", pod("cpuod/0", 20, 5, "succeeded"))]
    shares = used(tmp_path, works, [node("cpuod/0", 30)], since=8)
    assert shares.runs[Run("a", "Workflow", "train")].hours == pytest.approx(3)
    assert shares.total.hours == pytest.approx(8)


def test_a_pool_without_a_price_is_named_and_not_free(tmp_path: Path) -> None:
    shares = used(tmp_path, [], [{**node("cpuod/0", 5), "pool": None}])
    assert shares.unpriced == {"unknown": pytest.approx(5)}
    assert shares.total.amount == 0
    *_, items = section(shares, "USD").blocks
    assert items == Items(("5 node hours of pool unknown: no price",))


@pytest.mark.parametrize("seed", range(20))
def test_shares_and_idle_hours_add_up_to_the_bill_of_the_nodes(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)  # noqa: S311 - repeatable on purpose
    nodes: list[dict[str, Any]] = []
    pods: list[dict[str, Any]] = []
    cost = 0.0
    for number in range(chance.randrange(1, 8)):
        name = f"{chance.choice(list(PRICES))}/{number}"
        created = chance.uniform(1, 12)
        gone = chance.choice((None, chance.uniform(0, created)))
        nodes.append(node(name, created, gone))
        first, last = min(created, 9), gone or 0
        cost += max(first - last, 0) * PRICES[name.split("/", maxsplit=1)[0]]
        for _ in range(chance.randrange(4)):
            start = chance.uniform(last, created)
            end = chance.choice((None, chance.uniform(0, start)))
            made = pod("cpuspot/0", start, end, "running" if end is None else "succeeded", uid=f"{len(pods)}")
            pools = {"node": name, "pool": nodes[-1]["pool"], "capacity": nodes[-1]["capacity"]}
            pods.append({**made, **pools})
    works = [work(f"run-{index}", one, namespace=chance.choice("abc")) for index, one in enumerate(pods)]
    shares = used(tmp_path, works, nodes)
    assert shares.total.amount == pytest.approx(cost, abs=1e-3)  # times of a record are whole seconds
    parts = [*shares.namespaces.values(), *shares.idle.values()]
    assert sum(it.amount for it in parts) == pytest.approx(shares.total.amount)
    assert sum(it.hours for it in parts) == pytest.approx(shares.total.hours)


def test_it_is_a_table_and_json(tmp_path: Path) -> None:
    works = [work(f"run-{number}", pod(f"cpuspot/{number}", 4, 1, "succeeded")) for number in range(25)]
    shares = used(tmp_path, works, [node(f"cpuspot/{number}", 5, 0.5) for number in range(25)])
    by_namespace, by_run, *_ = section(shares, "USD").blocks
    assert isinstance(by_namespace, Table)
    assert by_namespace.rows == (
        ("a", "75.0", "$7.50"),
        ("idle: cpuspot", "37.5", "$3.75"),
        ("= all nodes", "112.5", "$11.25"),
    )
    assert isinstance(by_run, Table)
    assert by_run.rows[-1] == ("5 more", "", "", "15.0", "$1.50")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    written = document(shares)
    usage_schema = {**schema["properties"]["usage"], "$defs": schema["$defs"]}
    jsonschema.Draft202012Validator(usage_schema).validate(written)  # pyright: ignore[reportUnknownMemberType]
    assert len(written["runs"]) == 25
    assert written["total"]["amount"] == pytest.approx(11.25)


def test_prices_are_those_of_the_bill() -> None:
    pools = spot("cpuspot"), pool("cpuod", osDiskType="Managed", osDiskSizeGB=128)
    hourly = Account(stack(*pools), FixedMarket()).node_hours()
    assert hourly["cpuspot"] == pytest.approx(0.0487)
    assert hourly["cpuod"] == pytest.approx(0.232 + 19.71 / 730)
    assert hourly["system"] == pytest.approx(0.232 + 19.71 / 730)
