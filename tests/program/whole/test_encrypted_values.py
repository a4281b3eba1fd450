"""The program with values that a preview cannot decrypt: nothing is refused for what stands in their place."""

from kubeflow_aks.recorder.run import record
from program.settings._model import ENCRYPTED
from tests.program.whole.records import AS_OF, CLUSTER, POOL

_GROUP = "11111111-2222-3333-4444-555555555555"


def test_encrypted_values_and_the_defaults_in_their_place_are_not_judged() -> None:
    spot = {"vmSizes": ["Standard_D8ds_v5", ENCRYPTED], "priority": "Spot", "maxCount": 2}
    pools = {
        "general": {"vmSize": "Standard_D16s_v5", "minCount": 2, "maxCount": 3},
        "cpuspot": {**spot, "fallback": {"vmSize": "Standard_D8s_v5", "maxCount": 2}},
        "hidden": {"vmSize": "Standard_D8ds_v5", "priority": ENCRYPTED, "maxCount": 2, "maxPrice": 0.5},
        "tainted": {
            "vmSize": "Standard_D8ds_v5",
            "maxCount": 2,
            "taints": [ENCRYPTED],
            "labels": {"a": ENCRYPTED},
        },
    }
    values = {
        "asOf": AS_OF,
        "kubernetes": {"tier": "Standard", "supportPlan": ENCRYPTED},
        "network": {"vnetCidr": "10.1.0.0/16", "subnets": ENCRYPTED, "podCidr": ENCRYPTED},
        "apiAccess": {
            "localAccounts": False,
            "adminGroupObjectIds": [ENCRYPTED, _GROUP],
            "authorizedIpRanges": [ENCRYPTED, "8.8.8.8"],
        },
        "registry": {"sku": ENCRYPTED, "retentionDays": 30},
        "kubeflow": {"storageClass": {"name": "checkpoints"}},
        "data": {"checkpoints": {"name": ENCRYPTED}},
        "pools": pools,
        "workload": {},
    }
    recording = record("prod", extra=values)
    cluster = recording.one(CLUSTER).inputs
    assert cluster["aadProfile"]["adminGroupObjectIDs"] == [ENCRYPTED, _GROUP]
    assert cluster["apiServerAccessProfile"]["authorizedIPRanges"][1] == "8.8.8.8/32"
    tainted = next(pool.inputs for pool in recording.of(POOL) if pool.inputs["agentPoolName"] == "tainted")
    assert (tainted["nodeTaints"], tainted["nodeLabels"]["a"]) == ([ENCRYPTED], ENCRYPTED)
