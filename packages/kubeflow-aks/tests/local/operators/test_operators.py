"""A Katib experiment, a RayJob and a queued Job that `ckf_spot` placed, through an eviction and while spot is sold out.

All three operators are the real ones, on one control plane, and one storm hits the work of all at once.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

import pytest
import yaml

from ckf_spot import Pools
from ckf_spot.generated import kueue
from ckf_spot.generated.kueue import Room
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim, Supply
from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import blocks
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack, Object, Play, deployed
from tests.local.kubectl import eventually
from tests.local.operators.controllers import Katib, KubeRay, Kueue
from tests.local.operators.dashboards import Dashboards, dashboards
from tests.local.operators.work import Work
from tests.local.pool_contract import pools_of
from tests.local.ports import listening
from tests.local.required import required

_EXAMPLES: Final = PROJECT_ROOT / "packages/ckf-spot/examples"
_SPOT, _FALLBACK, _STAYS = "cpuspot", "cpuod", "general"
_TRIALS: Final = 3
_GANG: Final = 4
_WORKLOAD: Final = Kind("kueue.x-k8s.io", "v1beta2", "Workload")
_STEP: Final = 10.0
"""Simulated seconds of a step."""
_PATIENCE: Final = {"timeout": "3s", "requeuingStrategy": {"backoffLimitCount": 1, "backoffBaseSeconds": 1}}
"""Kueue's patience with pods that don't become ready: once again, and then no more."""
_QUEUES: Final = PROJECT_ROOT / "packages/ckf-spot/docs/kueue.md"
_RECORDING: Final = PROJECT_ROOT / "packages/ckf-spot/tests/generated/kueue_recording.json"
_NODES: Final = {"Standard_D8ds_v5": Room("7820m", "27Gi"), "Standard_NC4as_T4_v3": Room("3860m", "24Gi")}


def example(name: str, namespace: str) -> Object:
    """One of the package's examples, in a namespace."""
    document = yaml.safe_load((_EXAMPLES / name).read_text(encoding="utf-8"))
    document["metadata"]["namespace"] = namespace
    return document


@dataclass(frozen=True)
class Storm:
    """What was seen of one storm.

    Attributes:
        first: pools of each one's pods before.
        stayed: pools of their other pods before.
        sold_out: pools of each one's pods after all spot nodes were taken, while there are no others.
        sidecars: names of the containers of the trials' pods.
        used: CPUs of the quotas of the queue's flavors meanwhile.
        clusters: names of the RayJob's clusters: before, and after its job failed.
        experiment: the experiment in the end.
        ray: the RayJob in the end.
        queued: the queued Job in the end.
        trials: the experiment's trials.
    """

    first: dict[str, set[str]]
    stayed: dict[str, set[str]]
    sold_out: dict[str, set[str]]
    sidecars: set[str]
    used: dict[str, str]
    clusters: tuple[str, str]
    experiment: Object
    ray: Object
    queued: Object
    trials: list[Object]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    with deployed(required("katib", "ray", "kueue"), tmp_path_factory.mktemp("operators")) as demo:
        yield demo


@pytest.fixture(scope="module")
def heads(demo: DemoStack) -> Generator[Dashboards]:
    """The operators are at work meanwhile."""
    run, tools = demo.aks.run, demo.aks.tools
    katib, ray, queues = Katib(run, tools), KubeRay(run, tools), Kueue(run, tools)
    with dashboards() as heads:
        try:
            katib.start()
            ray.start(heads.address)
            queues.start()
            yield heads
        finally:
            for operator in (katib, ray, queues):
                operator.stop()


@pytest.fixture(scope="module")
def pools(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Pools:
    return pools_of(demo, tmp_path_factory.mktemp("contract"))


def namespace(demo: DemoStack, name: str, **labels: str) -> str:
    metadata = {"name": name, "labels": labels}
    demo.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    demo.kubectl.run("wait", "--for=create", "serviceaccount/default", "--namespace", name)
    return name


def tuned(demo: DemoStack, pools: Pools) -> Work:
    """The package's experiment, with few trials; Charmed Kubeflow labels profiles for Katib's webhook."""
    name = namespace(demo, "tunes", **{"katib.kubeflow.org/metrics-collector-injection": "enabled"})
    document = example("training/experiment.yaml", name)
    document["spec"] |= {"maxTrialCount": _TRIALS, "parallelTrialCount": _TRIALS - 1}
    placed = pools["cpu"].place(document, prefer="spot")
    return Work(demo, placed, ("job-name", "spot-tune"), _TRIALS - 1)


def rayed(demo: DemoStack, pools: Pools) -> Work:
    document = example("operators/rayjob.yaml", namespace(demo, "rays"))
    placed = pools["cpu"].place(document, prefer="spot")
    return Work(demo, placed, ("ray.io/node-type", "worker"), 1)


def queued(demo: DemoStack, pools: Pools) -> Work:
    """The package's Job in a queue that `ckf-spot generate kueue` makes."""
    name, recorded = namespace(demo, "queues"), namespace(demo, "recorded")
    demo.apply(*kueue.objects(pools, (name, recorded), _NODES))
    document = example("training/job.yaml", name)
    document["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": kueue.QUEUE}
    document["spec"] |= {"completions": _GANG, "parallelism": _GANG}
    return Work(demo, pools["cpu"].place(document, prefer="spot"), ("job-name", "score"), _GANG)


@pytest.fixture(scope="module")
def storm(demo: DemoStack, heads: Dashboards, pools: Pools) -> Storm:
    """Spot is sold out for an hour and every spot node is taken; all work is brought to its end."""
    with demo.playing(step=_STEP) as play:
        tune, ray, queue = works = tuned(demo, pools), rayed(demo, pools), queued(demo, pools)
        for work in works:
            demo.apply(work.placed)
        first = {work.namespace: play.until(f"{work.namespace} run", work.pools) for work in works}
        play.until("the job is submitted", lambda: ray.status("jobStatus") == "RUNNING")
        stayed = {work.namespace: work.others() for work in works}
        lost = set(demo.nodes(_SPOT))
        since = play.clock.now()
        play.market.add(
            MarketEvent(since, Supply.SOLD_OUT, _SPOT), MarketEvent(since, Reclaim.EVICT, _SPOT, ALL)
        )
        sold_out = {
            work.namespace: play.until(
                f"{work.namespace} run elsewhere", lambda work=work: work.pools(without=lost)
            )
            for work in works
        }
        trying = tune.running()
        flavors = demo.kubectl.get("clusterqueues.kueue.x-k8s.io", kueue.QUEUE)["status"]["flavorsUsage"]
        clusters = failed_once(play, ray, heads)
        brought_to_end(play, tune, ray, heads)
        queue.end(queue.running())
        play.until("the queued Job is done", lambda: "Complete" in queue.conditions())
        trials = demo.api.list(Kind("kubeflow.org", "v1beta1", "Trial"), tune.namespace)
        return Storm(
            first,
            stayed,
            sold_out,
            {container["name"] for pod in trying for container in pod["spec"]["containers"]},
            {flavor["name"]: flavor["resources"][0]["total"] for flavor in flavors},
            clusters,
            tune.live(),
            ray.live(),
            queue.live(),
            trials,
        )


def failed_once(play: Play, ray: Work, heads: Dashboards) -> tuple[str, str]:
    """Has Ray give up its job; the names of the cluster before and of the one after."""
    before = ray.status("rayClusterName")
    heads.states[ray.status("jobId")] = "FAILED"
    submitted(ray)
    after = play.until(
        "there is another cluster",
        lambda: {ray.status("rayClusterName")} - {before, "", None},
        every=REQUEST_SECONDS,
    )
    return before, after.pop()


def submitted(ray: Work) -> None:
    """Ends the pod that submitted the job."""
    ray.end([pod for pod in ray.demo.pods(ray.namespace) if "job-name" in pod["metadata"]["labels"]])


def brought_to_end(play: Play, tune: Work, ray: Work, heads: Dashboards) -> None:
    def ended() -> bool:
        tune.end(tune.running())
        return "Succeeded" in tune.conditions()

    play.until("the experiment succeeds", ended, every=REQUEST_SECONDS)
    play.until(
        "the job is submitted again",
        lambda: ray.status("jobStatus") == "RUNNING",
        every=REQUEST_SECONDS,
    )
    heads.states[ray.status("jobId")] = "SUCCEEDED"
    submitted(ray)
    play.until(
        "the RayJob is complete",
        lambda: ray.status("jobDeploymentStatus") == "Complete",
        every=REQUEST_SECONDS,
    )


def test_all_begin_on_spot_and_what_coordinates_them_on_nodes_that_stay(storm: Storm) -> None:
    assert storm.first == {"tunes": {_SPOT}, "rays": {_SPOT}, "queues": {_SPOT}}
    assert storm.stayed == {"tunes": {_STAYS}, "rays": {_STAYS}, "queues": set()}


def test_all_go_on_on_demand_while_spot_is_sold_out(storm: Storm) -> None:
    assert storm.sold_out == {"tunes": {_FALLBACK}, "rays": {_FALLBACK}, "queues": {_FALLBACK}}


def test_katib_puts_its_collector_of_metrics_beside_a_placed_trial(storm: Storm) -> None:
    assert storm.sidecars == {"training-container", "metrics-logger-and-collector"}


def test_no_eviction_counts_against_the_experiment(storm: Storm) -> None:
    status = storm.experiment["status"]
    assert status["trialsSucceeded"] == _TRIALS
    assert "trialsFailed" not in status


def test_the_optimal_trial_is_the_one_with_the_least_loss(storm: Storm) -> None:
    tried = {float(trial["spec"]["parameterAssignments"][0]["value"]) for trial in storm.trials}
    [metric] = storm.experiment["status"]["currentOptimalTrial"]["observation"]["metrics"]
    assert len(tried) == _TRIALS
    assert float(metric["min"]) == min(tried)


def test_an_eviction_of_workers_is_no_failure_of_the_ray_job_and_one_of_ray_gets_another_cluster(
    storm: Storm,
) -> None:
    assert storm.ray["status"]["failed"] == 1
    assert storm.ray["status"]["succeeded"] == 1
    before, after = storm.clusters
    assert before != after


def test_queued_work_on_the_fallback_keeps_the_quota_of_spot(storm: Storm) -> None:
    """Kueue counts quota alone, and an eviction is no failure of a queued Job."""
    assert storm.used == {_SPOT: "8", _FALLBACK: "0", "gpuspot": "0", "gpuod": "0"}
    assert "failed" not in storm.queued["status"]


@pytest.mark.usefixtures("heads")
def test_no_operator_listens_beyond_this_machine(demo: DemoStack) -> None:
    run, tools = demo.aks.run, demo.aks.tools
    pids = {
        operator.process: operator.controller.pid_file.running()
        for operator in (Katib(run, tools), KubeRay(run, tools), Kueue(run, tools))
    }
    ports = {name: {port.address for port in listening([pid])} for name, pid in pids.items() if pid}
    assert ports == {"katib-controller": {"127.0.0.1"}, "ray-operator": set(), "kueue": {"127.0.0.1"}}


@pytest.mark.usefixtures("storm")
def test_kueue_gives_placed_jobs_the_flavors_that_were_recorded(demo: DemoStack, pools: Pools) -> None:
    recorded = json.loads(_RECORDING.read_text(encoding="utf-8"))["jobs"]
    jobs = [bare_job(f"job-{number}", gpu=seen["pool"] == "gpu") for number, seen in enumerate(recorded)]
    for job, seen in zip(jobs, recorded, strict=True):
        demo.apply(pools[seen["pool"]].place(job, **seen["wish"]) if seen["pool"] else job)

    def decided() -> list[Object]:
        workloads = demo.api.list(_WORKLOAD, "recorded")
        decisions = [condition(workload, "QuotaReserved")["status"] for workload in workloads]
        return [] if "Unknown" in decisions or len(decisions) < len(recorded) else workloads

    workloads = {load["metadata"]["ownerReferences"][0]["name"]: load for load in eventually(decided)}
    for job, seen in zip(jobs, recorded, strict=True):
        reserved = condition(workloads[job["metadata"]["name"]], "QuotaReserved")
        spec = demo.api.get(job)["spec"]
        assert reserved["status"] == ("True" if seen["flavor"] else "False")
        assert (spec["suspend"], spec["template"]["spec"].get("nodeSelector")) == (
            seen["suspend"],
            seen["nodeSelector"],
        )
        if seen["flavor"] is None:
            assert reserved["message"].count("untolerated taint") == seen["message"].count(
                "untolerated taint"
            )


@pytest.mark.usefixtures("storm")
def test_a_queued_job_that_requests_nothing_is_not_pinned(demo: DemoStack, pools: Pools) -> None:
    job = bare_job("nothing", gpu=False)
    del job["spec"]["template"]["spec"]["containers"][0]["resources"]
    placed = pools["cpu"].place(job, prefer="spot")
    demo.apply(placed)
    eventually(lambda: demo.api.get(placed)["spec"]["suspend"] is False)
    assert "nodeSelector" not in demo.api.get(placed)["spec"]["template"]["spec"]


def condition(workload: Object, kind: str) -> Object:
    """A workload's condition of a type; one of the status `Unknown` where it has none."""
    conditions = workload.get("status", {}).get("conditions", [])
    there = [condition for condition in conditions if condition["type"] == kind]
    return there[0] if there else {"status": "Unknown", "reason": "", "message": ""}


def bare_job(name: str, *, gpu: bool) -> Object:
    """A queued Job; one that requests nothing would get no flavor."""
    limits = {"cpu": "1", **({"nvidia.com/gpu": "1"} if gpu else {})}
    container = {"name": "main", "image": "score", "resources": {"limits": limits}}
    metadata = {"name": name, "namespace": "recorded", "labels": {"kueue.x-k8s.io/queue-name": kueue.QUEUE}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}


@pytest.mark.usefixtures("storm")
def test_katib_refuses_an_experiment_whose_job_has_a_field_in_the_wrong_place(demo: DemoStack) -> None:
    document = example("training/experiment.yaml", "tunes")
    document["metadata"]["name"] = "wrong"
    job = document["spec"]["trialTemplate"]["trialSpec"]
    job["spec"]["containers"] = job["spec"]["template"]["spec"]["containers"]
    with pytest.raises(ApiError, match="unable to convert: /spec/containers"):
        demo.api.create(document, "tests", dry_run=True)


@pytest.mark.usefixtures("heads")
def test_katib_refuses_an_experiment_in_a_namespace_without_its_label(demo: DemoStack) -> None:
    with pytest.raises(ApiError, match=r"lacks label .katib[.]kubeflow[.]org/metrics-collector-injection"):
        demo.api.create(example("training/experiment.yaml", "default"), "tests", dry_run=True)


@pytest.mark.usefixtures("heads")
def test_kuberay_refuses_retries_of_an_interactive_job(demo: DemoStack) -> None:
    document = example("operators/rayjob.yaml", "default")
    document["spec"] |= {"submissionMode": "InteractiveMode", "entrypoint": ""}
    job = Work(demo, document, ("", ""), 0)
    demo.apply(document)
    eventually(lambda: job.status("jobDeploymentStatus") == "ValidationFailed")
    assert "BackoffLimit is incompatible with InteractiveMode" in job.status("message")


def gang(demo: DemoStack, pools: Pools, namespace: str, name: str) -> Work:
    """A queued Job whose pods run side by side, each on a node of its own."""
    job = bare_job(name, gpu=False)
    job["metadata"]["namespace"] = namespace
    job["spec"] |= {"completions": _GANG, "parallelism": _GANG}
    job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "7"
    return Work(demo, pools["cpu"].place(job, prefer="spot"), ("job-name", name), _GANG)


@pytest.mark.usefixtures("storm")
def test_a_gang_runs_as_a_whole_on_the_fallback_or_not_at_all(demo: DemoStack, pools: Pools) -> None:
    """Two gangs of four, with spot sold out and five nodes of the fallback, in the page's configuration but faster."""
    [settings] = [block for block in map(yaml.safe_load, blocks(_QUEUES, "yaml")) if "kind" not in block]
    patience = settings["waitForPodsReady"] | {"timeout": "8s"}
    patience["requeuingStrategy"] |= {"backoffBaseSeconds": 1}
    name = namespace(demo, "gangs")
    demo.kubectl.run("delete", "jobs", "--all", "--namespace", "recorded")
    demo.apply(*kueue.objects(pools, (name,), _NODES))
    queues = Kueue(demo.aks.run, demo.aks.tools)
    queues.stop()
    queues.start(waitForPodsReady=patience)
    gangs = [gang(demo, pools, name, job) for job in ("one", "two")]

    def loads() -> dict[str, Object]:
        """The workloads by their Jobs."""
        return {
            load["metadata"]["ownerReferences"][0]["name"]: load for load in demo.api.list(_WORKLOAD, name)
        }

    def starting() -> int:
        """How many have quota whose pods are not ready."""
        states = [
            [condition(load, kind)["status"] for kind in ("QuotaReserved", "PodsReady")]
            for load in loads().values()
        ]
        return sum(reserved == "True" != ready for reserved, ready in states)

    side_by_side = 0

    def running() -> Work | None:
        """The first gang that runs as a whole."""
        nonlocal side_by_side
        side_by_side = max(side_by_side, starting())
        return next((work for work in gangs if work.pools()), None)

    with demo.playing(MarketEvent(0, Supply.SOLD_OUT, _SPOT), step=2 * _STEP) as play:
        for work in gangs:
            demo.apply(work.placed)
        whole = play.until("a gang runs", running, every=REQUEST_SECONDS)
        assert side_by_side == 1
        [other] = (work for work in gangs if work is not whole)
        assert whole.pools() == {_FALLBACK}
        part = play.until("one node is left for the other", other.running)
        assert len(part) < _GANG
        play.until(
            "Kueue takes it back",
            lambda: condition(loads()[other.labels[1]], "Evicted")["reason"] == "PodsReadyTimeout",
        )
        play.until("no pod of it is left", lambda: not other.movable())
        assert whole.pools() == {_FALLBACK}
        whole.end(whole.running())
        assert play.until("the other runs", other.pools) == {_FALLBACK}
        other.end(other.running())
        for work in gangs:
            play.until("it is done", lambda work=work: "Complete" in work.conditions())


@pytest.mark.usefixtures("heads")
def test_kueue_gives_up_work_that_gets_no_node_until_its_workload_is_deleted(
    demo: DemoStack, pools: Pools
) -> None:
    """With `waitForPodsReady` and a limit; the last test, since Kueue keeps this configuration."""
    name = namespace(demo, "deactivated")
    demo.apply(*kueue.objects(pools, (name,), _NODES))
    queues = Kueue(demo.aks.run, demo.aks.tools)
    queues.stop()
    queues.start(waitForPodsReady=_PATIENCE)
    job = bare_job("waits", gpu=False)
    job["metadata"]["namespace"] = name
    placed = pools["cpu"].place(job, prefer="spot")
    [container] = placed["spec"]["template"]["spec"]["containers"]
    container["resources"]["limits"]["cpu"] = "9"  # more than any node has, which Kueue does not look at
    demo.apply(placed)
    flavors: set[str] = set()

    def load() -> Object:
        [workload] = demo.api.list(_WORKLOAD, name) or [{}]
        for assigned in workload.get("status", {}).get("admission", {}).get("podSetAssignments", ()):
            flavors.add(assigned["flavors"]["cpu"])
        return workload

    assert eventually(lambda: condition(load(), "Evicted")["reason"] == "PodsReadyTimeout")
    assert condition(load(), "Evicted")["message"].startswith("Exceeded the PodsReady timeout")
    assert eventually(lambda: load()["spec"]["active"] is False)
    assert eventually(lambda: condition(load(), "Evicted")["reason"].startswith("Deactivated"))
    assert condition(load(), "Evicted")["message"] == (
        "The workload is deactivated due to exceeding the maximum number of re-queuing retries"
    )
    assert flavors == {_SPOT}, "it never tries the next one"
    workload = f"workloads.kueue.x-k8s.io/{load()['metadata']['name']}"
    given_up = load()["metadata"]["uid"]
    demo.kubectl.run("delete", workload, "--namespace", name, "--wait=false")
    assert eventually(lambda: condition(load(), "QuotaReserved")["status"] == "True")
    assert load()["metadata"]["uid"] != given_up
