"""Spot nodes that are kept warm: a placeholder holds each, until work of a higher priority pushes it aside.

docs/decisions/0021-placeholders-keep-spot-nodes-warm.md says why it is no least number of nodes, and no DaemonSet.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment, DeploymentSpecArgsDict
from pulumi_kubernetes.batch.v1 import CronJob
from pulumi_kubernetes.core.v1 import (
    ContainerArgsDict,
    Namespace,
    NodeSelectorRequirementArgsDict,
    TolerationArgsDict,
)
from pulumi_kubernetes.rbac.v1 import PolicyRuleArgs, Role, RoleBinding, RoleRefArgs, SubjectArgs

from ..arguments.checked import whole
from ..arguments.declaration import TextsByName
from ..arguments.inputs import merged
from ..pools.conventions import GPU_KEY
from .images import PAUSE, PYTHON, version
from .isolation import no_traffic
from .labels import labels, selector
from .pods import CONFINED_TO_PAUSE, RUNTIME_SECCOMP, unawaited
from .prerequisites_args import HeadroomSpec
from .scheduling import HEADROOM_CLASS
from .script_pod import script_container, script_objects, script_volume, to_api_server

_APP: Final = "headroom"
_SCRIPT: Final = "headroom_script.py"
_DAEMONS_MILLICORES: Final = 750
"""What a placeholder leaves of a node's CPU for DaemonSets: our choice, more than those of AKS request."""
_POOL: Final = "kubernetes.azure.com/agentpool"


class _Turn(NamedTuple):
    """A time of day at which a pool has another number of placeholders."""

    name: str
    time: str
    replicas: int


def headroom(  # noqa: PLR0917 - as its siblings are called
    name: str,
    namespace: pulumi.Input[str],
    pools: pulumi.Output[Sequence[Mapping[str, Any]]],
    specs: Sequence[HeadroomSpec],
    node_labels: TextsByName,
    opts: pulumi.ResourceOptions,
    *,
    isolated: bool,
) -> list[pulumi.Resource]:
    """A Deployment of placeholders for each pool, in a namespace of their own, and what scales it at its hours.

    Args:
        name: what the resources' names start with.
        namespace: of our objects; the placeholders' is named after it.
        pools: the pool contract.
        specs: one for each pool.
        node_labels: of the nodes that host Charmed Kubeflow, where the scaling runs.
        opts: options of the resources.
        isolated: see `script_pod`.
    """
    there = pulumi.Output.concat(namespace, "-", _APP)
    made: list[pulumi.Resource] = [
        Namespace(
            f"{name}-{_APP}-namespace",
            metadata={
                "name": there,
                "labels": labels(_APP) | {"pod-security.kubernetes.io/enforce": "restricted"},
            },
            opts=opts,
        )
    ]
    inside = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(made)))
    if isolated:
        made.append(no_traffic(f"{name}-{_APP}", there, inside))
    made += [_placeholders(name, there, pools, spec, inside) for spec in specs]
    timed = [(spec, whole(hours)) for spec in specs if (hours := spec.get("hours"))]
    if timed:
        made += _scaling_rights(name, there, [spec["pool"] for spec, _ in timed], inside, isolated=isolated)
    made += [
        _scaling(name, there, spec["pool"], turn, hours, node_labels, inside)
        for spec, hours in timed
        for turn in (_Turn("open", hours["opens"], whole(spec)["nodes"]), _Turn("close", hours["closes"], 0))
    ]
    return made


def _placeholders(
    name: str,
    namespace: pulumi.Input[str],
    pools: pulumi.Output[Sequence[Mapping[str, Any]]],
    spec: HeadroomSpec,
    opts: pulumi.ResourceOptions,
) -> Deployment:
    """Pods that hold a node each. Their number is left to the hours where there are some; until then it is one."""
    pool, app = spec["pool"], f"{_APP}-{spec['pool']}"
    worn = labels(_APP, app=app, version=version(PAUSE))
    sizes = pools.apply(partial(_of_pool, pool))
    images: list[ContainerArgsDict] = [
        {
            "name": f"pull-{number}",
            "image": image,
            "command": ["/bin/sh", "-c", "exit 0"],
            "security_context": CONFINED_TO_PAUSE,
            "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}, "limits": {"memory": "64Mi"}},
        }
        for number, image in enumerate(spec.get("images", ()))
    ]
    on_pool: NodeSelectorRequirementArgsDict = {
        "key": _POOL,
        "operator": "In",
        "values": sizes.apply(_names),
    }
    of_pool: DeploymentSpecArgsDict = {
        "selector": {"match_labels": selector(app)},
        "strategy": {"type": "Recreate"},  # one more beside those there are would need a node more
        "template": {
            "metadata": {"labels": worn},
            "spec": {
                "automount_service_account_token": False,
                "priority_class_name": HEADROOM_CLASS,
                "termination_grace_period_seconds": 0,
                "security_context": RUNTIME_SECCOMP,
                "affinity": {
                    "node_affinity": {
                        "required_during_scheduling_ignored_during_execution": {
                            "node_selector_terms": [{"match_expressions": [on_pool]}]
                        }
                    }
                },
                "tolerations": sizes.apply(_tolerations),
                "init_containers": images,
                "containers": [
                    {
                        "name": "placeholder",
                        "image": PAUSE,
                        "security_context": CONFINED_TO_PAUSE,
                        "resources": {"requests": sizes.apply(_requests), "limits": sizes.apply(_limits)},
                    }
                ],
            },
        },
    }
    if not spec.get("hours"):
        of_pool["replicas"] = whole(spec)["nodes"]
    return Deployment(
        f"{name}-{app}",
        # Spot may be sold out, so `up` waits for none of them.
        metadata=unawaited(app, namespace, worn),
        spec=of_pool,
        opts=opts,
    )


def _of_pool(name: str, pools: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The agent pools of a pool."""
    return [pool for pool in pools if (pool.get("pool") or pool["name"]) == name]


def _names(sizes: Sequence[Mapping[str, Any]]) -> list[str]:
    return [pool["name"] for pool in sizes]


def _tolerations(sizes: Sequence[Mapping[str, Any]]) -> list[TolerationArgsDict]:
    """Those of the pool's own taints, and so none of its fallback's."""
    tolerations: list[TolerationArgsDict] = []
    for taint in dict.fromkeys(taint for pool in sizes for taint in pool["taints"]):
        text, _, effect = taint.rpartition(":")
        key, _, value = text.partition("=")
        tolerations.append({"key": key, "operator": "Equal", "value": value, "effect": effect})
    return tolerations


def _requests(sizes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """All GPUs of a node, else nearly all of its CPU: of the smallest size, as it has to fit on each."""
    if gpus := _gpus(sizes):
        return {"memory": "8Mi", "cpu": "1m", **gpus}
    return {"memory": "8Mi", "cpu": f"{min(map(_millicores, sizes)) - _DAEMONS_MILLICORES}m"}


def _limits(sizes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {"memory": "16Mi", **_gpus(sizes)}


def _gpus(sizes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    gpus = min(int(pool["gpus"]) for pool in sizes)
    return {GPU_KEY: str(gpus)} if gpus else {}


def _millicores(pool: Mapping[str, Any]) -> int:
    cpu = str(pool["allocatable"]["cpu"])
    return int(cpu.removesuffix("m")) if cpu.endswith("m") else int(1000 * float(cpu))


def _cron(time: str, days: Sequence[str]) -> str:
    """The schedule of a time of day ("CronJob", "Schedule syntax")."""
    hour, minute = map(int, time.split(":"))
    return f"{minute} {hour} * * {','.join(day[:3].lower() for day in days)}"


def _scaling_rights(
    name: str,
    namespace: pulumi.Input[str],
    pools: Sequence[str],
    opts: pulumi.ResourceOptions,
    *,
    isolated: bool,
) -> list[pulumi.Resource]:
    """The script that scales, and its right to scale these Deployments and no other."""
    role = Role(
        f"{name}-{_APP}-role",
        metadata={"name": _APP, "namespace": namespace, "labels": labels(_APP)},
        rules=[
            PolicyRuleArgs(
                api_groups=["apps"],
                resources=["deployments/scale"],
                resource_names=[f"{_APP}-{pool}" for pool in pools],
                verbs=["patch"],
            )
        ],
        opts=opts,
    )
    made: list[pulumi.Resource] = [
        role,
        RoleBinding(
            f"{name}-{_APP}-binding",
            metadata={"name": _APP, "namespace": namespace, "labels": labels(_APP)},
            role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="Role", name=_APP),
            subjects=[SubjectArgs(kind="ServiceAccount", name=_APP, namespace=namespace)],
            opts=opts,
        ),
        *script_objects(name, _APP, namespace, [_SCRIPT], opts),
    ]
    return [*made, to_api_server(name, _APP, namespace, opts)] if isolated else made


def _scaling(  # noqa: PLR0917 - as it is called above
    name: str,
    namespace: pulumi.Input[str],
    pool: str,
    turn: _Turn,
    hours: Mapping[str, Any],
    node_labels: TextsByName,
    opts: pulumi.ResourceOptions,
) -> CronJob:
    """Sets the number of a pool's placeholders at one of the two times; a time that was missed is made up for."""
    app = f"{_APP}-{pool}-{turn.name}"
    settings = {"NAMESPACE": namespace, "DEPLOYMENT": f"{_APP}-{pool}", "REPLICAS": str(turn.replicas)}
    worn = labels(_APP, app=_APP, version=version(PYTHON))
    return CronJob(
        f"{name}-{app}",
        metadata={"name": app, "namespace": namespace, "labels": worn},
        spec={
            "schedule": _cron(turn.time, hours["days"]),
            "time_zone": hours["time_zone"],
            "concurrency_policy": "Replace",
            "successful_jobs_history_limit": 1,
            "failed_jobs_history_limit": 1,
            "job_template": {
                "spec": {
                    "template": {
                        "metadata": {"labels": worn},
                        "spec": {
                            "restart_policy": "OnFailure",
                            "service_account_name": _APP,
                            "automount_service_account_token": True,
                            "node_selector": merged({"kubernetes.io/os": "linux"}, node_labels),
                            "security_context": RUNTIME_SECCOMP,
                            "containers": [script_container(_APP, _SCRIPT, settings)],
                            "volumes": [script_volume(_APP)],
                        },
                    },
                }
            },
        },
        opts=opts,
    )
