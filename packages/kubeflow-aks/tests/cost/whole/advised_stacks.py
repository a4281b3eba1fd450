"""Stack files for the tests of advice: made up, the same for the same seed, and with advised lines written into them.

`PYTHONPATH=packages/kubeflow-aks:. python -m tests.cost.whole.advised_stacks [COUNT] [SEED]` advises many,
and prints what is not as promised.
"""

import math
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pulumi
import yaml

from aks_facts import ondemand_prices
from kubeflow_aks.clients.vm_usage import Quota
from kubeflow_aks.cost.advice import Advice, Advised, advise
from kubeflow_aks.cost.advice.situation import OffersOf
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import Offer, Quote, Range, Source
from kubeflow_aks.cost.prices import open_market
from kubeflow_aks.cost.reading import from_plan
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import Record, record

_NAME = "made"
_CPU = ("Standard_D8ds_v5", "Standard_D8s_v5", "Standard_D16ads_v5", "Standard_E8ds_v5", "Standard_F8s_v2")
_GPU = ("Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4")


def offline(stack: Stack) -> Bill:
    """The bill at the prices of the repository."""
    return bill(stack, open_market(stack.outputs["costBasis"]["cost"], offline=True, report=lambda _: None))


def tree(folder: Path, stack: Mapping[str, Any]) -> Path:
    """A project folder whose one stack says this."""
    for name in ("Pulumi.yaml", "__main__.py"):
        if not (folder / name).exists():
            (folder / name).symlink_to(PROJECT_ROOT / name)
    text = yaml.safe_dump({"config": {f"kubeflow-aks:{key}": value for key, value in stack.items()}})
    (folder / f"Pulumi.{_NAME}.yaml").write_text(text, encoding="utf-8")
    return folder


def stack_of(name: str) -> dict[str, Any]:
    """What one of the project's stack files says."""
    text = (PROJECT_ROOT / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    config = cast(dict[str, Any], yaml.safe_load(text)["config"])
    return {key.removeprefix("kubeflow-aks:"): value for key, value in config.items()}


def written(stack: Mapping[str, Any], advice: Advice) -> dict[str, Any]:
    """The stack with the advised lines in place of the same keys, as somebody would write them."""
    lines = cast(dict[str, Any], yaml.safe_load("\n".join(advice.lines)))
    return {**stack, **{key.removeprefix("kubeflow-aks:"): value for key, value in lines.items()}}


def offered(size: str, region: str) -> tuple[Offer, ...]:
    """Commitments at the shares of the price on demand that docs/facts/prices.md#commitments has."""
    price = ondemand_prices(size).get(region)
    if price is None:
        return ()

    def quote(share: float) -> Quote:
        return Quote(Range.exactly(share * price), "hour", Source("a test"))

    return (
        Offer("reservation", 1, quote(0.59)),
        Offer("savings plan", 1, quote(0.68)),
        Offer("reservation", 3, quote(0.38)),
    )


def nothing(_size: str, _region: str) -> tuple[Offer, ...]:
    """No commitments."""
    return ()


def advised(
    folder: Path,
    stack: Mapping[str, Any],
    offers: OffersOf = nothing,
    quota: Mapping[str, Quota] | None = None,
) -> Advised:
    """The advice for a stack."""
    return advise(_NAME, tree(folder, stack), offline, offers, lambda _region: quota)


_RAN: dict[str, Record] = {}


def ran(folder: Path, stack: Mapping[str, Any]) -> Record:
    """What the program registers for a stack; it is run once for the same one."""
    tree(folder, stack)
    text = (folder / f"Pulumi.{_NAME}.yaml").read_text(encoding="utf-8")
    if text not in _RAN:
        _RAN[text] = record(_NAME, root=folder, preview=True)
    return _RAN[text]


def all_advice(advised: Advised) -> list[Advice]:
    """Each, and all of them at once."""
    return [*advised.advice, *([advised.together] if advised.together else [])]


def broken_promises(folder: Path, stack: Mapping[str, Any], advised: Advised) -> Iterator[str]:
    """Advice that does not do what it says once it is written."""
    before = offline(from_plan(plan_document(ran(folder, stack)))).amount()
    if [one.saves for one in advised.advice] != sorted((one.saves for one in advised.advice), reverse=True):
        yield "not the best first"
    for one in all_advice(advised):
        after = offline(from_plan(plan_document(ran(folder, written(stack, one))))).amount()
        if not (_same(one.before, before) and _same(one.after, after) and after.expected < before.expected):
            yield f"{one.sentence}: {one.before} → {one.after} promised, {before} → {after} found"


def _same(one: Range, other: Range) -> bool:
    return all(
        math.isclose(left, right, rel_tol=1e-9)
        for left, right in ((one.expected, other.expected), (one.low, other.low), (one.high, other.high))
    )


def made_up(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Stacks that mostly have no mistake: pools, work, prices and hours of all kinds."""
    chance = random.Random(seed)  # noqa: S311 - made up, not secret
    for _ in range(count):
        stack: dict[str, Any] = {
            "tags": {"owner": "ml", "environment": "made"},
            "location": chance.choice(("westeurope", "uksouth", "eastus", "swedencentral")),
            "systemPool": {"minCount": chance.choice((1, 2, 3)), "maxCount": 4},
            "pools": _pools(chance),
        }
        spot = [name for name, pool in stack["pools"].items() if pool.get("priority") == "Spot"]
        stack |= _at_times(chance, "workload", _work(chance, spot))
        stack |= _at_times(
            chance, "autoscaler", {"scaleDownUnneededTime": chance.choice(("2m", "10m", "30m"))}
        )
        stack |= _at_times(chance, "officeHours", {"timeZone": "UTC", "from": "06:00", "to": "22:00"})
        stack |= _at_times(chance, "protect", chance.choice((True, False)))
        stack |= _at_times(
            chance,
            "cost",
            {
                "evictionRate": chance.choice((0.01, 0.05, 0.2, "5-10", "20+")),
                "soldOutShare": chance.choice((0, 0.1, 0.5)),
                "model": chance.choice(("hourly", "hourly", "blog")),
            },
        )
        yield stack


def _at_times(chance: random.Random, key: str, value: object) -> dict[str, object]:
    return {key: value} if chance.random() < 0.5 else {}


def _pools(chance: random.Random) -> dict[str, Any]:
    general = {"vmSize": "Standard_D8s_v5", "minCount": chance.choice((2, 3)), "maxCount": 4}
    pools: dict[str, Any] = {"general": general}
    for name, sizes in (("cpuspot", _CPU), ("gpuspot", _GPU)):
        pools[name] = {"vmSize": chance.choice(sizes), "priority": "Spot", "maxCount": chance.choice((5, 20))}
        pools[name] |= _at_times(chance, "fallback", {"maxCount": 3})
        pools[name] |= _at_times(chance, "minCount", 1) if name == "cpuspot" else {}
        pools[name] |= _at_times(chance, "osDisk", {"type": "Managed"})
    return pools


def _work(chance: random.Random, pools: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in ("prepare", "train.big")[: chance.choice((1, 2))]:
        values[name] = {
            "pool": chance.choice(pools),
            "hoursPerMonth": chance.choice((50, 400, 1500)),
            "stepHours": chance.choice((0.5, 4, 20, 50)),
            "stepsAtOnce": chance.choice((1, 10)),
        }
        values[name] |= _at_times(chance, "checkpointMinutes", chance.choice((5, 60, 300)))
        values[name] |= _at_times(chance, "deadlineHours", 60)
    return values


def main(count: int = 200, seed: int = 1) -> int:
    """Advises made-up stacks; prints what is not as promised and how many were refused."""
    broken = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, stack in enumerate(made_up(count, seed)):
            try:
                for promise in broken_promises(Path(folder), stack, advised(Path(folder), stack, offered)):
                    broken += 1
                    print(f"{number}: {promise}\n   {stack}")
            except pulumi.RunError:
                refused += 1
    print(f"{count} stacks, {refused} refused, {broken} broken promises")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
