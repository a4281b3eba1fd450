"""The component that puts the prerequisites together."""

from typing import NotRequired, TypedDict

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.kubeflow.admission import spot_guard
from components.kubeflow.argo_retries import argo_retries
from components.kubeflow.contract import contract_readers, pool_contract
from components.kubeflow.device_plugin import device_plugin
from components.kubeflow.inotify import InotifyArgs, inotify_limits
from components.kubeflow.juju import juju_access
from components.kubeflow.scheduling import priority_classes, priority_expander
from components.kubeflow.storage import StorageClassArgs, storage_class


class KubeflowPrerequisitesArgs(TypedDict):
    """Arguments of `KubeflowPrerequisites`."""

    namespace: str
    """Namespace of everything of ours; never one that Juju creates."""
    priorities: str
    """The autoscaler's priority map."""
    pool_contract: str
    """The pools as JSON, for tools in the cluster."""
    storage_class: StorageClassArgs
    """Storage for Juju and the charms."""
    general_labels: dict[str, str]
    """Labels of the nodes that host Charmed Kubeflow."""
    inotify: NotRequired[InotifyArgs | None]
    """Kernel limits on those nodes; left out: as AKS has them."""
    device_plugin: bool
    """Whether to run NVIDIA's device plugin."""
    spot_taint_key: str
    """Key of the taint of spot nodes."""
    guards: bool
    """Whether to keep platform and notebook pods off spot nodes."""
    argo_retries: bool
    """Whether to let Argo retry steps whose pods vanished; Charmed Kubeflow must be there."""
    protect: bool
    """Whether a destroy of the stack must stop before it deletes anything."""


class KubeflowPrerequisites(pulumi.ComponentResource):
    """The prerequisites of Charmed Kubeflow in one cluster.

    Pass the cluster's provider, the cluster as `deleted_with`, and everything a destroy must not begin with as
    `depends_on`.
    """

    juju_token: pulumi.Output[str]
    """Secret: token of the service account that Juju signs in with."""
    storage_class: pulumi.Output[str]
    """Name of the storage class for Juju."""

    def __init__(
        self, name: str, args: KubeflowPrerequisitesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("kubeflow-aks:index:KubeflowPrerequisites", name, {}, opts)
        opts = opts or pulumi.ResourceOptions()
        child = pulumi.ResourceOptions(parent=self, deleted_with=opts.deleted_with)
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(
                name=args["namespace"],
                # The inotify DaemonSet writes kernel settings, which the restricted profiles refuse.
                labels={"pod-security.kubernetes.io/enforce": "privileged"},
            ),
            opts=child,
        )
        inside = namespace.metadata.name.apply(lambda found: found or args["namespace"])
        self.juju_token, juju = juju_access(name, inside, child)
        storage = storage_class(name, args["storage_class"], child)
        self.storage_class = storage.metadata.name.apply(lambda found: found or args["storage_class"]["name"])
        made: list[pulumi.Resource] = [
            *juju,
            storage,
            priority_expander(name, args["priorities"], child),
            *priority_classes(name, child),
            *contract_readers(name, inside, child),
        ]
        if limits := args.get("inotify"):
            made.append(inotify_limits(name, inside, limits, args["general_labels"], child))
        if args["device_plugin"]:
            made.append(device_plugin(name, inside, child))
        if args["guards"]:
            made += spot_guard(name, args["spot_taint_key"], child)
        if args["argo_retries"]:
            made += argo_retries(name, child)
        pool_contract(
            name,
            inside,
            args["pool_contract"],
            # A destroy deletes first what nothing waits for. This waits for everything, so that a protected
            # stack refuses here, with nothing deleted (engine.md §0: protecting the group alone is too late).
            opts=pulumi.ResourceOptions.merge(
                child,
                pulumi.ResourceOptions(protect=args["protect"], depends_on=made),
            ),
        )
        self.register_outputs({"jujuToken": self.juju_token, "storageClass": self.storage_class})
