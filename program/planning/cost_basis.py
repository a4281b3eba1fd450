"""The settings from which the expected bill is computed, as one output of the program."""

from typing import Any, get_args

from pydantic.alias_generators import to_camel

from components.arguments.choices import Weekday
from program.settings import Settings


def cost_basis(settings: Settings) -> dict[str, Any]:
    """The output `costBasis`, JSON types: every default filled in, and each pool's own values beside those of all.

    But for `soldOutShare`: a pool's is that of all its sizes at once, and the one of all is each size's.

    Pools, sizes and disks are not in it; readers take them from the resources. `production` is for the commands that
    stop clusters. `assumed` lists the keys that the stack leaves at their default, which a measured figure replaces.
    """
    basis = settings.model_dump(
        mode="json",
        by_alias=True,
        include={
            **dict.fromkeys(("location", "production", "workload", "cost", "office_hours"), True),
            "budget": {"monthly"},  # not whom Azure mails
        },
    )
    basis["headroom"] = {
        name: pool.headroom.model_dump(mode="json", by_alias=True, include={"nodes", "hours"})
        for name, pool in settings.pools.items()
        if pool.headroom
    }
    cost, hours = basis["cost"], basis["officeHours"]
    for rates in cost["pools"].values():
        rates.update({key: cost[key] for key in ("evictionRate", "soldOutHours") if rates[key] is None})
    for name, work in settings.workload.items():
        left = type(work).model_fields.keys() - work.model_fields_set
        basis["workload"][name]["assumed"] = sorted(map(to_camel, left))
    if hours:
        hours["days"] = [day.lower() for day in get_args(Weekday) if day in hours["days"]]
    return basis
