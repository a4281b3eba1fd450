"""The objects of a scenario in the cluster: creates, ends, lists and deletes them."""

import time
from collections import Counter
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Kind, at, fields, is_true, name_of
from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.scenario.contract_pools import POOL_LABEL, ContractPool
from kubeflow_aks.scenario.observations import JobRecord, PodRecord, Refusal, RunRecord
from kubeflow_aks.scenario.workloads.blog import RUNS, state
from kubeflow_aks.scenario.workloads.platform_and_jobs import (
    PART,
    PLATFORM_NAMESPACE,
    RUN_SECONDS,
    Object,
)
from kubeflow_aks.scenario.workloads.stage import SIMULATED, Stage
from kubeflow_aks.text.numbers import counted

_JOB: Final = Kind("batch", "v1", "Job")
_STATEFUL_SET: Final = Kind("apps", "v1", "StatefulSet")
_POD: Final = Kind("", "v1", "Pod")
_NODE: Final = Kind("", "v1", "Node")
_CLEAR_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.1
_POLICY_SECONDS: Final = 10.0


class DemoObjects:
    """A scenario's objects in one cluster."""

    def __init__(self, api: ApiServer, stage: Stage = SIMULATED) -> None:
        self._api = api
        self.stage = stage
        self._namespaces = (PLATFORM_NAMESPACE, stage.namespace)

    def create(self, objects: Iterable[Object]) -> None:
        """Creates objects; existing ones stay unchanged."""
        for obj in objects:
            try:
                self._api.create(obj, self.stage.manager)
            except ApiError as error:
                if not error.already_exists:
                    raise

    def attempt(self, obj: Object) -> Refusal:
        """Tries to create an object that should be refused, as a dry run.

        It tries for a while, because the API server enforces a new policy only after a moment.
        """
        deadline = time.monotonic() + _POLICY_SECONDS
        while time.monotonic() < deadline:
            try:
                self._api.create(obj, self.stage.manager, dry_run=True)
            except ApiError as error:
                return Refusal(status=error.status, message=error.message)
            time.sleep(_POLL_SECONDS)
        return Refusal(status=HTTPStatus.CREATED, message="")

    def finish_work(self, pods: Iterable[PodRecord]) -> None:
        """Ends the work of pods; an evicted pod has a successor, which is ended later."""
        path = f"/metadata/annotations/{RUN_SECONDS.replace('/', '~1')}"
        for pod in pods:
            live = _object(_POD, pod.namespace, pod.name)
            try:
                self._api.patch(live, self.stage.manager, [{"op": "add", "path": path, "value": "0"}])
            except ApiError as error:
                if not error.not_found:
                    raise

    def jobs(self) -> list[JobRecord]:
        """The demo's Jobs with the counts of their status."""
        return [_job_record(job) for job in self._of_the_demo(_JOB, self.stage.namespace)]

    def runs(self) -> list[RunRecord]:
        """The demo's workflows and training jobs with the state that their controllers report."""
        return [
            RunRecord(kind=kind.kind, name=name_of(run), part=part, state=state(run))
            for kind, part in RUNS.items()
            for run in self._of_the_demo(kind, self.stage.namespace)
        ]

    def clear(self, pools: Iterable[ContractPool]) -> None:
        """Deletes what an earlier demo made, and waits until its pods and their nodes are gone; namespaces stay.

        Raises:
            CommandError: they still exist after two minutes.
        """
        pools = tuple(pools)
        for kind in (_JOB, _STATEFUL_SET, *RUNS):
            for namespace in self._namespaces:
                for obj in self._of_the_demo(kind, namespace):
                    self._delete(_object(kind, namespace, name_of(obj)))
        deadline = time.monotonic() + _CLEAR_SECONDS
        while left := self._left(pools):
            if time.monotonic() > deadline:
                raise CommandError(
                    f"{left} of earlier work still exist; `./kubeflow-aks local down` removes everything"
                )
            time.sleep(_POLL_SECONDS)

    def _left(self, pools: Iterable[ContractPool]) -> str:
        """The remaining objects, for a message; empty without any."""
        pods = sum(len(self._of_the_demo(_POD, namespace)) for namespace in self._namespaces)
        if pods:
            return counted(pods, "pod")
        size = Counter(str(at(node, "metadata", "labels", POOL_LABEL)) for node in self._api.list(_NODE, ""))
        return ", ".join(
            f"{counted(size[pool.name], 'node')} of {pool.name}"
            for pool in pools
            if pool.elastic and size[pool.name] > pool.min_count
        )

    def _of_the_demo(self, kind: Kind, namespace: str) -> list[Object]:
        """The demo's objects of a kind, without their kind, which lists omit; empty if the kind is not served yet."""
        try:
            objects = self._api.list(kind, namespace)
        except NoSuchKindError:
            return []
        return [obj for obj in objects if at(obj, "metadata", "labels", PART)]

    def _delete(self, obj: Object) -> None:
        try:
            self._api.delete(obj, "Background")
        except ApiError as error:
            if not error.not_found:
                raise


def _object(kind: Kind, namespace: str, name: str) -> Object:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": name, "namespace": namespace},
    }


def _job_record(job: Object) -> JobRecord:
    status = fields(job.get("status"))
    return JobRecord(
        name=name_of(job),
        part=str(at(job, "metadata", "labels", PART)),
        tasks=int(at(job, "spec", "completions") or 0),
        succeeded=int(status.get("succeeded") or 0),
        failed=int(status.get("failed") or 0),
        complete=is_true(job, "Complete"),
    )
