"""`ckf-spot place` on a compiled pipeline: what nobody placed stands as it was; each task is reported."""

from pathlib import Path

import pytest
import yaml

from program import Run

PIPELINE = """\
# PIPELINE DEFINITION
# Name: training
components:
  comp-train:
    executorLabel: exec-train
deploymentSpec:
  executors:
    exec-train:
      container:
        args: ['--rate', "1e-3"]  # a text, as it is
        image: python:3.11-slim
pipelineInfo:
  name: training
root:
  dag:
    tasks:
      train:
        componentRef:
          name: comp-train
        taskInfo:
          name: train
schemaVersion: 2.1.0
sdkVersion: kfp-2.17.0
"""
SETTINGS = """\
---
platforms:
  kubernetes:
    deploymentSpec:
      executors:
        exec-train:
          secretAsEnv:
          - secretName: s  # kept
"""
RETRIES = """\
        retryPolicy:
          maxRetryCount: 5
          backoffDuration: 300s
          backoffFactor: 1.0
          backoffMaxDuration: 604800s
"""
REPORT = ["TASK   RUNS ON", "train  cpuspot, cpuod  placed: 5 retries"]


def test_a_pipeline_comes_out_placed_and_the_rest_as_it_was(run: Run) -> None:
    Path("p.yaml").write_text(PIPELINE, encoding="utf-8")
    ran = run("place", "-f", "p.yaml", "--pool", "cpu", "-o", "p.yaml")
    assert (ran.code, ran.errors) == (0, REPORT)
    first, second = Path("p.yaml").read_text(encoding="utf-8").split("---\n")
    assert first == PIPELINE.replace("schemaVersion", f"{RETRIES}schemaVersion")
    executors = yaml.safe_load(second)["platforms"]["kubernetes"]["deploymentSpec"]["executors"]
    assert {"nodeAffinity", "tolerations"} == executors["exec-train"].keys()


def test_settings_that_are_there_stay(run: Run) -> None:
    Path("p.yaml").write_text(PIPELINE + SETTINGS, encoding="utf-8")
    ran = run("place", "-f", "p.yaml", "--pool", "cpu")
    assert SETTINGS.splitlines()[-1] in ran.output.splitlines()
    assert len(list(yaml.safe_load_all(ran.output))) == 2


def test_once_more_changes_nothing(run: Run) -> None:
    Path("p.yaml").write_text(PIPELINE, encoding="utf-8")
    run("place", "-f", "p.yaml", "--pool", "cpu", "-o", "p.yaml")
    placed = Path("p.yaml").read_text(encoding="utf-8")
    ran = run("place", "-f", "p.yaml", "--pool", "cpu")
    assert ran.output == placed
    assert ran.errors[1] == "train  cpuspot, cpuod  placed before: 5 retries"


def test_its_options(run: Run) -> None:
    Path("p.yaml").write_text(PIPELINE, encoding="utf-8")
    options = [
        "--retries",
        "2",
        "--backoff",
        "1m",
        "--give-up",
        "2h",
        "--by",
        "node-selector",
        "--backend",
        "2.5",
    ]
    ran = run("place", "-f", "p.yaml", "--pool", "cpu", *options)
    spec, platform = yaml.safe_load_all(ran.output)
    assert spec["root"]["dag"]["tasks"]["train"]["retryPolicy"] == {
        "maxRetryCount": 2, "backoffDuration": "60s", "backoffFactor": 1.0, "backoffMaxDuration": "7200s",
    }  # fmt: skip
    settings = platform["platforms"]["kubernetes"]["deploymentSpec"]["executors"]["exec-train"]
    assert settings["nodeSelector"] == {"labels": {"kubeflow-aks/workload": "cpu"}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--except", "trian"], "except_: 'trian' is no task of the pipeline; expected train"),
        (["--except", "train"], "none of the tasks can be placed on 'cpu': train (named in except_)"),
        (["--retries", "-1"], "retries: -1 is not allowed; expected a whole number from 0"),
        (["--retries", "x"], "argument --retries: invalid int value: 'x'"),
        (["--backend", "2.5"], "backend: '2.5' ignores node affinity, which 2.14 was the first to read; expected by="),
        (["--also", "Master"], "--also: p.yaml is a compiled pipeline, and it is not for one; leave it out"),
        (["--on-demand", "a"], "--on-demand: p.yaml is a compiled pipeline, and it is not for one; leave it out"),
        (["--trainer-api", "2.2"], "--trainer-api: p.yaml is a compiled pipeline, and it is not for one; leave it out"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_one_line(run: Run, options: list[str], message: str) -> None:
    Path("p.yaml").write_text(PIPELINE, encoding="utf-8")
    ran = run("place", "-f", "p.yaml", "--pool", "cpu", "-o", "out.yaml", *options)
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert message in ran.errors[0]
    assert not Path("out.yaml").exists()


@pytest.mark.parametrize("option", ["--except", "--retries", "--backoff", "--give-up", "--by", "--backend"])
def test_an_option_for_pipelines_only(run: Run, option: str) -> None:
    Path("job.yaml").write_text("{apiVersion: batch/v1, kind: Job}", encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu", option, "2.5" if option == "--backend" else "3")
    assert (ran.code, ran.errors) == (
        2,
        [f"ckf-spot: {option}: job.yaml is no compiled pipeline, and it is for one only; leave it out"],
    )


def test_a_pipeline_in_json_comes_out_in_yaml_which_alone_has_two_documents(run: Run) -> None:
    Path("p.json").write_text(yaml.safe_load(PIPELINE).__repr__().replace("'", '"'), encoding="utf-8")
    ran = run("place", "-f", "p.json", "--pool", "cpu")
    assert (ran.code, ran.errors) == (0, REPORT)
    assert len(list(yaml.safe_load_all(ran.output))) == 2
