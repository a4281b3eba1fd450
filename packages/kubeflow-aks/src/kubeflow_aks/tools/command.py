"""What `kubeflow-aks local build` does: builds the tools that are missing, or shows which are."""

import os
import sys
from collections.abc import Sequence

from kubeflow_aks.exit_codes import ExitCode, UsageError
from kubeflow_aks.tools import crds as custom_resources
from kubeflow_aks.tools import manifest
from kubeflow_aks.tools.build import build as build_tools
from kubeflow_aks.tools.installed import bin_folder, locate
from kubeflow_aks.tools.manifest import Tool


def chosen(groups: Sequence[str], names: Sequence[str]) -> tuple[Tool, ...]:
    """The tools of these names, or all that every local AKS needs and those of these groups.

    Raises:
        UsageError: there is no such group or tool.
    """
    _check_names("--with", groups, sorted(manifest.OPTIONAL))
    _check_names("--only", names, [tool.name for tool in manifest.TOOLS])
    return manifest.only(names) if names else manifest.selected(tuple(groups))


def check(tools: Sequence[Tool], *, crds: bool) -> ExitCode:
    """Prints where each tool is, and which custom resources are missing."""
    located = {tool: locate(tool) for tool in tools}
    for tool, path in located.items():
        print(f"{tool}: {path or 'missing'}")
    missing = custom_resources.missing() if crds else []
    for name in missing:
        print(f"custom resources of {custom_resources.CRDS[name]}: missing")
    return ExitCode.GOOD if all(located.values()) and not missing else ExitCode.FINDING


def build(tools: Sequence[Tool], *, crds: bool, jobs: int, download: bool) -> ExitCode:
    """Builds the tools that are missing, or downloads what is released of them, and prints their folder.

    Raises:
        UsageError: the mirror to download from is not an address by https.
        BuildError: one can't be built or downloaded.
    """
    build_tools(tools, jobs=jobs, report=_report, download=download)
    if crds:
        custom_resources.download(_report)
    print(os.pathsep.join(dict.fromkeys(str(bin_folder(tool.group)) for tool in tools)))
    return ExitCode.GOOD


def _check_names(option: str, names: Sequence[str], allowed: Sequence[str]) -> None:
    for name in names:
        if name not in allowed:
            raise UsageError(f"{option}: {name} is not allowed; expected one of {', '.join(allowed)}")


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
