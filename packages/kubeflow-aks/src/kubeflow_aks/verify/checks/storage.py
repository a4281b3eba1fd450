"""There is one default storage class, and the stack's classes have their drivers."""

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import annotation, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.sentences import listed
from kubeflow_aks.verify.findings import CheckResult, failed, group_by_first, passed, unknown, will_break
from kubeflow_aks.verify.snapshot import ClusterSnapshot, text

_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def one_default(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Exactly one class is the default: with two, the newest wins ("Storage Classes", "Default StorageClass")."""
    defaults = [
        name_of(storage_class)
        for storage_class in snapshot.storage_classes.required()
        if "true" in (annotation(storage_class, key) for key in _DEFAULT)
    ]
    if len(defaults) > 1:
        yield will_break(
            f"storage classes {listed(defaults)} are both the default; claims without a class get the newest",
            "remove the annotation from those that AKS did not create",
        )
    elif not defaults:
        yield failed(
            "no storage class is the default, so volume claims of notebooks stay pending",
            "annotate AKS's own: `kubectl annotate storageclass default "
            "storageclass.kubernetes.io/is-default-class=true`",
        )
    else:
        yield passed(f"storage class {defaults[0]} is the one default")


def drivers(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The drivers that make the volumes of the stack's storage classes are installed."""
    installed = {name_of(driver) for driver in snapshot.drivers.required()}
    classes = [
        (text(obj.registered, "provisioner"), name_of(obj.registered))
        for obj in snapshot.objects.required()
        if obj.kind == "StorageClass"
    ]
    if not installed:
        yield unknown("no storage driver is installed, so none can be checked here")
        return
    for driver, names in group_by_first(classes).items():
        if driver not in installed:
            yield failed(
                f"storage driver {driver} is not installed, so no volume of storage class {listed(names)} can be made "
                "or mounted",
                "run `pulumi up --refresh`, which switches AKS's drivers on again",
            )
