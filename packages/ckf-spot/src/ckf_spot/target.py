"""What `pools["cpu"]` is: a group of pools that places whatever it is given."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from ckf_spot.errors import Mistake, refuse
from ckf_spot.fields import Json
from ckf_spot.kinds import placing
from ckf_spot.pipelines import sdk
from ckf_spot.pipelines.request import BACKOFF, GIVE_UP, RETRIES
from ckf_spot.placement import Capacity, Preference
from ckf_spot.pool_group import PoolGroup, Selection

if TYPE_CHECKING:
    from ckf_spot.pipelines.report import Report


class Task(Protocol):
    """A task of a pipeline: kfp's `PipelineTask`, whose types are not there without the extra."""

    def set_retry(self, num_retries: int) -> Any:
        """Only tasks have it."""
        ...


AnyTask = TypeVar("AnyTask", bound=Task)


class SdkObject(Protocol):
    """An object of kubernetes, kubeflow-training, kubeflow-katib or kubeflow-trainer-api."""

    def to_dict(self) -> dict[str, Any]:
        """All of these have it."""
        ...


class Target(PoolGroup):
    """Pools on which work is placed."""

    @overload
    def place(
        self,
        work: AnyTask,
        *,
        prefer: Preference | None = None,
        require: Capacity | None = None,
        retries: int | None = None,
        backoff: str | None = None,
        give_up: str | None = None,
        gpus: int | None = None,
        by: Selection | None = None,
    ) -> AnyTask: ...

    @overload
    def place(
        self,
        work: Mapping[str, Any] | SdkObject,
        *,
        prefer: Preference | None = None,
        require: Capacity | None = None,
        also: str | Collection[str] | None = None,
        on_demand: str | Collection[str] | None = None,
        trainer_api: str | None = None,
        pod_template: bool | None = None,
        elastic: bool | None = None,
    ) -> Json: ...

    def place(
        self,
        work: Task | Mapping[str, Any] | SdkObject,
        *,
        prefer: Preference | None = None,
        require: Capacity | None = None,
        retries: int | None = None,
        backoff: str | None = None,
        give_up: str | None = None,
        gpus: int | None = None,
        by: Selection | None = None,
        also: str | Collection[str] | None = None,
        on_demand: str | Collection[str] | None = None,
        trainer_api: str | None = None,
        pod_template: bool | None = None,
        elastic: bool | None = None,
    ) -> Task | Json:
        """Places a task of a pipeline, or an object of Kubernetes.

        Args:
            work: a task, which is changed; or a map, or an object of an SDK, which stays as it is.
            prefer: `spot`: spot nodes if there are any, their on-demand fallbacks instead. The default.
            require: `spot`: nothing but spot, however long that takes; `on-demand`: nothing but on-demand.
            retries: of a task, after the first attempt. Left out: 5.
            backoff: of a task: wait before each retry. Left out: `5m`.
            give_up: of a task: time from its start in which all attempts must fit. Left out: `7d`.
            gpus: of a task: amount of `nvidia.com/gpu`. Left out: what it asks for, or else 1 on nodes that have GPUs.
            by: of a task: `node-selector` for backends before 2.14. Left out: `node-affinity`.
            also: of work with roles: the one, or those, that may vanish too, such as a training job's `Master`.
            on_demand: of work with roles: the one, or those, that go to on-demand nodes whatever the others do, such as
                one group of a Ray cluster's workers.
            trainer_api: of a TrainJob: the release of Kubeflow Trainer, such as `2.1`.
            pod_template: of a Pod: it is a template for Spark's executors.
            elastic: of a PyTorchJob that starts torchrun, and of Spark: the work can go on with fewer pods, so what is
                missing of `elasticPolicy`, or of `sparkConf` for executors that are evicted, is set.

        Returns:
            The task; or a new map, as the API server takes it.

        Raises:
            PlacementError: with every mistake, one a line; nothing is changed then.
        """
        of_tasks = {"retries": retries, "backoff": backoff, "give_up": give_up, "gpus": gpus, "by": by}
        of_objects = {
            "also": also,
            "on_demand": on_demand,
            "trainer_api": trainer_api,
            "pod_template": pod_template,
            "elastic": elastic,
        }
        task = _is_of_kfp(work)
        allowed, misfits = (of_tasks, of_objects) if task else (of_objects, of_tasks)
        kind = "not for a pipeline's task" if task else "for a pipeline's task only"
        refuse(
            Mistake(name, value, "leave it out", f"is {kind}")
            for name, value in misfits.items()
            if value is not None
        )
        options: Any = {name: value for name, value in allowed.items() if value is not None}
        if task:
            task_or_pipeline: Any = work
            return _tasks().place(task_or_pipeline, self, prefer=prefer, require=require, **options)
        return placing.placed_object(work, self, prefer=prefer, require=require, **options)

    def place_pipeline(
        self,
        pipeline: Any = None,
        *,
        prefer: Preference | None = None,
        require: Capacity | None = None,
        retries: int = RETRIES,
        backoff: str = BACKOFF,
        give_up: str = GIVE_UP,
        by: Selection = "node-affinity",
        except_: str | Collection[str] = (),
    ) -> Report:
        """Places every task of a pipeline, and reports where; see `ckf_spot.pipelines.tasks.place_pipeline`."""
        return _tasks().place_pipeline(
            pipeline,
            self,
            prefer=prefer,
            require=require,
            retries=retries,
            backoff=backoff,
            give_up=give_up,
            by=by,
            except_=except_,
        )


def _tasks() -> Any:
    """The module that places tasks; kfp is an extra, and takes a second to load."""
    sdk.check()
    from ckf_spot.pipelines import tasks  # noqa: PLC0415

    return tasks


def _is_of_kfp(work: object) -> bool:
    """Whether it is a task or a pipeline, without loading kfp."""
    return any(base.__module__.partition(".")[0] == "kfp" for base in type(work).__mro__)
