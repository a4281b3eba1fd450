"""The work that a stack is for, from which the expected bill is computed; nothing else depends on it."""

from program.settings._model import SettingsModel, setting


class Work(SettingsModel):
    """One kind of work and where it runs."""

    pool: str = setting(..., "our choice")
    """Name of the pool that runs it."""
    hours_per_month: float = setting(..., "docs/facts/prices.md#eviction-rates", unit="hours", gt=0)
    """Node hours a month it needs when nothing is evicted; all nodes of its steps count."""
    step_hours: float = setting(..., "docs/facts/prices.md#eviction-rates", unit="hours", gt=0)
    """Length of one step on its nodes, which is the most that an eviction can repeat."""
    checkpoint_minutes: float | None = setting(
        None, "docs/facts/prices.md#eviction-rates", unit="minutes", gt=0
    )
    """Time between checkpoints; null means an evicted step starts over."""
    checkpoint_write_minutes: float = setting(
        2, "our choice; least values: docs/facts/placement.md#time-for-a-checkpoint", unit="minutes", ge=0
    )
    """Time that writing one checkpoint takes, in which no work is done."""
    restart_minutes: float = setting(
        6, "our choice; least values: docs/facts/placement.md#time-for-a-checkpoint", unit="minutes", ge=0
    )
    """Billed time of each further start of a step: boot, images, data, reading a checkpoint."""
    retries: int = setting(5, "our choice", unit="starts", ge=0, le=1000)
    """How often an evicted step starts again before it fails."""
    retry_wait_minutes: float = setting(5, "our choice", unit="minutes", ge=0)
    """Unbilled time between an eviction and the next start: the retry's back-off."""
    deadline_hours: float | None = setting(None, "our choice", unit="hours", gt=0)
    """Time from a step's submission, the boot of its first nodes included, until somebody needs its result; null means
    nobody waits."""
    steps_at_once: int = setting(1, "our choice", unit="steps", ge=1, le=5000)
    """Steps that are submitted together; after the last of them their nodes idle until the autoscaler removes them."""
    nodes_per_step: int = setting(1, "our choice", unit="nodes", ge=1, le=5000)
    """Nodes that one step takes at the same time, such as those of a distributed training. It starts once all are
    there, and when one is evicted all start again."""
    elastic: bool = setting(False, "our choice")
    """Whether a step's other nodes go on when one is evicted, as the workers of Ray and Spark and of elastic training
    do. Then only the evicted one's part is repeated."""
    head_pool: str | None = setting(None, "our choice")
    """Pool on demand where each step has one node more from its start to its end: the head of a Ray cluster, the driver
    of a Spark job. Left out: none."""
