"""A pod fits a node by the scheduler's filters."""

from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.autoscaler.parse import parse_node, parse_scheduling
from kubeflow_aks.local_aks.simulation.autoscaler.predicates import why_not
from tests.local_aks.simulation.autoscaler.builders import a_node, a_pool
from tests.local_aks.simulation.simulated import pod_spec

NODE = a_node(a_pool("cpu", nodeLabels={"tier": "batch", "size": "8"}))
AFFINITY = "node(s) didn't match Pod's node affinity/selector"


def reason(spec: dict[str, Any]) -> str | None:
    return why_not(parse_scheduling(spec), NODE, NODE.allocatable)


def with_terms(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return pod_spec(affinity={"nodeAffinity": required})


def expression(operator: str, *values: str, key: str = "tier") -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("term", "fits"),
    [
        (expression("In", "batch", "other"), True),
        (expression("In", "other"), False),
        (expression("NotIn", "other"), True),
        (expression("NotIn", "batch"), False),
        (expression("NotIn", "x", key="absent"), True),
        (expression("Exists"), True),
        (expression("Exists", key="absent"), False),
        (expression("DoesNotExist", key="absent"), True),
        (expression("DoesNotExist"), False),
        (expression("Gt", "7", key="size"), True),
        (expression("Gt", "8", key="size"), False),
        (expression("Lt", "9", key="size"), True),
        (expression("Lt", "9", key="tier"), False),
        ({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [NODE.name]}]}, True),
        ({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["other"]}]}, False),
        ({}, False),
    ],
)
def test_each_operator_of_a_required_term(term: dict[str, Any], *, fits: bool) -> None:
    assert reason(with_terms(term)) == (None if fits else AFFINITY)


def test_terms_are_alternatives() -> None:
    assert reason(with_terms(expression("In", "other"), expression("In", "batch"))) is None


def test_expressions_of_one_term_must_all_hold() -> None:
    both = (
        expression("In", "batch")["matchExpressions"] + expression("In", "9", key="size")["matchExpressions"]
    )
    assert reason(with_terms({"matchExpressions": both})) == AFFINITY


def test_an_unknown_operator_is_an_error() -> None:
    with pytest.raises(ValueError, match="'Near'"):
        reason(with_terms(expression("Near", "batch")))


def test_preferred_affinity_is_ignored() -> None:
    preference = {"weight": 100, "preference": expression("In", "other")}
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preference]}}
    assert reason(pod_spec(affinity=affinity)) is None


def test_the_node_selector_must_match_in_full() -> None:
    assert reason(pod_spec(selector={"tier": "batch"})) is None
    assert reason(pod_spec(selector={"tier": "batch", "zone": "1"})) == AFFINITY


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"key": "dedicated", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "dedicated", "value": "batch"}, True),
        ({"key": "dedicated", "value": "batch", "effect": "NoSchedule"}, True),
        ({"key": "dedicated", "value": "batch", "effect": "NoExecute"}, False),
        ({"key": "dedicated", "value": "other"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_tolerations(toleration: dict[str, str], *, fits: bool) -> None:
    node = a_node(a_pool(nodeTaints=["dedicated=batch:NoSchedule"]))
    scheduling = parse_scheduling(pod_spec(tolerations=[toleration]))
    expected = None if fits else "node(s) had untolerated taint(s)"
    assert why_not(scheduling, node, node.allocatable) == expected


def test_prefer_no_schedule_keeps_nobody_out() -> None:
    node = a_node(a_pool(nodeTaints=["dedicated=batch:PreferNoSchedule"]))
    assert why_not(parse_scheduling(pod_spec()), node, node.allocatable) is None


def test_requests_must_fit_into_what_is_free() -> None:
    assert reason(pod_spec(cpu="7820m")) is None
    assert reason(pod_spec(cpu="7821m")) == "Insufficient cpu"
    assert reason(pod_spec(gpu=1)) == "Insufficient nvidia.com/gpu"


def test_init_containers_count_by_their_peak_and_sidecars_beside_the_others() -> None:
    def container(cpu: str, **more: str) -> dict[str, Any]:
        return {"resources": {"requests": {"cpu": cpu}}, **more}

    spec = {
        "initContainers": [container("500m", restartPolicy="Always"), container("3")],
        "containers": [container("1"), container("1")],
        "overhead": {"cpu": "100m"},
    }
    assert dict(parse_scheduling(spec).requests)["cpu"] == 3600


def test_nothing_fits_on_a_node_without_allocatable() -> None:
    """Whoever applies a Node by hand may leave its status out."""
    bare = parse_node({"metadata": {"name": "bare"}, "spec": {}, "status": {}})
    assert why_not(parse_scheduling(pod_spec()), bare, bare.allocatable) is not None
