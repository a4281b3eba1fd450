"""The vCPU quotas of a subscription in a region, as `az vm list-usage` prints them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.errors import ClientError

TOTALS: Final = {"cores": "all on demand", "lowPriorityCores": "all spot"}
"""Quotas of a region that are of no VM family, and what they count."""


@dataclass(frozen=True)
class Quota:
    """One quota of a region, in vCPU."""

    used: int
    limit: int

    @property
    def free(self) -> int:
        """What is left."""
        return self.limit - self.used


def vm_usage(az: Az, region: str) -> Mapping[str, Quota]:
    """The quotas of the subscription that `az` is signed in to, as `usage_of`.

    Raises:
        AzError: no answer.
        ClientError: the answer can't be read.
    """
    return usage_of(az.run("vm", "list-usage", "--location", region, "--output", "json"))


def usage_of(text: str | bytes) -> dict[str, Quota]:
    """The quotas in an output, by name in lower case, because Azure's spelling of families varies.

    The encoding of bytes is detected.

    Raises:
        ClientError: the text is not such output.
    """
    try:
        entries: list[dict[str, Any]] = list(json.loads(text))
        return {
            entry["name"]["value"].casefold(): Quota(int(entry["currentValue"]), int(entry["limit"]))
            for entry in entries or [{}]
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ClientError("not the output of `az vm list-usage --output json`") from None
