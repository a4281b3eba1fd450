"""What a deployed stack's state has on its cluster and the objects in it: no secret is decrypted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Object, TypeToken, at, is_object, items, name_of
from kubeflow_aks.clients.pulumi import Pulumi, PulumiError, deployment
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.exit_codes import MissingProgramError
from kubeflow_aks.json_values import is_mapping
from kubeflow_aks.project import project_root

_STACK: Final = "pulumi:pulumi:Stack"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"


@dataclass(frozen=True)
class DeployedCluster:
    """The cluster of a stack.

    Attributes:
        production: setting `production`.
        office_hours: days, times and time zone of the setting `officeHours`; None if it is not set.
    """

    group: str
    name: str
    production: bool
    office_hours: Mapping[str, Any] | None


def read(pulumi: Pulumi, stack: str) -> DeployedCluster | None:
    """The cluster as it was deployed last; None if the stack has none.

    Raises:
        PulumiError: the state cannot be read.
    """
    try:
        resources: list[Mapping[str, Any]] = pulumi.state(stack).get("resources") or []
        by_type = {resource["type"]: resource for resource in resources}
        outputs: Mapping[str, Any] = by_type.get(_STACK, {}).get("outputs") or {}
        if _CLUSTER not in by_type or not {"clusterName", "resourceGroup"} <= set(outputs):
            return None
        basis: Any = outputs.get("costBasis")
        hours: Any = basis.get("officeHours") if is_mapping(basis) else None
        return DeployedCluster(
            group=str(outputs["resourceGroup"]),
            name=str(outputs["clusterName"]),
            production=is_mapping(basis) and basis.get("production") is True,
            office_hours=hours if is_mapping(hours) else None,
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise PulumiError("the state has an unexpected form") from error


def objects(stack: str, file: Path | None, root: Path | None) -> list[Object]:
    """The Kubernetes objects that the program registered at the last `up`, whole and as it registered them.

    Those that it only reads and those of which it sets some fields are left out. The state is read from a file, as
    `pulumi stack export` prints it, or with the CLI.

    Raises:
        StackError: the state cannot be read, or is of another stack.
        MissingProgramError: the CLI is missing.
    """
    if file:
        state = _of_file(file)
    else:
        engine = Pulumi(project_root(root))
        if not engine.installed:
            raise MissingProgramError(engine.command, "pass the stack's state with --state FILE")
        try:
            state = engine.state(stack)
        except PulumiError as error:
            raise StackError(f"{stack}: {error}") from None
    source = str(file) if file else f"{stack}: `pulumi stack export`"
    resources = [entry for entry in items(state.get("resources")) if is_object(entry)]
    if not any(str(entry.get("urn")).startswith(f"urn:pulumi:{stack}::") for entry in resources):
        raise StackError(f"{source}: not a state of stack {stack}")
    return [entry["inputs"] for entry in resources if _is_whole_object(entry)]


def _of_file(file: Path) -> Mapping[str, Any]:
    try:
        return deployment(file.read_bytes())
    except OSError as error:
        raise StackError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise StackError(f"{file}: not a stack's state; expected what `pulumi stack export` prints") from None


def _is_whole_object(resource: Object) -> bool:
    """Whether it is a Kubernetes object that the program makes and that is not about to be deleted."""
    try:
        patch = TypeToken.parse(str(resource.get("type"))).patch
    except ValueError:
        return False
    inputs = resource.get("inputs")
    read_only = bool(resource.get("external") or resource.get("delete") or patch)
    return not read_only and is_object(inputs) and bool(at(inputs, "kind") and name_of(inputs))
