"""A stand-in of `az compute-recommender spot-placement-score`, `az vm list-usage` and `az network vnet show`.

RECORDED is the answer in Azure/azure-cli (`test_spot_placement_score_generate.yaml`, 2025-07-24) without zones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

RECORDED: Final[dict[str, Any]] = {
    "desiredLocations": ["eastus", "eastus2"],
    "desiredSizes": [{"sku": "Standard_D2_v2"}],
    "desiredCount": 1,
    "availabilityZones": True,
    "placementScores": [
        {
            "sku": "Standard_D2_v2",
            "region": "eastus",
            "score": "RestrictedSkuNotAvailable",
            "isQuotaAvailable": True,
        },
        {"sku": "Standard_D2_v2", "region": "eastus2", "score": "Low", "isQuotaAvailable": True},
    ],
}
FORBIDDEN: Final = (
    "ERROR: (AuthorizationFailed) The client 'me' with object id 'x' does not have authorization to perform action "
    "'Microsoft.Compute/locations/placementScores/generate/action' over scope '/subscriptions/s' or the scope is "
    "invalid. If access was recently granted, please refresh your credentials."
)
"""Resource Manager's answer to a missing role ("Troubleshoot Azure RBAC"), as `az` prints it with exit code 1."""
_SCRIPT: Final = """\
#!{python}
import json, sys
words = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(words) + "\\n")
if words[:2] == ["vm", "list-usage"]:
    print({usage!r})
elif words[:2] == ["account", "show"]:
    print("00000000-0000-0000-0000-000000000000")
elif words[:3] == ["network", "vnet", "show"]:
    print({network!r})
elif words[0] != "compute-recommender" or {error!r}:
    print({error!r} or "ERROR: unexpected", file=sys.stderr)
    sys.exit({code})
else:
    scores = {scores!r}
    sizes = [size["sku"] for size in json.loads(words[words.index("--desired-sizes") + 1])]
    region = words[words.index("--location") + 1]
    rows = [
        {{"sku": size, "region": region, "score": scores.get(size, "High"), "isQuotaAvailable": size not in {lacks!r}}}
        for size in sizes
    ]
    print(json.dumps({{"placementScores": rows}}))
"""


def installed(
    folder: Path,
    *,
    usage: str = "[]",
    network: str = "{}",
    scores: Mapping[str, str] | None = None,
    lacks: tuple[str, ...] = (),
    error: str = "",
    code: int = 1,
) -> Path:
    """Puts an `az` into a folder, and returns the file to which it logs its words, one JSON list a line.

    Args:
        folder: for PATH.
        usage: answer of `az vm list-usage`.
        network: answer of `az network vnet show`.
        scores: by size; `High` for the others.
        lacks: sizes for which the spot quota is not enough.
        error: printed in place of scores, with `code`.
        code: exit code of a failure.
    """
    folder.mkdir(exist_ok=True)
    log, file = folder / "words", folder / "az"
    file.write_text(
        _SCRIPT.format(
            python=sys.executable,
            log=str(log),
            usage=usage,
            network=network,
            scores=dict(scores or {}),
            lacks=lacks,
            error=error,
            code=code,
        ),
        encoding="utf-8",
    )
    file.chmod(0o755)
    return log


def words(log: Path) -> list[list[str]]:
    """The commands that were called, without the program's name."""
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
