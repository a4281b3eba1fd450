"""`python -m preview.quota [STACK]`: the vCPU quota that a stack needs, beside what its subscription has.

What there is comes from `az vm list-usage`, or from a file with its answer.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi

from recorder.run import PROJECT_ROOT, record
from recorder.stack_files import StackFileError
from writing import output
from writing.columns import table

_MEANING = {"cores": "all on demand", "lowPriorityCores": "all spot"}
_GROUP = "azure-native:resources:ResourceGroup"
_SHORT = 2
"""Exit status where quota is missing, apart from the 1 of a stack with mistakes."""


class UsageError(ValueError):
    """The answer of `az vm list-usage` cannot be had or read; the text is one line for the user."""


@dataclass(frozen=True)
class Quota:
    """One quota of a region, in vCPU."""

    used: int
    limit: int


def quota_table(needed: Mapping[str, int], width: int) -> list[str]:
    """A line for each quota, under the name that `az vm list-usage` gives it."""
    rows = [(name, _MEANING.get(name, ""), str(vcpus)) for name, vcpus in _in_order(needed)]
    lines = table([("Quota", "", "vCPU"), *rows], width)
    return [line for row in lines for line in row]


def compared(needed: Mapping[str, int], usage: Mapping[str, Quota], width: int) -> tuple[list[str], bool]:
    """A line for each quota with what is used and allowed, and whether all of it suffices.

    Args:
        needed: vCPU by name of the quota.
        usage: the region's quotas by name in small letters; Azure does not spell families everywhere alike.
        width: columns of the terminal.
    """
    rows: list[tuple[str, ...]] = [("Quota", "Needed", "Used", "Limit", "")]
    enough = True
    for name, vcpus in _in_order(needed):
        found = usage.get(name.casefold())
        lack = vcpus - (found.limit - found.used) if found else vcpus
        enough = enough and lack <= 0
        verdict = (
            "not listed in this region" if found is None else f"{lack} more needed" if lack > 0 else "enough"
        )
        rows.append(
            (name, str(vcpus), *((str(found.used), str(found.limit)) if found else ("–", "–")), verdict)
        )
    return [line for row in table(rows, width) for line in row], enough


def usage_of(text: str) -> dict[str, Quota]:
    """The quotas in an answer of `az vm list-usage --output json`, by name in small letters.

    Raises:
        UsageError: the text is no such answer.
    """
    try:
        entries: list[dict[str, Any]] = list(json.loads(text))
        return {
            entry["name"]["value"].casefold(): Quota(int(entry["currentValue"]), int(entry["limit"]))
            for entry in entries or [{}]
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UsageError("not an answer of `az vm list-usage --output json`") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what is needed and, where it can be had, what there is.

    Returns:
        0; 1 when the stack or the answer cannot be read, 2 when quota is missing.
    """
    parser = argparse.ArgumentParser(prog="preview.quota", description=__doc__)
    parser.add_argument("stack", nargs="?", default="dev", help="a stack with a file Pulumi.<stack>.yaml")
    parser.add_argument(
        "--usage", help="file with what `az vm list-usage` answered, - for the standard input"
    )
    parser.add_argument("--root", type=Path, default=PROJECT_ROOT, help="the project folder")
    options = parser.parse_args(arguments)
    width = shutil.get_terminal_size((110, 24)).columns
    try:
        recorded = record(options.stack, root=options.root.resolve(), preview=True)
        needed, location = recorded.outputs["vcpuQuota"], recorded.one(_GROUP).inputs["location"]
        command = ["az", "vm", "list-usage", "--location", location, "--output", "json"]
        if options.usage is None and shutil.which("az") is None:
            print(*quota_table(needed, width), sep="\n")
            print(f"What there is tells, with the Azure CLI: {' '.join(command)}")
            return 0
        usage = usage_of(_asked(command) if options.usage is None else _read(options.usage))
    except (StackFileError, UsageError, pulumi.RunError, OSError) as error:
        print(error, *getattr(error, "__notes__", ()), sep="\n", file=sys.stderr)
        return 1
    lines, enough = compared(needed, usage, width)
    print(
        f"vCPU quota of {options.stack} in {location}, with every pool full and upgrades included:",
        *lines,
        sep="\n",
    )
    print("Used counts this stack's own nodes, where it is up already.")
    return 0 if enough else _SHORT


def _in_order(needed: Mapping[str, int]) -> list[tuple[str, int]]:
    """Families by name, then the region's sums."""
    return sorted(needed.items(), key=lambda item: (item[0] in _MEANING, item[0].casefold()))


def _asked(command: Sequence[str]) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - no shell, own words
    if answer.returncode:
        said = answer.stderr.strip().splitlines() or ["no word"]
        raise UsageError(f"{' '.join(command)}: {said[-1]}")
    return answer.stdout


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text") from None


if __name__ == "__main__":
    sys.exit(output.run(main))
