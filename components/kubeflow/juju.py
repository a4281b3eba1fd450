"""How Juju signs in: a service account with a token that does not expire."""

import base64

import pulumi
from pulumi_kubernetes.core.v1 import Secret, ServiceAccount
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import ClusterRoleBinding, RoleRefArgs, SubjectArgs

from .labels import labels

ACCOUNT = "juju"
_BINDING = "kubeflow-aks-juju"


def juju_access(
    name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> tuple[pulumi.Output[str], list[pulumi.Resource]]:
    """The account, its rights and its token.

    Juju's snap cannot run kubelogin (bugs.launchpad.net/juju/+bug/2007575), and its charms create cluster-wide objects,
    hence a token and cluster-admin.

    Returns:
        The token, secret; and the objects made.
    """
    account = ServiceAccount(
        f"{name}-juju",
        metadata=ObjectMetaArgs(name=ACCOUNT, namespace=namespace, labels=labels("juju-access")),
        opts=opts,
    )
    binding = ClusterRoleBinding(
        f"{name}-juju-admin",
        metadata=ObjectMetaArgs(name=_BINDING, labels=labels("juju-access")),
        role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name="cluster-admin"),
        subjects=[SubjectArgs(kind="ServiceAccount", name=ACCOUNT, namespace=namespace)],
        opts=opts,
    )
    secret = Secret(
        f"{name}-juju-token",
        metadata=ObjectMetaArgs(
            name=f"{ACCOUNT}-token",
            namespace=namespace,
            labels=labels("juju-access"),
            annotations={"kubernetes.io/service-account.name": ACCOUNT},
        ),
        type="kubernetes.io/service-account-token",
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(depends_on=[account], additional_secret_outputs=["data"])
        ),
    )
    token = pulumi.Output.secret(secret.data.apply(lambda data: base64.b64decode(data["token"]).decode()))
    return token, [account, binding, secret]
