"""The work that a stack is for, from which the expected bill is computed; nothing else depends on it."""

from program.settings._model import SettingsModel, setting


class Work(SettingsModel):
    """One kind of work and where it runs."""

    pool: str = setting(about="Name of the pool that runs it.", source="our choice")
    hours_per_month: float = setting(
        about="Node hours a month it needs when nothing is evicted; all nodes of its steps count.",
        unit="hours",
        source="docs/facts/prices.md#eviction-rates",
        gt=0,
    )
    step_hours: float = setting(
        about="Length of one step on its nodes, which is the most that an eviction can repeat.",
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
        about="Time from a step's submission, the boot of its first nodes included, until somebody needs its result; "
        "null means nobody waits.",
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
    nodes_per_step: int = setting(
        1,
        about="Nodes that one step takes at the same time, such as those of a distributed training. It starts once all "
        "are there, and when one is evicted all start again.",
        unit="nodes",
        source="our choice",
        ge=1,
        le=5000,
    )
    elastic: bool = setting(
        False,
        about="Whether a step's other nodes go on when one is evicted, as the workers of Ray and Spark and of elastic "
        "training do. Then only the evicted one's part is repeated.",
        source="our choice",
    )
    head_pool: str | None = setting(
        None,
        about="Pool on demand where each step has one node more from its start to its end: the head of a Ray cluster, "
        "the driver of a Spark job. Left out: none.",
        source="our choice",
    )
