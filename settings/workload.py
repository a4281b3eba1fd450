"""The work a stack is for: a basis for estimating cost, which nothing else depends on."""

from settings._model import SettingsModel, setting


class Work(SettingsModel):
    """One kind of work and where it runs."""

    pool: str = setting(about="Name of the pool that runs it.", source="our choice")
    hours_per_month: float = setting(
        about="Node hours a month it needs when nothing is evicted.",
        unit="hours",
        source="docs/facts/prices.md#eviction-rates",
        gt=0,
    )
    step_hours: float = setting(
        about="Length of one step, which is the most that an eviction can repeat.",
        unit="hours",
        source="docs/facts/prices.md#eviction-rates",
        gt=0,
    )
    checkpoint_minutes: float | None = setting(
        None,
        about="Time between checkpoints; null means an evicted step starts over.",
        unit="minutes",
        source="docs/facts/prices.md#eviction-rates",
        gt=0,
    )
