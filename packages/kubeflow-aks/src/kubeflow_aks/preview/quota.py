"""What `kubeflow-aks quota` does: the vCPU quota that a stack needs, beside what its subscription has.

The latter comes from `az vm list-usage`, or from a file with its answer. Where `az` is called, it also shows whether
the subnets of others suffice and how likely Azure has the stack's spot VMs now.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.clients.spot_placement import Desired, PlacementScore, placement_scores
from kubeflow_aks.clients.vm_usage import TOTALS, Quota, usage_of, vm_usage
from kubeflow_aks.exit_codes import ExitCode, InconclusiveError, MissingProgramError
from kubeflow_aks.preview.subnets import subnets_compared
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import Record, record
from kubeflow_aks.text.columns import table
from kubeflow_aks.text.files import content
from kubeflow_aks.text.terminal import terminal_width

_CLUSTER = "azure-native:containerservice:ManagedCluster"


def quota_table(needed: Mapping[str, int], width: int) -> list[str]:
    """A line for each quota, under its name in `az vm list-usage`."""
    rows = [(name, TOTALS.get(name, ""), str(vcpus)) for name, vcpus in _in_order(needed)]
    lines = table([("Quota", "", "vCPU"), *rows], width)
    return [line for row in lines for line in row]


def compared(needed: Mapping[str, int], usage: Mapping[str, Quota], width: int) -> tuple[list[str], bool]:
    """A line for each quota with usage and limit, and whether all quotas suffice.

    The region's quotas are by name in lower case, because Azure's spelling of families varies.
    """
    rows: list[tuple[str, ...]] = [("Quota", "Needed", "Used", "Limit", "")]
    enough = True
    for name, vcpus in _in_order(needed):
        current = usage.get(name.casefold())
        lack = vcpus - current.free if current else vcpus
        enough = enough and lack <= 0
        result = f"{lack} more needed" if lack > 0 else "enough"
        if current:
            rows.append((name, str(vcpus), str(current.used), str(current.limit), result))
        else:
            rows.append((name, str(vcpus), "–", "–", "not listed in this region"))
    return [line for row in table(rows, width) for line in row], enough


def quota(stack: str, root: Path, usage: str | None = None) -> ExitCode:
    """Prints what is needed and, from a file (`-` for stdin) or by `az`, what the subscription has.

    Returns:
        FINDING where quota is missing, or subnets of others do not suffice.

    Raises:
        MissingProgramError: there is no `az`; what is needed is printed.
        InconclusiveError: the answer can't be read, or the program does not say what it needs.
        CommandError: the stack can't be read or has mistakes.
    """
    width = terminal_width()
    recorded = record(stack, root=root, preview=True)
    if "vcpuQuota" not in recorded.outputs:
        raise InconclusiveError(
            f"{stack}: the program has no output vcpuQuota, so the quota that it needs is not known"
        )
    needed, location = recorded.outputs["vcpuQuota"], recorded.one(_CLUSTER).inputs["location"]
    az = Az()
    if usage is None and not az.installed:
        print(*quota_table(needed, width), sep="\n", flush=True)
        raise MissingProgramError(
            "az", f"pass --usage FILE with what `az vm list-usage --location {location} --output json` prints"
        )
    current = vm_usage(az, location) if usage is None else usage_of(content(usage))
    lines, enough = compared(needed, current, width)
    print(
        f"vCPU quota of {stack} in {location}, with every pool full and upgrades included:", *lines, sep="\n"
    )
    print("Used counts this stack's own nodes, where it is up already.")
    if usage is None:
        subnets, roomy = subnets_compared(az, recorded, width)
        if subnets:
            print("", "Subnets of others, with every pool full and upgrades included:", *subnets, sep="\n")
            print("Addresses of this stack's own nodes, where it is up already, are not free.")
        enough = enough and roomy
        print(*_placement(az, location, recorded, width), sep="\n")
    return ExitCode.GOOD if enough else ExitCode.FINDING


def _placement(az: Az, location: str, recorded: Record, width: int) -> Iterator[str]:
    """Azure's placement score of each spot pool with all its nodes; no finding, for it is a snapshot."""
    pools = [pool for pool in plan_document(recorded)["pools"] if pool["priority"] == "Spot"]
    desired = {pool["name"]: Desired(pool["vmSize"], pool["max"]) for pool in pools if pool["max"]}
    if not desired:
        return
    yield ""
    try:
        scores = placement_scores(az, location, desired.values())
    except AzError as error:
        yield f"Spot placement scores are not available: {error}"
        return
    yield "Azure's spot placement score now, with every node of a pool at once; a snapshot, no promise:"
    rows = [("Spot pool", "VM size", "Nodes", "Score", "Spot quota")]
    for name, one in desired.items():
        rows.append((name, one.size, str(one.count), *_scored(scores.get(one))))
    for row in table(rows, width):
        yield from row


def _scored(score: PlacementScore | None) -> tuple[str, str]:
    if score is None:
        return "none", ""
    return score.words, {True: "enough", False: "not enough", None: ""}[score.quota_available]


def _in_order(needed: Mapping[str, int]) -> list[tuple[str, int]]:
    """Families by name, then the region's totals."""
    return sorted(needed.items(), key=lambda item: (item[0] in TOTALS, item[0].casefold()))
