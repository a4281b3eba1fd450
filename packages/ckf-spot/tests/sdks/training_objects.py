"""A training job as objects of the training operator's SDK; run where its release 1.6 is installed."""
# pyright: reportAttributeAccessIssue=false, reportPrivateImportUsage=false, reportUnknownParameterType=false

import json
import sys

from kubeflow.training import KubeflowOrgV1PyTorchJob, KubeflowOrgV1PyTorchJobSpec, V1ReplicaSpec, V1RunPolicy
from kubernetes import client

from ckf_spot import Pools
from ckf_spot.kinds.serialise import plain


def replicas(count: int) -> V1ReplicaSpec:
    container = client.V1Container(name="pytorch", image="i", env=[client.V1EnvVar(name="a_b", value="c")])
    template = client.V1PodTemplateSpec(spec=client.V1PodSpec(containers=[container]))
    return V1ReplicaSpec(replicas=count, restart_policy="OnFailure", template=template)


job = KubeflowOrgV1PyTorchJob(
    api_version="kubeflow.org/v1",
    kind="PyTorchJob",
    metadata=client.V1ObjectMeta(name="train"),
    spec=KubeflowOrgV1PyTorchJobSpec(
        run_policy=V1RunPolicy(clean_pod_policy="None"),
        pytorch_replica_specs={"Master": replicas(1), "Worker": replicas(2)},
    ),
)
json.dump({"plain": plain(job), "placed": Pools.sample()["cpu"].place(job)}, sys.stdout)
