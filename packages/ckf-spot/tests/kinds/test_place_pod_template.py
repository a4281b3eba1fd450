"""Pods that are templates, and Kubernetes' own PodTemplate."""

import pytest
from samples import GPU, POOL, Json, container, example, job, place, pod_of

from ckf_spot import PlacementError, Pools

BARE: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "spec": {"tolerations": [{"key": "team", "operator": "Exists"}]},
}


def test_a_pod_is_refused_unless_it_is_called_a_template(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"say --pod-template, in Python pod_template=True"):
        pools["cpu"].place(example("executor"))
    placed = pools["cpu"].place(example("executor"), pod_template=True)
    assert placed["spec"]["affinity"] == pod_of(place(job(), pools["cpu"]))["affinity"]
    assert placed["spec"]["containers"] == example("executor")["spec"]["containers"]
    assert placed["spec"]["volumes"] == example("executor")["spec"]["volumes"]


def test_spark_needs_no_containers_in_it(pools: Pools) -> None:
    spec = place(BARE, pools["gpu"], pod_template=True)["spec"]
    assert "containers" not in spec
    assert {"team", GPU} < {toleration["key"] for toleration in spec["tolerations"]}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"nodeSelector": {POOL: "general"}}, "spec.nodeSelector: kubernetes.azure.com/agentpool: 'general' contra"),
        ({"containers": [container(gpus=1)]}, "spec.containers: 'main' asks for nvidia.com/gpu: 1, and a node of cpu"),
        ({"afinity": {}}, "spec.afinity: unknown field; did you mean 'affinity'?"),
        ({"affinity": 1}, "spec.affinity: 1 is not allowed; expected a map"),
        (1, "spec: 1 is not allowed; expected a map"),
        (None, "spec is missing"),
    ],
)  # fmt: skip
def test_error_names_the_field(pools: Pools, spec: object, message: str) -> None:
    with pytest.raises(PlacementError) as error:
        place({**BARE, "spec": spec}, pools["cpu"], pod_template=True)
    assert str(error.value).startswith(message)


def test_a_pod_template_of_kubernetes_is_placed(pools: Pools) -> None:
    template = job()["spec"]["template"]
    document = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "t"}, "template": template}
    placed = place(document, pools["cpu"])["template"]
    assert placed["spec"]["tolerations"]
    with pytest.raises(PlacementError, match="template is missing"):
        place({**document, "template": None}, pools["cpu"])


def test_placing_twice_is_placing_once(pools: Pools) -> None:
    once = place(BARE, pools["cpu"], pod_template=True)
    assert place(once, pools["cpu"], pod_template=True) == once
