"""The work that a stack is for, from which the expected bill is computed; nothing else depends on it."""

from program.settings._model import SettingsModel, setting


class Work(SettingsModel):
    """One kind of work and where it runs; each step takes one node."""

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
    checkpoint_write_minutes: float = setting(
        2,
        about="Time that writing one checkpoint takes, in which no work is done.",
        unit="minutes",
        source="our choice; least values: docs/facts/placement.md#time-for-a-checkpoint",
        ge=0,
    )
    restart_minutes: float = setting(
        6,
        about="Billed time of each further start of a step: boot, images, data, reading a checkpoint.",
        unit="minutes",
        source="our choice; least values: docs/facts/placement.md#time-for-a-checkpoint",
        ge=0,
    )
    retries: int = setting(
        5,
        about="How often an evicted step starts again before it fails.",
        unit="starts",
        source="our choice",
        ge=0,
        le=1000,
    )
    retry_wait_minutes: float = setting(
        5,
        about="Unbilled time between an eviction and the next start: the retry's back-off.",
        unit="minutes",
        source="our choice",
        ge=0,
    )
    deadline_hours: float | None = setting(
        None,
        about="Time from a step's first start until somebody needs its result; null means nobody waits.",
        unit="hours",
        source="our choice",
        gt=0,
    )
    steps_at_once: int = setting(
        1,
        about="Steps that are submitted together; after the last of them their nodes idle until the autoscaler "
        "removes them.",
        unit="steps",
        source="our choice",
        ge=1,
        le=5000,
    )
