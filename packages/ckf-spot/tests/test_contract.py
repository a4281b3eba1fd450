"""The pools as the cluster's program tells them, and every way in which the text can be wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from ckf_spot import ContractError, contract, sources
from ckf_spot.agent_pool import AgentPool, Taint

DEMO = sources.SAMPLE.read_text(encoding="utf-8")


def entries() -> list[dict[str, Any]]:
    """The demo's pools, to be spoilt."""
    return json.loads(DEMO)


def messages(text: str) -> list[str]:
    """The mistakes in a contract, a line each."""
    with pytest.raises(ContractError) as error:
        contract.parse(text, "pools.json")
    return str(error.value).splitlines()


def test_a_pool_is_read_with_all_it_has() -> None:
    gpu = contract.parse(DEMO, "pools.json")[3]
    assert gpu == AgentPool(
        name="gpuspot",
        role="gpu",
        spot=True,
        vm_size="Standard_NC4as_T4_v3",
        gpus=1,
        max_count=4,
        labels={"kubeflow-aks/workload": "gpu", "kubernetes.azure.com/scalesetpriority": "spot"},
        taints=(
            Taint("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule"),
            Taint("nvidia.com/gpu", "present", "NoSchedule"),
        ),
        fallback="gpuod",
        pool="gpuspot",
        region="westeurope",
        zones=(),
        architecture="amd64",
        gpu_model="NVIDIA T4",
        allocatable={"cpu": "3860m", "memory": "26322Mi"},
    )


def test_a_contract_from_before_sizes_were_described_is_read() -> None:
    later = {"region", "zones", "architecture", "gpuModel", "allocatable"}
    older = [{key: value for key, value in pool.items() if key not in later} for pool in entries()]
    unsaid = [pool | dict.fromkeys(later) for pool in entries()]
    pool = contract.parse(json.dumps(older), "pools.json")[3]
    assert pool == contract.parse(json.dumps(unsaid), "pools.json")[3]
    assert (pool.region, pool.zones, pool.architecture, pool.gpu_model, pool.allocatable) == (
        "",
        None,
        "",
        "",
        {},
    )


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("region", 5, "a region"),
        ("zones", "1", "a list of zones"),
        ("architecture", "", "an architecture"),
        ("gpuModel", 4, "a GPU's model"),
        ("allocatable", {"cpu": 4}, "a map of quantities"),
        ("allocatable", {"cpu": "four"}, "a map of quantities"),
    ],
)
def test_what_a_contract_may_leave_out_is_right_where_it_is_there(
    key: str, value: object, allowed: str
) -> None:
    pools = entries()
    pools[0][key] = value
    assert messages(json.dumps(pools)) == [
        f"pools.json: pools[general].{key}: {value!r} is not allowed; expected {allowed}, or null"
    ]


@pytest.mark.parametrize(
    "text",
    [
        DEMO,
        yaml.safe_dump(entries()),
        json.dumps({"poolContract": entries(), "clusterName": "demo"}),
        json.dumps({"poolContract": {"poolContract": entries()}}),
        yaml.safe_dump({"kind": "ConfigMap", "data": {"pools.json": DEMO}}),
    ],
    ids=["list", "yaml", "all outputs", "output in output", "ConfigMap"],
)
def test_every_form_of_the_contract_gives_the_same_pools(text: str) -> None:
    assert contract.parse(text, "pools.json") == contract.parse(DEMO, "pools.json")


@pytest.mark.parametrize(
    "text", ["", "{}", '"pools"', "5", '{"data": {"other": "[]"}}', '{"poolContract": 5}']
)
def test_a_text_without_pools_tells_where_they_should_be(text: str) -> None:
    assert messages(text) == [
        (
            "pools.json: a list of pools is missing; expected the stack output 'poolContract', "
            "all outputs as JSON, or the ConfigMap with the key 'pools.json'"
        )
    ]


@pytest.mark.parametrize("pools", [5, None, ["cpu"], {"a": 1}])
def test_pools_that_are_no_text_in_a_config_map(pools: object) -> None:
    (line,) = messages(json.dumps({"data": {"pools.json": pools}}))
    assert line.startswith("pools.json: data.pools.json: ")
    assert line.endswith(" is not allowed; expected the list of pools as a text")


@pytest.mark.parametrize("pools", ["5", "{}", ""])
def test_no_pools_in_a_config_map(pools: str) -> None:
    (line,) = messages(json.dumps({"data": {"pools.json": pools}}))
    assert line.startswith("pools.json: data.pools.json: a list of pools is missing; expected ")


def test_a_text_that_is_neither_json_nor_yaml_tells_the_line() -> None:
    (line,) = messages("[\n{'name': ]")
    assert line.startswith("pools.json, line 2: malformed YAML: ")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000,
        '{"poolContract":' * 10_000,
        "{" * 10_000,
        "- " * 10_000,
        "{a: b}: c",
        "9" * 5_000,
        '{"a": ' + "9" * 5_000 + "}",
        "? [a]\n: b",
    ],
)
def test_what_yaml_allows_and_nobody_can_mean_is_one_line(text: str) -> None:
    assert len(messages(text)) == 1


def test_an_empty_list_is_no_contract() -> None:
    assert messages("[]") == ["pools.json: there is no pool in it"]


def test_something_else_in_the_list() -> None:
    assert messages('["cpu"]') == [
        "pools.json: pools[0]: 'cpu' is no pool; expected a name, a role, labels and taints"
    ]


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("name", "", "a name"),
        ("name", "a\nb", "a name"),
        ("role", "tpu", "general, cpu, gpu"),
        ("priority", "Low", "Regular, Spot"),
        ("vmSize", "", "a VM size"),
        ("gpus", -1, "a whole number from 0"),
        ("gpus", True, "a whole number from 0"),
        ("maxCount", "3", "a whole number from 0"),
        ("taints", ["spot"], "a list of key=value:Effect"),
        ("fallback", 3, "a pool's name, or null"),
    ],
)
def test_a_value_that_is_not_allowed(key: str, value: object, allowed: str) -> None:
    pools = entries()
    pools[0][key] = value
    assert messages(json.dumps(pools)) == [
        f"pools.json: pools[{0 if key == 'name' else 'general'}].{key}: {value!r} is not allowed; expected {allowed}"
    ]


@pytest.mark.parametrize(
    "key", ["name", "role", "priority", "vmSize", "gpus", "maxCount", "taints", "fallback"]
)
def test_a_key_that_is_missing(key: str) -> None:
    pools = entries()
    del pools[0][key]
    assert any(f".{key} is missing; expected " in line for line in messages(json.dumps(pools)))


def test_a_fallback_that_is_no_pool() -> None:
    pools = entries()
    pools[1]["fallback"] = "cpu0d"
    assert messages(json.dumps(pools)) == [
        ("pools.json: pools[cpuspot].fallback: 'cpu0d' is not allowed; expected general, cpuod, gpuod")
    ]


def test_a_fallback_that_azure_may_take_too() -> None:
    pools = entries()
    pools[1]["fallback"] = "gpuspot"
    assert messages(json.dumps(pools)) == [
        "pools.json: pools[cpuspot].fallback: 'gpuspot' is not allowed; expected general, cpuod, gpuod"
    ]


def test_a_name_that_two_pools_have() -> None:
    pools = entries()
    pools[4] = pools[2]
    pools[3]["fallback"] = None
    problem = "'cpuod' is given twice; expected another name for each pool"
    assert messages(json.dumps(pools)) == [f"pools.json: pools[{index}].name: {problem}" for index in (2, 4)]


def test_labels_without_the_workload() -> None:
    pools = entries()
    pools[0]["labels"] = {}
    assert messages(json.dumps(pools)) == [
        "pools.json: pools[general].labels.kubeflow-aks/workload is missing; expected the workload's name"
    ]


def test_a_spot_label_that_contradicts_the_priority() -> None:
    pools = entries()
    pools[1] |= {"priority": "Regular", "fallback": None}
    assert messages(json.dumps(pools)) == [
        (
            "pools.json: pools[cpuspot].labels.kubernetes.azure.com/scalesetpriority: 'spot' contradicts priority "
            "'Regular'; expected 'spot' on spot pools, left out on others"
        )
    ]


def test_every_mistake_is_reported_at_once() -> None:
    pools = entries()
    pools[0]["role"] = "tpu"
    pools[1]["fallback"] = "none"
    del pools[2]["gpus"]
    assert len(messages(json.dumps(pools))) == 3


@pytest.mark.parametrize("text", ["", "key", "key=value", "=value:NoSchedule", "key=value:"])
def test_a_taint_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text}$"):
        Taint.parse(text)


def test_a_taint_may_have_no_value() -> None:
    assert Taint.parse("dedicated:NoExecute") == Taint("dedicated", "", "NoExecute")
