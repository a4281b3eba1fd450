"""A stand-in of the Azure CLI: it knows a subscription, and answers `az rest` as Resource Graph does."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"


def rate(size: str = "standard_d4s_v3", location: str = "uksouth", band: Any = "5-10") -> dict[str, Any]:
    """One row of the eviction rates, in small letters as Azure gives it."""
    return {
        "type": "microsoft.compute/skuspotevictionrate/location",
        "size": size,
        "location": location,
        "rate": band,
        "prices": None,
    }


def history(*prices: Any, size: str = "standard_d4s_v3", location: str = "uksouth") -> dict[str, Any]:
    """One row of the spot prices, newest first."""
    return {
        "type": "microsoft.compute/skuspotpricehistory/ostype/location",
        "size": size,
        "location": location,
        "rate": "",
        "prices": [{"priceUSD": price} for price in prices],
    }


@dataclass
class Answers:
    """What it answers: pages of rows, with a subscription or without."""

    pages: list[Any] = field(default_factory=list[Any])
    needs_subscription: bool = False
    fails: str = ""
    """Last line of its error, where it fails."""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Bodies of the requests."""

    def answer(self, body: dict[str, Any]) -> str:
        """One page."""
        self.requests.append(body)
        if self.needs_subscription and "subscriptions" not in body:
            return json.dumps({"count": 0, "data": []})
        number = int(body["options"].get("$skipToken", "0"))
        if self.pages and isinstance(self.pages[number], str):
            return self.pages[number]
        page = cast(list[Any], self.pages[number] if self.pages else [])
        more = {"$skipToken": str(number + 1)} if number + 1 < len(self.pages) else {}
        return json.dumps({"count": len(page), "data": page, **more})


def installed(folder: Path, rows: list[dict[str, Any]], *, signed_in: bool = True) -> Path:
    """Puts an executable `az` into a folder; it logs its arguments, one line each."""
    folder.mkdir(exist_ok=True)
    file = folder / "az"
    file.write_text(
        f"#!{sys.executable}\n"
        "import json, sys\n"
        f"open({str(folder / 'requests')!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
        f"if {not signed_in}:\n    sys.exit('Please run az login to setup account.')\n"
        f"print({SUBSCRIPTION!r} if sys.argv[1] == 'account' else {json.dumps({'data': rows})!r})\n",
        encoding="utf-8",
    )
    file.chmod(0o755)
    return file
