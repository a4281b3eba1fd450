"""A training job as objects of the training operator's SDK, and placed; what its client makes of the placed job."""
# pyright: reportAttributeAccessIssue=false, reportPrivateImportUsage=false, reportUnknownParameterType=false
# pyright: reportUnknownLambdaType=false, reportArgumentType=false, reportInvalidTypeForm=false

import json
import sys
from contextlib import suppress

from kubeflow import training
from kubernetes import client, config

from ckf_spot import Pools
from ckf_spot.kinds.serialise import plain

LONG_NAMES = hasattr(training, "KubeflowOrgV1ReplicaSpec")  # from 1.7 on
ReplicaSpec = training.KubeflowOrgV1ReplicaSpec if LONG_NAMES else training.V1ReplicaSpec
RunPolicy = training.KubeflowOrgV1RunPolicy if LONG_NAMES else training.V1RunPolicy


def replicas(count: int) -> ReplicaSpec:
    container = client.V1Container(name="pytorch", image="i", env=[client.V1EnvVar(name="a_b", value="c")])
    template = client.V1PodTemplateSpec(spec=client.V1PodSpec(containers=[container]))
    return ReplicaSpec(replicas=count, restart_policy="OnFailure", template=template)


job = training.KubeflowOrgV1PyTorchJob(
    api_version="kubeflow.org/v1",
    kind="PyTorchJob",
    metadata=client.V1ObjectMeta(name="train"),
    spec=training.KubeflowOrgV1PyTorchJobSpec(
        run_policy=RunPolicy(clean_pod_policy="None"),
        pytorch_replica_specs={"Master": replicas(1), "Worker": replicas(2)},
    ),
)
placed = Pools.sample()["cpu"].place(job)
sent: list[object] = []
config.load_kube_config = lambda *_, **__: None
client.CustomObjectsApi.create_namespaced_custom_object = lambda *arguments: sent.append(arguments[-1])
with suppress(AttributeError, TypeError):  # it takes no map, and says so
    training.TrainingClient().create_job(placed)
json.dump({"plain": plain(job), "placed": placed, "sent": sent}, sys.stdout)
