"""What moves work from fallbacks back to spot: one pod beside Charmed Kubeflow, and a namespace for its tries.

docs/decisions/0019-work-returns-to-spot-behind-a-placeholder.md says how it knows that spot has room.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.rbac.v1 import Role, RoleBinding, RoleRefArgs, SubjectArgs

from ..arguments.declaration import TextsByName
from ..arguments.inputs import when_known
from .images import PAUSE
from .isolation import no_traffic
from .labels import labels
from .return_script import RIGHTS, RIGHTS_OVER_PLACEHOLDERS
from .script_pod import ScriptPod, policy_rules, script_pod

_APP: Final = "return-to-spot"


def return_to_spot(
    name: str,
    namespace: pulumi.Input[str],
    node_labels: TextsByName,
    prices: pulumi.Input[Mapping[str, pulumi.Input[float]]],
    opts: pulumi.ResourceOptions,
    *,
    isolated: bool,
) -> list[pulumi.Resource]:
    """The pod, its script, its rights, and the namespace of the placeholders.

    Args:
        name: what the resources' names start with.
        namespace: where the pod stands; the placeholders' is named after it.
        node_labels: see `script_pod`.
        prices: USD an hour of a node, by pool.
        opts: options of the resources.
        isolated: see `script_pod`.
    """
    tries = Namespace(
        f"{name}-{_APP}-namespace",
        metadata={
            "name": pulumi.Output.concat(namespace, "-", _APP),
            "labels": labels(_APP) | {"pod-security.kubernetes.io/enforce": "restricted"},
        },
        opts=opts,
    )
    there = pulumi.Output.all(tries.metadata.name, namespace).apply(
        lambda names: names[0] or f"{names[1]}-{_APP}"
    )
    role = Role(
        f"{name}-{_APP}-inside",
        metadata={"name": _APP, "namespace": there, "labels": labels(_APP)},
        rules=policy_rules(RIGHTS_OVER_PLACEHOLDERS),
        opts=opts,
    )
    binding = RoleBinding(
        f"{name}-{_APP}-inside-binding",
        metadata={"name": _APP, "namespace": there, "labels": labels(_APP)},
        role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="Role", name=_APP),
        subjects=[SubjectArgs(kind="ServiceAccount", name=_APP, namespace=namespace)],
        opts=opts,
    )
    made: list[pulumi.Resource] = [tries, role, binding]
    if isolated:
        made.append(no_traffic(f"{name}-{_APP}", there, opts))
    pod = ScriptPod(
        app=_APP,
        scripts=("return_script.py", "return_memory.py"),
        rights=RIGHTS,
        settings={
            "NAMESPACE": namespace,
            "PLACEHOLDERS": there,
            "IMAGE": PAUSE,
            "PRICES": when_known(partial(json.dumps, sort_keys=True), prices),
        },
    )
    return [*made, *script_pod(name, namespace, node_labels, opts, pod, isolated=isolated)]
