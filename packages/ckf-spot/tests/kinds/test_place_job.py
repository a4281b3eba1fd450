"""Jobs of Kubernetes: an eviction neither fails them nor counts against their limits."""

import warnings
from typing import Any

import pytest
from samples import (
    OFF_SPOT,
    ON_SPOT,
    POOL,
    PREFERRED,
    WORKLOAD,
    Json,
    container,
    example,
    expressions,
    job,
    place,
    pod_of,
)

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest

IGNORE: Json = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
FAIL_ON_42: Json = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}


def with_spec(**spec: Any) -> Json:
    document = job()
    document["spec"] |= spec
    return document


def test_spot_is_preferred_within_the_pool_and_its_twin(pools: Pools) -> None:
    pod = pod_of(place(job(), pools["cpu"]))
    assert expressions(pod) == [[{"key": WORKLOAD, "operator": "In", "values": ["cpu"]}]]
    request = {"weight": 100, "preference": {"matchExpressions": [ON_SPOT]}}
    assert pod["affinity"]["nodeAffinity"][PREFERRED] == [request]


def test_a_pool_by_its_name_stands_for_it_and_its_twin(pools: Pools) -> None:
    pod = pod_of(place(job(), pools["cpuspot"], require="spot"))
    assert expressions(pod) == [[{"key": POOL, "operator": "In", "values": ["cpuspot", "cpuod"]}, ON_SPOT]]


def test_spot_can_be_required(pools: Pools) -> None:
    pod = pod_of(place(job(), pools["cpu"], require="spot"))
    assert ON_SPOT in expressions(pod)[0]
    assert PREFERRED not in pod["affinity"]["nodeAffinity"]


def test_evictions_are_ignored_before_the_jobs_own_rules(pools: Pools) -> None:
    placed = place(with_spec(podFailurePolicy={"rules": [FAIL_ON_42]}), pools["cpu"])
    assert placed["spec"]["podFailurePolicy"]["rules"] == [IGNORE, FAIL_ON_42]


def test_a_rule_that_ignores_evictions_moves_to_the_front(pools: Pools) -> None:
    short = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    placed = place(with_spec(podFailurePolicy={"rules": [FAIL_ON_42, short]}), pools["cpu"])
    assert placed["spec"]["podFailurePolicy"]["rules"] == [IGNORE, FAIL_ON_42]


def test_the_kubelet_restarts_nothing_or_the_policy_is_refused(pools: Pools) -> None:
    assert pod_of(place(job(restartPolicy="OnFailure"), pools["cpu"]))["restartPolicy"] == "Never"


def test_a_pod_is_replaced_once_it_has_ended(pools: Pools) -> None:
    assert place(job(), pools["cpu"])["spec"]["podReplacementPolicy"] == "Failed"


def test_the_autoscaler_lets_the_pod_live(pools: Pools) -> None:
    metadata = place(job(), pools["cpu"])["spec"]["template"]["metadata"]
    assert metadata["annotations"] == {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}


def test_what_the_user_says_of_the_autoscaler_stays(pools: Pools) -> None:
    metadata = {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}}
    document = job()
    document["spec"]["template"]["metadata"] = metadata
    assert place(document, pools["cpu"])["spec"]["template"]["metadata"] == metadata


def test_an_indexed_job_counts_failures_by_task(pools: Pools) -> None:
    placed = place(example("job"), pools["cpu"])["spec"]
    assert (placed["backoffLimitPerIndex"], placed["maxFailedIndexes"]) == (6, 0)


@pytest.mark.parametrize("limit", [{"backoffLimit": 2}, {"backoffLimitPerIndex": 0}])
def test_an_indexed_jobs_own_limit_stays(pools: Pools, limit: Json) -> None:
    placed = place(with_spec(completionMode="Indexed", completions=2, **limit), pools["cpu"])["spec"]
    assert {key: value for key, value in placed.items() if key.startswith("backoff")} == limit


def test_a_job_that_is_not_indexed_gets_no_limit_by_task(pools: Pools) -> None:
    assert "backoffLimitPerIndex" not in place(job(), pools["cpu"])["spec"]


AT_ONCE = "an eviction of its {} pods at once stops the whole Job: none of them is made again for {} min; {}, and each"
INDEXED = "set completionMode: Indexed and completions: {}"


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ({"parallelism": 6, "completions": 100}, AT_ONCE.format(6, 5, INDEXED.format(100))),
        ({"parallelism": 40, "completions": 7}, AT_ONCE.format(7, 10, INDEXED.format(40))),
        ({"parallelism": 50}, AT_ONCE.format(50, 10, INDEXED.format(50))),
        (
            {"parallelism": 6, "completions": 6, "completionMode": "Indexed", "backoffLimit": 2},
            AT_ONCE.format(6, 5, "set backoffLimitPerIndex"),
        ),
    ],
)
def test_many_pods_that_would_wait_for_each_other_are_warned_about(
    pools: Pools, spec: Json, line: str
) -> None:
    [doubt] = placing.place(with_spec(**spec), pools["cpu"]).doubts
    assert line in doubt


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"completions": 100},
        {"parallelism": 1, "completions": 100},
        {"parallelism": 5, "completions": 100},
        {"parallelism": 50, "completions": 5},
        {"parallelism": 0},
        {"parallelism": 50, "completions": 50, "completionMode": "Indexed"},
        {"parallelism": 9, "completions": 9, "completionMode": "Indexed", "backoffLimitPerIndex": 1, "backoffLimit": 9},
    ],
)  # fmt: skip
def test_few_pods_and_indexes_are_not(pools: Pools, spec: Json) -> None:
    assert placing.place(with_spec(**spec), pools["cpu"]).doubts == ()


def test_on_demand_no_pod_waits_for_evicted_ones(pools: Pools) -> None:
    request = PlacingRequest(require="on-demand")
    assert placing.place(with_spec(parallelism=50), pools["cpu"], request).doubts == ()


def test_on_demand_needs_no_policy(pools: Pools) -> None:
    placed = place(job(restartPolicy="OnFailure"), pools["cpu"], require="on-demand")
    assert "podFailurePolicy" not in placed["spec"]
    assert pod_of(placed)["restartPolicy"] == "OnFailure"
    assert OFF_SPOT in expressions(pod_of(placed))[0]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            with_spec(podReplacementPolicy="TerminatingOrFailed"),
            "spec.podReplacementPolicy: 'TerminatingOrFailed' contradicts a pod failure policy; expected Failed",
        ),
        (
            with_spec(podFailurePolicy={"rules": [IGNORE | {"action": "FailJob"}]}),
            (
                "spec.podFailurePolicy.rules[0].action: 'FailJob' on DisruptionTarget contradicts surviving "
                "evictions; expected Ignore"
            ),
        ),
        (with_spec(template=None), "spec.template is missing"),
        (
            with_spec(containers=[container()]),
            "spec.containers: unknown field; a pod's fields belong under template.spec.containers",
        ),
        (with_spec(paralelism=2), "spec.paralelism: unknown field; did you mean 'parallelism'?"),
        (
            {
                "apiVersion": "batch.volcano.sh/v1alpha1",
                "kind": "Job",
                "spec": {"minAvailable": 3, "queue": "default", "tasks": [], "plugins": {}, "maxRetry": 5},
            },
            (
                "apiVersion: 'batch.volcano.sh/v1alpha1' is another API's, whose fields are not known here; expected "
                "batch/v1"
            ),
        ),
        (job() | {"apiVersion": "batch/v1beta1"}, "apiVersion: 'batch/v1beta1' is not allowed; expected batch/v1"),
        (job(containers=[]), "spec.template.spec.containers: [] is not allowed; expected a list of containers"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_what_is_allowed(pools: Pools, document: Json, message: str) -> None:
    with pytest.raises(PlacementError) as error:
        place(document, pools["cpu"])
    assert str(error.value) == message


def test_all_mistakes_are_reported_at_once(pools: Pools) -> None:
    with pytest.raises(PlacementError) as error:
        place({"kind": "Job", "spec": {"containers": [], "nodeSelector": {}}}, pools["cpu"])
    assert len(str(error.value).splitlines()) == 4


@pytest.mark.parametrize(
    ("name", "path"), [("cronjob", ("jobTemplate",)), ("jobset", ("replicatedJobs", 0, "template"))]
)
def test_a_job_inside_another_object_is_placed_as_a_job(
    pools: Pools, name: str, path: tuple[str | int, ...]
) -> None:
    inner = example(name)["spec"]
    placed = place(example(name), pools["cpu"])["spec"]
    for key in path:
        inner, placed = inner[key], placed[key]
    assert placed == {"spec": place(job() | {"spec": inner["spec"]}, pools["cpu"])["spec"]}


def test_each_job_of_a_set_is_placed(pools: Pools) -> None:
    document = example("jobset")
    document["spec"]["replicatedJobs"] *= 2
    for item in place(document, pools["cpu"])["spec"]["replicatedJobs"]:
        assert item["template"]["spec"]["podReplacementPolicy"] == "Failed"


def cron_job(**spec: Any) -> Json:
    document = example("cronjob")
    document["spec"] |= spec
    return document


def job_set(*jobs: Any, **spec: Any) -> Json:
    document = example("jobset")
    document["spec"] |= {"replicatedJobs": list(jobs)} | spec
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (cron_job(template={}), "spec.template: unknown field; a Job's fields belong under jobTemplate.spec.template"),
        (cron_job(jobTemplate=None), "spec.jobTemplate is missing"),
        (cron_job(jobTemplate={"spec": None}), "spec.jobTemplate.spec is missing"),
        (cron_job(jobTemplate={"template": {}, "spec": {}}), "spec.jobTemplate.template: unknown field"),
        (
            cron_job(jobTemplate={"spec": {**job()["spec"], "podReplacementPolicy": "TerminatingOrFailed"}}),
            "spec.jobTemplate.spec.podReplacementPolicy: 'TerminatingOrFailed' contradicts",
        ),
        (job_set(), "spec.replicatedJobs: [] is not allowed; expected a list of maps with name and template"),
        (job_set({"name": "a"}), "spec.replicatedJobs[0].template is missing"),
        (job_set({"template": {"spec": job()["spec"]}}), "spec.replicatedJobs[0].name is missing"),
        (job_set(1), "spec.replicatedJobs: [1] is not allowed"),
        (job_set(suspended=True), "spec.suspended: unknown field; did you mean 'suspend'?"),
        (
            job_set({"name": "a", "template": {"spec": job(nodeSelector={POOL: "general"})["spec"]}}),
            "spec.replicatedJobs[0].template.spec.template.spec.nodeSelector: kubernetes.azure.com/agentpool: 'gen",
        ),
    ],
)  # fmt: skip
def test_error_around_a_job_names_the_field(pools: Pools, document: Json, message: str) -> None:
    with pytest.raises(PlacementError) as error:
        place(document, pools["cpu"])
    assert message in str(error.value)


def of_set(name: str = "worker", *, env: Any = None, **spec: Any) -> Json:
    pod = container() | ({"env": env} if env else {})
    return {"name": name, "template": {"spec": job(containers=[pod])["spec"] | spec}}


FAIL_JOB: Json = {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]}
RESTART: Json = {"action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": ["PodFailurePolicy"]}


def test_a_job_of_a_set_is_indexed_by_its_webhook(pools: Pools) -> None:
    placed = place(job_set(of_set(), of_set("b", completionMode="NonIndexed")), pools["cpu"])
    first, second = (item["template"]["spec"] for item in placed["spec"]["replicatedJobs"])
    assert (first["backoffLimitPerIndex"], first["maxFailedIndexes"]) == (6, 0)
    assert "backoffLimitPerIndex" not in second


@pytest.mark.parametrize(
    "rule", [RESTART, {**RESTART, "targetReplicatedJobs": ["worker"]}, {"action": RESTART["action"]}]
)
def test_a_set_that_starts_over_for_each_eviction_keeps_its_rules(pools: Pools, rule: Json) -> None:
    document = job_set(of_set(podFailurePolicy={"rules": [FAIL_JOB]}), failurePolicy={"rules": [rule]})
    once = place(document, pools["cpu"])
    [placed] = once["spec"]["replicatedJobs"]
    assert placed["template"]["spec"]["podFailurePolicy"] == {"rules": [FAIL_JOB]}
    assert placed["template"]["spec"]["template"]["spec"]["tolerations"]
    assert once["spec"]["failurePolicy"] == {"rules": [rule]}
    assert place(once, pools["cpu"]) == once


@pytest.mark.parametrize(
    "rules",
    [
        [],
        [{**RESTART, "action": "RestartJobSet"}, RESTART],
        [{**RESTART, "targetReplicatedJobs": ["other"]}],
        [{**RESTART, "onJobFailureReasons": ["BackoffLimitExceeded"]}],
    ],
)
def test_a_job_that_an_eviction_fails_needs_a_set_that_starts_over(pools: Pools, rules: list[Json]) -> None:
    document = job_set(of_set(podFailurePolicy={"rules": [FAIL_JOB]}), failurePolicy={"rules": rules})
    with pytest.raises(
        PlacementError, match="or a rule RestartJobSetAndIgnoreMaxRestarts for PodFailurePolicy"
    ):
        place(document, pools["cpu"])


def test_pods_that_connect_to_one_of_them_are_a_line(pools: Pools) -> None:
    env = [{"name": "MASTER_ADDR", "value": "shards-worker-0-0.shards"}]
    with pytest.warns(
        EvictionWarning, match=r"JobSet/shards: the pods of worker connect to one of them \(MASTER_ADDR\)"
    ):
        place(job_set(of_set(env=env), of_set("b")), pools["cpu"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rules: Json = {"podFailurePolicy": {"rules": [FAIL_JOB]}}
        place(job_set(of_set(env=env, **rules), failurePolicy={"rules": [RESTART]}), pools["cpu"])
        place(job_set(of_set(env=env)), pools["cpu"], require="on-demand")


@pytest.mark.parametrize("kind", ["job", "cronjob"])
def test_a_restart_policy_that_is_replaced_is_reported(pools: Pools, kind: str) -> None:
    document = example(kind)
    spec = document["spec"] if kind == "job" else document["spec"]["jobTemplate"]["spec"]
    spec["template"]["spec"]["restartPolicy"] = "OnFailure"
    with pytest.warns(EvictionWarning, match=r"its pods had restartPolicy OnFailure and have Never now"):
        once = place(document, pools["cpu"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert place(once, pools["cpu"]) == once
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        place(document, pools["cpu"], require="on-demand")
