"""Texts of the page that depend on the cluster that the scenario was played on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.scenario.observations import Where


@dataclass(frozen=True)
class Words:
    """Texts for one kind of cluster; `place` and `lead`, of what is real there and what is simulated, follow "on"."""

    place: str
    lead: str
    caption: str
    cost: str
    footer: str


def words_for(where: str) -> Words:
    """The texts for a kind of cluster."""
    return _WORDS[Where(where)]


_WATCHED: Final = "Times are wall time, as exact as the watching: about a second."
_WORDS: Final[Mapping[Where, Words]] = {
    Where.SIMULATION: Words(
        place="a local AKS",
        lead="a local AKS, without Azure. Real: the Pulumi engine and the program; etcd, kube-apiserver, "
        "kube-controller-manager, kube-scheduler; Argo's workflow controller and the training operator. Simulated: "
        "Azure, the nodes and what runs on them, the cluster autoscaler, the spot market, and their clock.",
        caption="Nodes, evictions, shortages and scaling are simulated; where each pod went was decided by the real "
        "scheduler.",
        cost="What it would have cost on Azure",
        footer="Everything on this page was computed from what the API server and the simulation's journal showed; it "
        "is all in demo.json beside this file. Created → running is in simulated seconds. The real controllers keep "
        "wall time: a Job waits 10 s before it starts an evicted task again, which is why that takes long here.",
    ),
    Where.LOCAL: Words(
        place="a local AKS",
        lead="a local AKS, in a drill. Real: control plane, scheduler, Job controller. Simulated: Azure, the nodes and "
        "what runs on them, the autoscaler, the evictions; their clock runs faster than the one on this page.",
        caption="Nodes, evictions and scaling are simulated; where each pod went was decided by the real scheduler.",
        cost="What it would have cost on Azure",
        footer="Everything on this page was computed from what the API server showed; it is all in drill.json beside "
        f"this file. {_WATCHED}",
    ),
    Where.AZURE: Words(
        place="Azure",
        lead="Azure, in a drill: its spot nodes were evicted by Azure's own simulateEviction.",
        caption="A node is shown from the autoscaler's request, or from its first appearance, until its Node was gone.",
        cost="About what it cost",
        footer="Everything on this page was computed from what the API server showed; it is all in drill.json beside "
        f"this file. {_WATCHED}",
    ),
}
