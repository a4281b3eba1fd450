"""How `az` prints agent pools and clusters (azure-cli 2.91.0, command_modules/acs/_format.py; core/util.py, todict)."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, cast

from kubeflow_aks.local_aks.azure.arm import Json

FORMATS: Final = ("json", "table", "none")
_COLUMNS: Final = {
    "Name": "name",
    "OsType": "osType",
    "KubernetesVersion": "orchestratorVersion",
    "VmSize": "vmSize",
    "Count": "count",
    "MaxPods": "maxPods",
    "ProvisioningState": "provisioningState",
    "Mode": "mode",
}
_FREE: Final = frozenset({"nodeLabels", "tags", "userAssignedIdentities"})
"""Properties whose keys are of the user's choice."""
_ACRONYM: Final = re.compile(r"(?<=[a-z])([A-Z])([A-Z]+)(?=[A-Z][a-z]|v6|$)")
_HYPHEN: Final = re.compile(r"-(\w)")


def show(pools: Json | Sequence[Json], form: str) -> str:
    """One agent pool or several, as Azure has them, in a form of `FORMATS`."""
    match form:
        case "json":
            return json.dumps(named(pools), indent=2, sort_keys=True)
        case "table":
            return _table([pools] if isinstance(pools, dict) else pools)
        case _:
            return ""


def named(value: Any) -> Any:
    """A body with the names of the Python SDK, which spells acronyms like words, `osDiskSizeGb`, and has no hyphen."""
    if isinstance(value, list):
        return [named(item) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    return {_named(name): item if name in _FREE else named(item) for name, item in cast(Json, value).items()}


def _named(name: str) -> str:
    name = _ACRONYM.sub(lambda match: match[1] + match[2].lower(), name)
    return _HYPHEN.sub(lambda match: match[1].upper(), name)


def _table(pools: Sequence[Json]) -> str:
    rows = [list(_COLUMNS), *([str(pool.get(key, "")) for key in _COLUMNS.values()] for pool in pools)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
