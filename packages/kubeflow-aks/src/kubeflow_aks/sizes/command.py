"""What `kubeflow-aks sizes` does: lists VM sizes side by side, before there is a pool."""

import json

from aks_facts import priced_regions
from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.spot_placement import Desired
from kubeflow_aks.cost.prices import open_market
from kubeflow_aks.exit_codes import ExitCode, UsageError
from kubeflow_aks.sizes.listing import Filter, Subscription, matching, queried, rows
from kubeflow_aks.sizes.report import Listing, document, page
from kubeflow_aks.text.terminal import terminal, terminal_width

_SECONDS = 30.0
"""Time limit of one call of `az`."""


def sizes(criteria: Filter, *, count: int, most: int, offline: bool, form: str) -> ExitCode:
    """Prints at most so many sizes that match, with the score of `count` spot VMs; `form` is `text` or `json`.

    Returns:
        FINDING where no size matches.

    Raises:
        UsageError: there is no such region.
        CostError: a size has no price.
    """
    if criteria.region not in priced_regions():
        raise UsageError(
            f"--location: {criteria.region} is not allowed; expected a region of Azure's public cloud, such as "
            "westeurope"
        )
    sizes = matching(criteria)
    listed, warnings = sizes[:most], list[str]()
    market = open_market(
        {}, offline=offline, report=warnings.append, required=[(it.name, criteria.region) for it in listed]
    )
    azure = _azure(criteria.region, [Desired(size.name, count) for size in listed], offline=offline)
    listing = Listing(
        criteria,
        count,
        market.currency,
        len(sizes),
        rows(criteria, listed, count, market, azure),
        azure,
        warnings,
    )
    if form == "json":
        print(json.dumps(document(listing), indent=2, ensure_ascii=False, allow_nan=False))
    elif listed:
        print(*terminal(page(listing), terminal_width()), sep="\n")
    else:
        print(f"No VM size in {criteria.region} matches.")
    return ExitCode.GOOD if listed else ExitCode.FINDING


def _azure(region: str, desired: list[Desired], *, offline: bool) -> Subscription:
    if offline:
        return Subscription(reasons=("Scores and quota are not queried: --offline.",))
    return queried(Az(seconds=_SECONDS), region, desired)
