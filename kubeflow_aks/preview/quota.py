"""What `kubeflow-aks quota` does: the vCPU quota that a stack needs, beside what its subscription has.

The latter comes from `az vm list-usage`, or from a file with its answer.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubeflow_aks.clients.az import Az
from kubeflow_aks.exit_codes import ExitCode, MissingProgramError, UnjudgedError
from kubeflow_aks.recorder.run import record
from kubeflow_aks.text.columns import table
from kubeflow_aks.text.terminal import terminal_width

_MEANING = {"cores": "all on demand", "lowPriorityCores": "all spot"}
_GROUP = "azure-native:resources:ResourceGroup"


class UsageError(UnjudgedError):
    """The quota that is needed or that there is cannot be read; the text is one line for the user."""


@dataclass(frozen=True)
class Quota:
    """One quota of a region, in vCPU."""

    used: int
    limit: int


def quota_table(needed: Mapping[str, int], width: int) -> list[str]:
    """A line for each quota, under its name in `az vm list-usage`."""
    rows = [(name, _MEANING.get(name, ""), str(vcpus)) for name, vcpus in _in_order(needed)]
    lines = table([("Quota", "", "vCPU"), *rows], width)
    return [line for row in lines for line in row]


def compared(needed: Mapping[str, int], usage: Mapping[str, Quota], width: int) -> tuple[list[str], bool]:
    """A line for each quota with usage and limit, and whether all quotas suffice.

    Args:
        needed: vCPU by name of the quota.
        usage: the region's quotas by name in lower case, because Azure's spelling of families varies.
        width: columns of the terminal.
    """
    rows: list[tuple[str, ...]] = [("Quota", "Needed", "Used", "Limit", "")]
    enough = True
    for name, vcpus in _in_order(needed):
        found = usage.get(name.casefold())
        lack = vcpus - (found.limit - found.used) if found else vcpus
        enough = enough and lack <= 0
        result = (
            "not listed in this region" if found is None else f"{lack} more needed" if lack > 0 else "enough"
        )
        rows.append(
            (name, str(vcpus), *((str(found.used), str(found.limit)) if found else ("–", "–")), result)
        )
    return [line for row in table(rows, width) for line in row], enough


def usage_of(text: str) -> dict[str, Quota]:
    """The quotas in the output of `az vm list-usage --output json`, by name in lower case.

    Raises:
        UsageError: the text is not such output.
    """
    try:
        entries: list[dict[str, Any]] = list(json.loads(text))
        return {
            entry["name"]["value"].casefold(): Quota(int(entry["currentValue"]), int(entry["limit"]))
            for entry in entries or [{}]
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UsageError("not the output of `az vm list-usage --output json`") from None


def quota(stack: str, root: Path, usage: str | None = None) -> ExitCode:
    """Prints what is needed and, where it can be read, what the subscription has.

    Args:
        stack: name of a stack that has a file.
        root: the project folder.
        usage: file with the answer of `az vm list-usage`, `-` for stdin; `az` is called unless given.

    Returns:
        FINDING where quota is missing.

    Raises:
        MissingProgramError: there is no `az`; what is needed is printed.
        UsageError: the answer can't be read.
        CommandError: the stack can't be read or has mistakes.
    """
    width = terminal_width()
    recorded = record(stack, root=root, preview=True)
    if "vcpuQuota" not in recorded.outputs:
        raise UsageError(
            f"{stack}: the program has no output vcpuQuota, so the quota that it needs is not known"
        )
    needed, location = recorded.outputs["vcpuQuota"], recorded.one(_GROUP).inputs["location"]
    az, command = Az(), ["vm", "list-usage", "--location", location, "--output", "json"]
    if usage is None and not az.installed:
        print(*quota_table(needed, width), sep="\n", flush=True)
        raise MissingProgramError("az", f"pass --usage FILE with what `az {' '.join(command)}` prints")
    found = usage_of(az.run(*command) if usage is None else _read(usage))
    lines, enough = compared(needed, found, width)
    print(
        f"vCPU quota of {stack} in {location}, with every pool full and upgrades included:",
        *lines,
        sep="\n",
    )
    print("Used counts this stack's own nodes, where it is up already.")
    return ExitCode.GOOD if enough else ExitCode.FINDING


def _in_order(needed: Mapping[str, int]) -> list[tuple[str, int]]:
    """Families by name, then the region's totals."""
    return sorted(needed.items(), key=lambda item: (item[0] in _MEANING, item[0].casefold()))


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text") from None
