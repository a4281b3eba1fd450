"""The pool contract, which describes the pools to tools in the cluster, and the right to read it."""

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import PolicyRuleArgs, Role, RoleBinding, RoleRefArgs, SubjectArgs

from .labels import labels

CONTRACT = "agent-pools"
"""Name of the ConfigMap."""
ARGO_RETRIES = "argoRetries"
"""Key of what the program has set in Argo's ConfigMap, which a profile's users may not read."""
PIPELINES = "pipelines"
"""Key of the backend that pipelines are placed for."""
_READER = f"{CONTRACT}-reader"


def pool_contract(
    name: str,
    namespace: pulumi.Input[str],
    contract: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
    *,
    argo_retries: bool = False,
    pipelines: str = "",
) -> ConfigMap:
    """The ConfigMap with the pools as JSON, and the backend of Kubeflow Pipelines where it is given.

    With `argo_retries` it also says that the program has set Argo's retry policy. It says nothing without: others may
    have set it. What they change afterwards in Argo's ConfigMap it does not know; `./kubeflow-aks verify` does.
    """
    return ConfigMap(
        f"{name}-{CONTRACT}",
        metadata=ObjectMetaArgs(name=CONTRACT, namespace=namespace, labels=labels("pool-contract")),
        data={"pools.json": contract}
        | ({PIPELINES: pipelines} if pipelines else {})
        | ({ARGO_RETRIES: "true"} if argo_retries else {}),
        opts=opts,
    )


def contract_readers(
    name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Lets whoever is signed in read that one ConfigMap: a profile's notebooks have no right outside their namespace.

    It holds nothing that the nodes' labels and taints do not show.
    """
    role = Role(
        f"{name}-{_READER}",
        metadata=ObjectMetaArgs(name=_READER, namespace=namespace, labels=labels("pool-contract")),
        rules=[
            PolicyRuleArgs(
                api_groups=[""], resources=["configmaps"], resource_names=[CONTRACT], verbs=["get"]
            )
        ],
        opts=opts,
    )
    binding = RoleBinding(
        f"{name}-{_READER}-binding",
        metadata=ObjectMetaArgs(name=_READER, namespace=namespace, labels=labels("pool-contract")),
        role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="Role", name=_READER),
        subjects=[
            SubjectArgs(api_group="rbac.authorization.k8s.io", kind="Group", name="system:authenticated")
        ],
        opts=opts,
    )
    return [role, binding]
