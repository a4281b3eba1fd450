"""What `kubeflow-aks adopt` does: a stack file and an import file for a cluster that other means made."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from aks_facts import vm_sizes
from kubeflow_aks.adopt.draft import IDENTITY, Draft, drafted, stack_file
from kubeflow_aks.adopt.existing import ExistingCluster, cluster_of, find, queried, read_json
from kubeflow_aks.adopt.infer_settings import OUTBOUND_TYPES, own_identity, vm_size
from kubeflow_aks.adopt.refusals import refusals
from kubeflow_aks.clients.az import Az
from kubeflow_aks.exit_codes import CommandError, ExitCode, MissingProgramError, UsageError
from kubeflow_aks.json_values import is_mapping, text
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.recorder.run import Record
from kubeflow_aks.recorder.yaml_text import dump
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.text.sentences import shown
from kubeflow_aks.text.terminal import terminal_width, wrapped

_STACK: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
_HEAD: Final = "# Written by `kubeflow-aks adopt` from a cluster that was there already.\n"


def new_file(stack: str, root: Path) -> Path:
    """The file that the stack will have.

    Raises:
        UsageError: it has one already, or can't have that name.
    """
    if not _STACK.fullmatch(stack):
        raise UsageError(
            f"STACK: {shown(stack)} is not allowed; expected letters, digits, hyphens and underscores"
        )
    file = root / f"Pulumi.{stack}.yaml"
    if file.exists():
        raise UsageError(f"{file.name}: exists already; expected the name of a new stack")
    return file


def existing(
    group: str | None, name: str | None, cluster: str | None, pools: str | None, maintenance: str | None
) -> ExistingCluster:
    """The cluster, of files or as `az` shows it.

    Raises:
        UsageError: it is not clear which.
        ClientError: `az` does not show it.
        InconclusiveError: a file holds something else.
    """
    if cluster is not None:
        documents = [None if file is None else read_json(file) for file in (pools, maintenance)]
        return cluster_of(read_json(cluster), *documents)
    if not (group and name):
        raise UsageError("--resource-group and --name: missing; expected the cluster's, or --cluster FILE")
    az = Az()
    if not az.installed:
        raise MissingProgramError("az", "pass --cluster FILE with what `az aks show` prints")
    return queried(az, group, name)


def adopt(stack: str, root: Path, cluster: ExistingCluster, build: Path, *, owner: str | None) -> ExitCode:
    """Writes both files, and prints what the first `up` changes.

    Raises:
        UsageError: the stack has a file already, or nobody is named as its owner.
        CommandError: the first `up` would replace something of the cluster.
        OSError: a file can't be written.
    """
    file = new_file(stack, root)
    if reasons := refusals(cluster):
        raise CommandError("\n".join(reasons))
    draft = drafted(cluster, stack, root, owner=_owner(cluster, owner))
    imports = open_folder(build, stack) / "import.json"
    content = _import_file(draft.recorded, ((urn, arm_id) for urn, arm_id, _ in draft.imported(cluster)))
    write_whole(imports, json.dumps(content, indent=2) + "\n")
    with file.open("x", encoding="utf-8") as sink:
        sink.write(_HEAD + dump(stack_file(root, stack, draft.settings)))
    print(*_report(stack, file, imports, cluster, draft), sep="\n")
    return ExitCode.GOOD


def _import_file(recorded: Record, imported: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The JSON of the file of `pulumi import`, of a run of the program, and of URN and ARM id of each import."""
    entries: dict[str, dict[str, Any]] = {}
    for urn, arm_id in imported:
        _add(recorded, urn, entries)["id"] = arm_id
    return {"resources": list(entries.values())}


def _add(recorded: Record, urn: str, entries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The entry of a resource, after those of the components around it."""
    if urn in entries:
        return entries[urn]
    resource = recorded.resources[urn]
    parent = _add(recorded, resource.parent, entries) if resource.parent in recorded.resources else None
    kind = resource.type.rpartition(":")[2]
    entry: dict[str, Any] = {
        "type": resource.type,
        "name": f"{kind}-{resource.name}",  # in this file alone, where one name has one type
        "logicalName": resource.name,
    }
    if parent is not None:
        entry["parent"] = parent["name"]
    if not resource.custom:
        entry["component"] = True
    entries[urn] = entry
    return entry


def _owner(cluster: ExistingCluster, option: str | None) -> str:
    tags = find(cluster.body, "tags")
    owner = option or next(
        (str(value) for name, value in (tags.items() if is_mapping(tags) else ()) if name.lower() == "owner"),
        "",
    )
    if not owner:
        raise UsageError(
            "--owner: missing; expected the team or person responsible, because the cluster has no tag owner"
        )
    return owner


def _report(stack: str, file: Path, imports: Path, cluster: ExistingCluster, draft: Draft) -> Iterator[str]:
    width = terminal_width()
    yield f"Written: {file.name} and {imports}"
    by_urn: dict[str, list[str]] = {}
    for urn, change in draft.changes(cluster):
        by_urn.setdefault(urn, []).append(str(change))
    yield "Replaced or deleted: nothing"
    yield "Changed in place by the first `pulumi up`:"
    for urn, arm_id, _ in draft.imported(cluster):
        lines = by_urn.get(urn, [])
        identity = draft.recorded.resources[urn].type == IDENTITY
        nothing = (
            "tags become those of the cluster; `az aks show` has not what they are" if identity else "nothing"
        )
        yield f"  {arm_id.rpartition('/')[2]}:{'' if lines else f' {nothing}'}"
        yield from (f"    {line}" for line in lines)
    notes = list(_notes(cluster, draft))
    if notes:
        yield "Read before it:"
        for note in notes:
            yield from wrapped(note, width, "  - ")
    imported = {urn for urn, *_ in draft.imported(cluster)}
    new = Counter(
        resource.type.rpartition(":")[2]
        for urn, resource in draft.recorded.resources.items()
        if resource.custom and urn not in imported and resource.type.startswith("azure-native:")
    )
    yield f"New in Azure: {', '.join(f'{count} {kind}' for kind, count in sorted(new.items()))}"
    if draft.unstated:
        yield "Left out of the stack file, because the program refuses them; its own values take their place:"
        yield from (f"  {mistake}" for mistake in draft.unstated.values())
    if draft.left:
        yield "Not managed, and left as they are:"
        yield from (f"  {name}: {reason}" for name, reason in draft.left.items())
    yield "Next:"
    yield (
        f"  pulumi stack init {shlex.quote(stack)} --secrets-provider "
        f'"azurekeyvault://$VAULT.vault.azure.net/keys/pulumi-{stack}"'
    )
    yield (
        f"  pulumi import --stack {shlex.quote(stack)} --file {shlex.quote(str(imports))} --generate-code=false "
        "--protect=false"
    )
    yield f"  pulumi preview --stack {shlex.quote(stack)} --diff"


def _notes(cluster: ExistingCluster, draft: Draft) -> Iterator[str]:
    """What no property shows."""
    body, network = cluster.body, find(cluster.body, "networkProfile")
    if own_identity(cluster) is None:
        yield (
            "identity: the cluster gets a new one, with rights on its group and subnets; rights of the present one "
            "elsewhere, such as on a route table or a private DNS zone, are to be given to the new one"
        )
    pools, system = [text(find(pool, "name")) for pool in cluster.pools], draft.settings["systemPool"]["name"]
    yield (
        "`pulumi preview` shows more, of which nothing reaches Azure: azureApiVersion, and the type of an imported "
        "pool"
    )
    if len(pools) > 1:
        yield (
            f"agentPoolProfiles: a preview compares pools by their place in Azure's list, {', '.join(pools)}; "
            f"sent is {system} alone, as above"
        )
    yield (
        f"orchestratorVersion and powerState of {system} are not sent, and AKS leaves them; its nodes are upgraded by "
        "`az aks nodepool upgrade`"
    )
    if find(body, "disableLocalAccounts") is True and find(body, "aadProfile", "enableAzureRBAC") is True:
        yield (
            "aadProfile.enableAzureRBAC: who runs Pulumi needs kubelogin and the role Azure Kubernetes Service RBAC "
            "Cluster Admin on the cluster, or a group of apiAccess.adminGroupObjectIds"
        )
    for _, change in draft.changes(cluster):
        if change.path.startswith("agentPoolProfiles[") and change.path.endswith("].nodeTaints"):
            yield (
                f"{change.path}: pods that run there stay, but new ones without that toleration go to other pools; "
                "move them before its nodes are upgraded"
            )
    if open_pools := [text(find(pool, "name")) for pool in cluster.pools if _takes_charms(pool, draft)]:
        yield f"{', '.join(open_pools)}: not managed and without a taint, so Charmed Kubeflow's pods run there as well"
    if any(_gpus(pool) for pool in draft.pools.values()):
        yield (
            "gpu.plugin: the program runs NVIDIA's device plugin on GPU nodes; if the cluster has one already, remove "
            "it, or set none"
        )
    if text(find(body, "powerState", "code")) == "Stopped":
        yield "powerState: stopped; start the cluster before the first `pulumi up`"
    if text(find(body, "nodeProvisioningProfile", "mode")) == "Auto":
        yield (
            "nodeProvisioningProfile.mode: Auto; beside autoscaled pools it needs the feature "
            "AllowClusterAutoscalerAndNAP, and on each NodePool a taint that neither charms nor batch work tolerates, "
            "or both make nodes for a pod that waits; AKS can't stop such a cluster, so officeHours is not for it"
        )
    yield from _network_notes(network)
    yield from draft.recorded.messages


def _network_notes(network: Any) -> Iterator[str]:
    """Networks that the settings can't describe."""
    plugin, outbound = text(find(network, "networkPlugin")), text(find(network, "outboundType"))
    if plugin == "kubenet":
        yield "networkPlugin: kubenet ends on 2028-03-31; move to CNI Overlay by `az aks update` before"
    if plugin == "none":
        yield (
            "networkPlugin: none; pods get their addresses from a CNI plugin of your own: it must tolerate the taints "
            "of the new pools, or their nodes stay NotReady; its ranges and policies are not checked"
        )
    if outbound == "none":
        yield (
            "networkProfile.outboundType: none; AKS gives nodes no way out, so Charmed Kubeflow's images and the "
            "storage of checkpoints need one of your own, or a mirror and private endpoints"
        )
    if outbound not in {"", *OUTBOUND_TYPES}:
        yield (
            f"network.outboundType: {OUTBOUND_TYPES[0]} stands in for {outbound}, which no setting describes; the "
            "cluster keeps its own, and `cost` counts this one"
        )


def _takes_charms(pool: Mapping[str, Any], draft: Draft) -> bool:
    """Whether a pool that is left takes pods without a toleration; AKS taints spot itself."""
    linux = text(find(pool, "osType")) in {"", "Linux"}
    return text(find(pool, "name")) in draft.left and linux and not find(pool, "nodeTaints")


def _gpus(pool: Mapping[str, Any]) -> bool:
    size = vm_sizes().get(vm_size(pool))
    return bool(size and size.gpus)
