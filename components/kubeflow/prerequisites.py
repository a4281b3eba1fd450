"""The component that puts the prerequisites together."""

from collections.abc import Iterator, Mapping
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.storage.v1 import StorageClass

from ..arguments import limits
from ..arguments.checked import Rule, checked, rule, whole
from ..arguments.choices import OnAdvisory
from ..arguments.mistakes import Mistake
from ..pools import pool_checks
from ..pools.conventions import PLATFORM_WORKLOAD, WORKLOAD_LABEL
from ..pools.labels_and_taints import label_form_mistakes
from ..pools.pool_contract import contract_text, priorities
from .admission import profile_guard, spot_guard
from .argo_retries import argo_retries
from .collected_metrics import collected_metrics
from .contract import contract_readers, pool_contract
from .device_plugin import device_plugins
from .eviction_script import RIGHTS, RIGHTS_ON_ADVISORY
from .inotify import inotify_limits
from .isolation import no_traffic
from .juju import juju_access
from .labels import OURS, labels
from .prerequisites_args import KubeflowPrerequisitesArgs
from .return_to_spot import return_to_spot
from .scheduling import priority_classes, priority_expander
from .script_pod import ScriptPod, script_pod
from .storage import checkpoint_class, storage_class
from .storage_classes import class_name_mistakes

_OTHERS: Final = frozenset(
    {"default", "kube-node-lease", "kube-public", "kube-system", "gatekeeper-system", "kubeflow"}
)


class KubeflowPrerequisites(pulumi.ComponentResource):
    """The prerequisites of Charmed Kubeflow in one cluster.

    Pass the cluster's Kubernetes provider, and as `depends_on` all that a destroy must not delete first.

    A destroy deletes the objects one by one. Pass the cluster's component as `deleted_with` to leave them to its
    deletion, but only where the program makes the cluster: the objects in one that it only reads would stay.
    """

    juju_token: pulumi.Output[str]
    """Secret: token of the service account that Juju signs in with."""
    storage_class: pulumi.Output[str]
    """Name of the storage class for Juju."""
    checkpoint_class: pulumi.Output[str]
    """Name of the storage class for checkpoints; empty without it."""

    def __init__(
        self, name: str, args: KubeflowPrerequisitesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        args = checked("KubeflowPrerequisites", KubeflowPrerequisitesArgs, args, _rules)
        super().__init__("kubeflow-aks:index:KubeflowPrerequisites", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        namespace_name = args.get("namespace", OURS)
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(
                name=namespace_name,
                labels=labels("namespace") | {"pod-security.kubernetes.io/enforce": _pod_security(args)},
            ),
            opts=child,
        )
        inside = _name_of(namespace, namespace_name)
        pools = pulumi.Output.from_input(args["pools"])
        self.juju_token, juju = juju_access(name, inside, child)
        class_args = args.get("storage_class", {})
        storage = storage_class(name, class_args, child)
        self.storage_class = _name_of(storage, whole(class_args)["name"])
        made: list[pulumi.Resource] = [
            *juju,
            storage,
            priority_expander(name, pools.apply(priorities), child),
            *priority_classes(name, child),
            *contract_readers(name, inside, child),
        ]
        checkpoints = args.get("checkpoints", {})
        self.checkpoint_class = pulumi.Output.from_input("")
        if checkpoints.get("enabled"):
            shared = checkpoint_class(name, checkpoints, child)
            self.checkpoint_class = _name_of(shared, whole(checkpoints)["name"])
            made.append(shared)
        limits = args.get("inotify", {})
        node_labels = args.get("general_labels", {WORKLOAD_LABEL: PLATFORM_WORKLOAD})
        if limits.get("enabled"):
            made.append(inotify_limits(name, inside, limits, node_labels, child))
        if args.get("device_plugin", True):
            time_slices = args.get("gpu_time_slices", ())
            made += device_plugins(
                name, inside, child, slices=args.get("gpu_slices", False), time_slices=time_slices
            )
        isolated = args.get("network_policies", False)
        if isolated:
            made.append(no_traffic(name, inside, child))
        if args.get("eviction_handler"):
            handler = _eviction_handler(args.get("on_advisory", "checkpoint"))
            made += script_pod(name, inside, node_labels, child, handler, isolated=isolated)
        if args.get("return_to_spot"):
            prices = args.get("node_prices", {})
            made += return_to_spot(name, inside, node_labels, prices, child, isolated=isolated)
        if args.get("guards"):
            made += [*spot_guard(name, child), *profile_guard(name, child)]
        if args.get("managed_prometheus"):
            made.append(collected_metrics(name, inside, child))
        if args.get("argo_retries"):
            made += argo_retries(name, child)
        pool_contract(
            name,
            inside,
            pools.apply(contract_text),
            argo_retries=args.get("argo_retries", False),
            pipelines=args.get("pipelines", ""),
            # A destroy deletes first what nothing waits for. This waits for everything, so that a protected stack
            # refuses here, with nothing deleted yet (docs/decisions/0004-the-last-object-protects-the-stack.md).
            opts=pulumi.ResourceOptions.merge(
                child,
                pulumi.ResourceOptions(protect=args.get("protect", True), depends_on=made),
            ),
        )
        self.register_outputs(
            {
                "jujuToken": self.juju_token,
                "storageClass": self.storage_class,
                "checkpointClass": self.checkpoint_class,
            }
        )


def _eviction_handler(on_advisory: OnAdvisory) -> ScriptPod:
    """What acts on Azure's notice of an eviction: one pod, beside Charmed Kubeflow, that watches the nodes.

    docs/decisions/0018-an-eviction-handler-of-our-own.md says why it is no daemon on the spot nodes.
    """
    return ScriptPod(
        app="eviction-handler",
        scripts=("eviction_script.py",),
        rights=RIGHTS if on_advisory == "ignore" else {**RIGHTS, **RIGHTS_ON_ADVISORY},
        settings={"ON_ADVISORY": on_advisory},
    )


def _rules(args: KubeflowPrerequisitesArgs) -> Iterator[Rule]:
    """Every rule of the arguments of `KubeflowPrerequisites`."""
    checkpoints = args.get("checkpoints", {})
    blobs = checkpoints.get("name") if checkpoints.get("enabled") else None
    disks = args.get("storage_class", {}).get("name")
    yield rule(class_name_mistakes, disks, blobs, keys=("storageClass.name", "checkpoints.name"))
    returns = args.get("return_to_spot")
    form = limits.NAMESPACE_WITH_TRIES if returns else limits.KUBERNETES_NAME
    yield rule(limits.text_mistakes, "namespace", form, args.get("namespace", OURS))
    yield rule(namespace_mistakes, args.get("namespace", OURS))
    yield rule(label_form_mistakes, args.get("general_labels", {}), at="generalLabels")
    yield rule(_price_mistakes, args.get("node_prices", {}))
    yield rule(pool_checks.contract_mistakes, args["pools"])
    if args.get("device_plugin", True):
        time_slices = args.get("gpu_time_slices", ())
        yield rule(pool_checks.plugin_mistakes, time_slices)
        yield rule(pool_checks.missing_plugin_mistakes, args["pools"], time_slices)


def namespace_mistakes(name: str) -> Iterator[Mistake]:
    """The namespace is none that Kubernetes, AKS or Juju makes."""
    if name in _OTHERS or name.startswith("controller-"):
        yield Mistake("namespace", name, "another name, because Kubernetes, AKS or Juju makes this namespace")


def _price_mistakes(prices: Mapping[str, float]) -> Iterator[Mistake]:
    for pool, price in prices.items():
        yield from limits.number_mistakes(f"nodePrices.{pool}", limits.PRICE, price)


def _name_of(made: Namespace | StorageClass, name: pulumi.Input[str]) -> pulumi.Output[str]:
    """The name of an object, so that what uses it waits for it; `name` where a preview has none."""
    return pulumi.Output.all(made.metadata.name, name).apply(lambda names: names[0] or names[1])


def _pod_security(args: KubeflowPrerequisitesArgs) -> str:
    """The strictest profile that lets our daemons in ("Pod Security Standards").

    One is privileged and the other mounts a folder of the node, which `baseline` refuses as well.
    """
    daemons = args.get("inotify", {}).get("enabled") or args.get("device_plugin", True)
    return "privileged" if daemons else "restricted"
