"""The page that shows what an eviction costs with and without the handler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_HEAD: Final = """\
# Work lost to evictions, with and without the handler

<!-- Generated in a few minutes, do not edit:
     `PYTHONPATH=packages/kubeflow-aks:. .venv/bin/python -m tests.benchmarks.eviction --write` -->

What [the eviction handler](../how-to/act-on-eviction-notices.md) saves, by kind of work and length of Azure's notice.
"Without" is a node that nobody drains, as users of AKS report it ([facts](../facts/aks.md#evictions)): the VM goes,
with what ran on it. Where AKS's own drain comes in time, it saves the same work as the handler.

Each figure is the mean of {evictions:,} evictions with its 95 % interval (Student's t). They come at any moment of the
work, each as likely as another, and are the same in all columns.

## Work that is lost

Minutes of work that must be done again, of all nodes of a training together.

"""

_STOOD: Final = """
The handler saves what work can save by itself: a training that writes a checkpoint at SIGTERM loses nothing, if the
writing fits into the notice. At 0 s there is nothing to act on, so **save regularly as well**. Work that starts over
loses as much with the handler: a step of a pipeline cannot save at SIGTERM
([why](../facts/placement.md#signals)), unless its code
[reads the notice itself](../../packages/ckf-spot/docs/checkpoints.md#what-a-pod-sees-when-its-node-is-evicted). What
would have ended within the notice is cut off by the handler; with 30 s that is one Job of 30 minutes in {cut}.

## Work that stands still

Seconds from the moment at which work stops until its controller knows that its pod has ended, and can start it again.

"""

_MANY: Final = """
Without the handler the pod of a VM that is gone stays until the garbage collector comes; with it, the kubelet reports
how the pod ended while the VM is there. Boot and retry waits come afterwards, and are the same.

## What is played, and what is assumed

- The handler is its own code, `components/kubeflow/eviction_script.py`, on an API in memory: what it reads from the
  node, the grace that it gives, when it looks again.
- The notice stands in the node's conditions, in the form that users of AKS recorded, as soon as AKS's node problem
  detector queries, which it does every 2 s ([facts](../facts/aks.md#evictions)). The handler looks 0.5 s later: our
  assumption, and more than one pod took [below](#many-nodes-at-once).
- SIGTERM and SIGKILL come as a kubelet sends them, at once and after the grace period, which is the 25 s of `ckf_spot`.
  The kubelet's report takes 1 s: our assumption.
- The pod of a vanished VM is found after {collector:.0f} s, as measured on the local control plane
  ([facts](../facts/engine.md#the-eviction-sequence)).
- A training has 10 minutes between two checkpoints. At SIGTERM it saves and ends, as
  [the example](../../packages/ckf-spot/docs/checkpoints.md) does with real processes in
  `packages/kubeflow-aks/tests/local/demo/eviction/test_checkpointed.py`.
- Of a TrainJob's four nodes one is evicted, which undoes the work of all. Each has the whole state, so that the one
  with SIGTERM can save it; sharded states can't be saved like that. Its runtime needs a rule that starts it again
  ([training](../../packages/ckf-spot/docs/training.md)).
- A step and a Job end at SIGTERM, and start over.
- A Ray task ends with its worker and runs again from its beginning ([facts](../facts/placement.md#ray)). Ray gives up a
  silent node after {ray:.0f} s at the least (`src/ray/common/ray_config_def.h`).

Nothing here ran on Azure. How long Azure's notices really are, and how many come at all, no document says; AKS's
engineers often observe less than 10 s. [A drill](../how-to/drill.md) measures both on your cluster, and
[the bill takes it](../how-to/see-what-it-costs.md#use-what-a-drill-measured).

## Many nodes at once

The handler as a process, with the rights of its ServiceAccount, against a real API server: from the first notice until
the last pod's end is requested. The mean of {times} times with its 95 % interval, on a machine of two cores that the
whole control plane shares, and that did much else at the same time: an upper bound.

| Pods | Nodes evicted at once | Until all are evicted | Longest | CPU of the handler |
| --: | --: | --: | --: | --: |
"""

_ADVICE: Final = """
## Advisories

Azure may advise that it takes a VM before long ([facts](../facts/aks.md#evictions)): some time before an eviction, at
times without one, or not at all. With `kubeflow.onAdvisory: checkpoint` a pod that has the annotation
`kubeflow-aks/save-now` then saves at once, and every {again:.0f} minutes while the advice stands, up to {most:.0f}; and
goes on. This is played for VMs that go without a notice, where nothing else helps. Minutes of lost work, what the saves
take included, by how long the advice comes before, give or take a fifth:

"""
_ADVICE_END: Final = """
The first column is also that of `ignore`, and of a pod without the annotation. "Half false" adds a false advice to each
true one, which costs all saves of {most:.0f} minutes. One save alone would soon be as old as the training's last one.

**So `checkpoint` is the default.** A training that saves in 5 s loses less at each of these times, even if half of the
advice is false. One that takes 20 s loses more where advice is late or false, and should not agree. No pod is touched
that does not. The handler's own code acts on the advice. The pod's file has the annotation up to {file:.0f} s later, as
the kubelet syncs it once a minute, and the trainer looks every {look:.0f} s; one that reads the metadata service, too,
has the first advice from there.

**`cordon` is not the default**, though it includes `checkpoint`. It saves what a pod works that would start on the node
after the advice, and costs such a pod the boot of another node if the advice is false, {boot:.0f} s on the local AKS:

"""
_CORDON_END: Final = """
At 30 s, which AKS expects on average (`Azure/karpenter-provider-azure#1769`), that is a loss; and another node is paid
for while the cordoned one has room. Take `cordon` if your advice proves to be true and early:
`kubeflow_aks_eviction_notices_total` counts advisories and notices.

How often Azure advises, how long before, and how much of it is false, no document says; nothing of this ran on Azure.
No node boots for work before it is evicted.
"""

_END: Final = """
`packages/kubeflow-aks/tests/local/demo/eviction/test_eviction_handler.py` checks that every pod gets its
whole grace period and that the API server throttles nothing, and kills the handler in the middle of 300 pods.

## While the API server misbehaves

The handler as a process, against an API server of our own that misbehaves in one way
(`packages/kubeflow-aks/tests/faulty_api_server.py`):
{nodes} nodes with {pods} pods in all get a notice of {notice:.0f} s at once. Each pod has a grace period of
{graces} s, so that some need all of the notice. The mean of {times} times with its 95 % interval; in the first row the
least of them.

"""
_AFTER_FAULTS: Final = """
Without the right to evict, a pod is deleted when its grace period would otherwise not fit any more, which is the later
the shorter it is, and the pod of the handler is not ready.
"""


@dataclass(frozen=True)
class Mean:
    """A mean and half of its interval."""

    value: float
    half: float


@dataclass(frozen=True)
class Cell:
    """Evictions with one length of notice; seconds.

    Attributes:
        lost, lost_handled: work lost without and with the handler.
        stood, stood_handled: until the work's controller knew.
    """

    lost: Mean
    lost_handled: Mean
    stood: Mean
    stood_handled: Mean


@dataclass(frozen=True)
class Row:
    """One kind of work, with a cell for each notice."""

    name: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class AdviceRow:
    """Work that saves itself on advice; seconds.

    Attributes:
        name: of the kind of work, and how it reads the advice.
        none: work lost at an eviction without advice.
        leads: work lost, by the time from advice to eviction.
        false: what a false advice costs.
    """

    name: str
    none: Mean
    leads: Sequence[Mean]
    false: float

    def net(self, lead: Mean) -> Mean:
        """What an eviction costs if another advice before it was false."""
        return Mean(lead.value + self.false, lead.half)


@dataclass(frozen=True)
class Waits:
    """What passes after advice, in seconds.

    Attributes:
        again: between two saves of a pod.
        most: until it saves no more.
        file: until a pod has an annotation in a file, at the latest.
        look: between two looks of a trainer.
        boot: until another node is there.
    """

    again: float
    most: float
    file: float
    look: float
    boot: float


@dataclass(frozen=True)
class Many:
    """Pods on nodes that were evicted at once; seconds until the last was, and what the handler used of a CPU."""

    pods: int
    nodes: int
    seconds: Mean
    longest: float
    cpu: Mean


@dataclass(frozen=True)
class Faulty:
    """Nodes that were evicted at once while the API server had a fault.

    Attributes:
        fault: its name.
        in_time: pods that had ended before the deadline, at the worst time.
        seconds: until the end of the last pod was requested.
        requests: to the API server.
    """

    fault: str
    in_time: int
    seconds: Mean
    requests: Mean


@dataclass(frozen=True)
class Setting:
    """What is played while the API server misbehaves.

    Attributes:
        nodes: evicted at once.
        pods: on all of them together.
        notice: seconds.
        graces: grace periods of the pods by turns, seconds.
    """

    nodes: int
    pods: int
    notice: float
    graces: Sequence[int]


def page(
    rows: Sequence[Row],
    many: Iterable[Many],
    faulty: Sequence[Faulty],
    advice: Sequence[AdviceRow],
    *,
    leads: Sequence[float],
    notices: Sequence[float],
    setting: Setting,
    evictions: int,
    times: int,
    collector: float,
    ray: float,
    waits: Waits,
) -> str:
    """The whole page.

    Args:
        rows: by kind of work.
        many: by number of pods.
        faulty: by fault.
        advice: by kind of work.
        leads: seconds of each cell of it.
        notices: seconds of each cell.
        setting: of `faulty`.
        evictions: how many each cell is the mean of.
        times: how often each number of pods and each fault was played.
        collector: seconds until a vanished VM's pod is found.
        ray: seconds until Ray gives up a node.
        waits: of the advice.
    """
    return "".join(
        (
            _HEAD.format(evictions=evictions),
            lost_table(rows, notices),
            _STOOD.format(cut=round(30 * 60 / max(notices))),
            stood_table(rows, notices),
            _MANY.format(times=times, collector=collector, ray=ray),
            *map(_many, many),
            _END.format(
                nodes=setting.nodes,
                pods=setting.pods,
                notice=setting.notice,
                graces=" or ".join(map(str, sorted(setting.graces))),
                times=times,
            ),
            faults_table(faulty, setting),
            _AFTER_FAULTS,
            _ADVICE.format(again=waits.again / 60, most=waits.most / 60),
            advice_table(advice, leads),
            _ADVICE_END.format(
                most=waits.most / 60,
                file=waits.file,
                look=waits.look,
                boot=waits.boot,
            ),
            cordon_table(leads, waits.boot),
            _CORDON_END,
        )
    )


def lost_table(rows: Iterable[Row], notices: Sequence[float]) -> str:
    """Minutes of lost work."""
    return _table(rows, notices, lambda cell: (_text(cell.lost, 60), _text(cell.lost_handled, 60)))


def stood_table(rows: Iterable[Row], notices: Sequence[float]) -> str:
    """Seconds without work."""
    return _table(rows, notices, lambda cell: (_text(cell.stood, 1), _text(cell.stood_handled, 1)))


def advice_table(rows: Iterable[AdviceRow], leads: Sequence[float]) -> str:
    """Minutes of lost work, without advice and by its time; and with as much false advice."""
    times = [_time(lead) for lead in leads]
    head = ["Work", "No advice", *(text for time in times for text in (f"{time} before", "half false"))]
    lines = [head, ["---", *["--:"] * (len(head) - 1)]]
    for row in rows:
        pairs = ((_text(lead, 60), _text(row.net(lead), 60)) for lead in row.leads)
        lines.append([row.name, _text(row.none, 60), *(text for pair in pairs for text in pair)])
    return _lines(lines)


def cordoned(lead: float, boot: float) -> float:
    """Seconds that a cordon saves a pod that would start on an advised node, half of whose advice is false.

    It saves the work done until the eviction, which the pod begins at any moment after true advice, and costs the boot
    of another node after false advice. After true advice both wait for a boot.
    """
    return lead / 2 - boot


def cordon_table(leads: Sequence[float], boot: float) -> str:
    """Minutes of a pod that would start on the node."""
    return _lines(
        [
            ["Advice before an eviction", *map(_time, leads)],
            ["---", *["--:"] * len(leads)],
            ["Saved by true advice, in minutes of a pod's work", *(f"{lead / 120:.1f}" for lead in leads)],
            ["Lost by false advice", *[f"{boot / 60:.1f}"] * len(leads)],
            ["Both, if half is false", *(f"{cordoned(lead, boot) / 60:+.1f}" for lead in leads)],
        ]
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"


def _table(rows: Iterable[Row], notices: Sequence[float], cells: Callable[[Cell], tuple[str, str]]) -> str:
    head = [
        "Work, by the length of the notice",
        *(text for notice in notices for text in (f"{notice:.0f} s: without", "with")),
    ]
    lines = [head, ["---", *["--:"] * (len(head) - 1)]]
    lines += [[row.name, *(text for cell in row.cells for text in cells(cell))] for row in rows]
    return _lines(lines)


def _lines(lines: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def faults_table(faulty: Sequence[Faulty], setting: Setting) -> str:
    """A column for each fault."""
    return _lines(
        [
            ["Fault", *(one.fault for one in faulty)],
            ["---", *["--:"] * len(faulty)],
            [f"Pods of {setting.pods} that ended before the deadline", *(str(one.in_time) for one in faulty)],
            [
                "Seconds until the end of the last one is requested",
                *(_text(one.seconds, 1) for one in faulty),
            ],
            ["Requests", *(f"{one.requests.value:.0f}" for one in faulty)],
        ]
    )


def _many(one: Many) -> str:
    seconds, cpu = _text(one.seconds, 1), _text(one.cpu, 1)
    return f"| {one.pods} | {one.nodes} | {seconds} s | {one.longest:.1f} s | {cpu} s |\n"


def _text(mean: Mean, unit: float) -> str:
    value, half = mean.value / unit, mean.half / unit
    return f"{value:.1f} ± {half:.1f}" if half >= 0.05 else f"{value:.1f}"
