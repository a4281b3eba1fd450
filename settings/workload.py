"""The work a stack is for; only the cost report reads it."""

from settings._model import SettingsModel, setting


class Work(SettingsModel):
    """One kind of work and where it runs."""

    pool: str = setting(about="Name of the pool that runs it.", source="facts/cost.md §0")
    hours_per_month: float = setting(
        about="Node hours a month it needs when nothing is evicted.",
        unit="hours",
        source="facts/cost.md §0",
        gt=0,
    )
    step_hours: float = setting(
        about="Length of one step; an eviction repeats at most this much.",
        unit="hours",
        source="facts/cost.md §0",
        gt=0,
    )
    checkpoint_minutes: float | None = setting(
        None,
        about="Time between checkpoints; null means an evicted step starts over.",
        unit="minutes",
        source="facts/cost.md §0",
        gt=0,
    )
