"""Claims without a class get one, and the classes that Juju and users are told of exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deployed.outputs import Outputs
from kube.objects import annotation, name_of
from verify.findings import Told, broken, kept, names
from verify.seen import Seen

_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def one_default(seen: Seen, _: Outputs) -> Iterator[Told]:
    """Exactly one class is the default: with two, the newest wins ("Storage Classes", "Default StorageClass")."""
    found = [
        name_of(each)
        for each in seen.storage_classes.known()
        if "true" in (annotation(each, key) for key in _DEFAULT)
    ]
    if len(found) > 1:
        yield broken(
            f"storage classes {names(found)} are the default at once; claims without a class get the newest of them",
            "take the annotation off those that AKS did not make",
        )
    elif not found:
        yield broken(
            "no storage class is the default, so notebooks' claims stay pending",
            "annotate AKS's own: `kubectl annotate storageclass default "
            "storageclass.kubernetes.io/is-default-class=true`",
        )
    else:
        yield kept(f"storage class {found[0]} is the one default")


def ours(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """The classes of the outputs exist."""
    there = {name_of(each) for each in seen.storage_classes.known()}
    wanted = [
        name
        for key in ("storageClass", "checkpointClass")
        if isinstance(name := outputs.values.get(key), str)
    ]
    if missing := [name for name in wanted if name not in there]:
        yield broken(f"storage class {names(missing)} does not exist", "run `pulumi up --refresh`")
    else:
        yield kept(f"the stack's storage classes exist: {names(wanted)}")
