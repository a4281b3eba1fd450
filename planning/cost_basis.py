"""What the expected bill is made with: the stack's settings of work and cost, as one output of the program."""

from typing import Any, get_args

from pydantic.alias_generators import to_camel

from settings import Settings
from settings.cluster import Weekday


def cost_basis(settings: Settings) -> dict[str, Any]:
    """The output `costBasis`, JSON types: every default filled in, and each pool's own values beside those of all.

    Whoever reads it needs to know nothing of settings; pools, sizes and disks are those of the resources. `production`
    is for who stops clusters. `assumed` names what the stack leaves at its default, which a measured figure replaces.
    """
    told = settings.model_dump(
        mode="json",
        by_alias=True,
        include={"location", "production", "workload", "cost", "budget", "office_hours"},
    )
    cost, hours = told["cost"], told["officeHours"]
    for own in cost["pools"].values():
        own.update({key: cost[key] for key, value in own.items() if value is None})
    for name, work in settings.workload.items():
        left = type(work).model_fields.keys() - work.model_fields_set
        told["workload"][name]["assumed"] = sorted(map(to_camel, left))
    if hours:
        hours["days"] = [day.lower() for day in get_args(Weekday) if day in hours["days"]]
    return told
