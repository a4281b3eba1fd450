"""There is one default storage class, and the classes of the outputs are as the stack made them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import annotation, at, fields, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import RESTORE, CheckResult, failed, passed
from kubeflow_aks.verify.snapshot import ClusterSnapshot

_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def one_default(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Exactly one class is the default: with two, the newest wins ("Storage Classes", "Default StorageClass")."""
    found = [
        name_of(each)
        for each in snapshot.storage_classes.required()
        if "true" in (annotation(each, key) for key in _DEFAULT)
    ]
    if len(found) > 1:
        yield failed(
            f"storage classes {listed(found)} are both the default; claims without a class get the newest",
            "remove the annotation from those that AKS did not create",
        )
    elif not found:
        yield failed(
            "no storage class is the default, so volume claims of notebooks stay pending",
            "annotate AKS's own: `kubectl annotate storageclass default "
            "storageclass.kubernetes.io/is-default-class=true`",
        )
    else:
        yield passed(f"storage class {found[0]} is the one default")


def ours(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The classes of the outputs exist, and make the volumes that the stack promises."""
    classes = {name_of(each): each for each in snapshot.storage_classes.required()}
    expected = [
        name
        for key in ("storageClass", "checkpointClass")
        if isinstance(name := outputs.values.get(key), str) and name
    ]
    if missing := [name for name in expected if name not in classes]:
        yield failed(f"storage class {listed(missing)} does not exist", RESTORE)
    differ = [
        f"storage class {name} has {path} {_shown(found)} instead of {_shown(value)}"
        for name, fields_of in (
            (outputs.values.get("storageClass"), _disk_class),
            (outputs.values.get("checkpointClass"), _checkpoint_class),
        )
        if name in classes
        for path, value in fields_of(outputs).items()
        if (found := at(classes[name], *path.split("."))) != value
    ]
    for difference in differ:
        yield failed(
            difference,
            f"{RESTORE}, which makes the class anew; volumes that exist already keep what they have",
        )
    if not missing and not differ:
        yield passed(f"the stack's storage classes exist as it made them: {listed(expected)}")


def _disk_class(outputs: Outputs) -> Mapping[str, object]:
    """Fields of the class for Juju and the charms, by path; a disk must lie in the zone of its pod."""
    settings = fields(outputs.basis("kubeflow", "storageClass"))
    return {
        "provisioner": "disk.csi.azure.com",
        "parameters.skuName": settings.get("sku"),
        "reclaimPolicy": settings.get("reclaimPolicy"),
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowVolumeExpansion": True,
    }


def _checkpoint_class(outputs: Outputs) -> Mapping[str, object]:
    """Fields of the class for checkpoints, by path; no team may read the account's key."""
    settings = fields(outputs.basis("data", "checkpoints"))
    return {
        "provisioner": "blob.csi.azure.com",
        "parameters.skuName": settings.get("sku"),
        "parameters.secretNamespace": "kube-system",
        "reclaimPolicy": settings.get("reclaimPolicy"),
        "volumeBindingMode": "Immediate",
        "allowVolumeExpansion": True,
    }


def _shown(value: object) -> str:
    return one_line("none" if value is None else str(value).lower() if isinstance(value, bool) else value)
