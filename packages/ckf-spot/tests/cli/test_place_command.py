"""`ckf-spot place`: YAML in, YAML out; or lines that say what is wrong, and nothing written."""

import io
import json
from pathlib import Path

import pytest
import yaml

from ckf_spot import install, yaml_text
from ckf_spot.pods import strict_schema
from program import POOLS, Run

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  template:
    spec:
      containers: [{name: main, image: i}]
"""
CONTAINER = ": Job/j: spec.template.spec.containers[0]"
VOLUME = """
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {day: 2024-01-01, answer: "yes", mode: "0644"}
"""


def test_a_job_comes_out_placed(run: Run) -> None:
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu")
    assert (ran.code, ran.errors) == (0, [])
    assert yaml.safe_load(ran.output)["spec"]["podReplacementPolicy"] == "Failed"


def test_standard_input_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(JOB.encode())))
    assert run("place", "-f", "-", "--pool", "cpu").code == 0


def test_documents_without_pods_stay_and_keep_their_texts(run: Run) -> None:
    Path("job.yaml").write_text(f"{VOLUME}---{JOB}---\n", encoding="utf-8")
    documents = yaml_text.load(run("place", "-f", "job.yaml", "--pool", "cpu").output, "out").documents
    assert [document["kind"] for document in documents] == ["ConfigMap", "Job"]
    assert documents[0]["data"] == {"day": "2024-01-01", "answer": "yes", "mode": "0644"}


def test_what_has_no_pods_is_not_worth_a_line(run: Run) -> None:
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reader}\n"
    Path("job.yaml").write_text(f"{role}---{JOB}", encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu")
    assert (ran.code, ran.errors) == (0, [])
    assert ran.output.startswith(role)


def test_the_result_goes_to_a_file(run: Run) -> None:
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu", "-o", "job.yaml")
    assert (ran.code, ran.output) == (0, "")
    assert "tolerations" in Path("job.yaml").read_text(encoding="utf-8")


def test_what_comes_out_goes_in_again_unchanged(run: Run) -> None:
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    first = run("place", "-f", "job.yaml", "--pool", "cpu").output
    Path("job.yaml").write_text(first, encoding="utf-8")
    assert run("place", "-f", "job.yaml", "--pool", "cpu").output == first


def test_spot_can_be_required(run: Run) -> None:
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    assert "preferred" not in run("place", "-f", "job.yaml", "--pool", "cpu", "--require", "spot").output


def test_a_condition_without_a_status_is_as_good_as_in_kubernetes_own_example(run: Run) -> None:
    rule = "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}"
    policy = f"  podFailurePolicy: {{rules: [{rule}]}}\n"
    Path("job.yaml").write_text(JOB.replace("  template:", f"{policy}  template:"), encoding="utf-8")
    assert run("place", "-f", "job.yaml", "--pool", "cpu").errors == []


def test_without_the_schemas_it_says_what_was_not_checked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_schema, "available", lambda: False)
    Path("job.yaml").write_text(JOB.replace("image:", "imag:"), encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu")
    assert ran.code == 0
    assert ran.errors == [
        f"ckf-spot: the pods' own fields were not checked: {install.hint('validate')} checks them"
    ]


@pytest.mark.parametrize(("release", "code"), [("1.33", 2), ("1.34", 0), ("1.36", 0)])
def test_pods_are_held_to_the_release_of_the_cluster(run: Run, release: str, code: int) -> None:
    """`hostnameOverride` came with Kubernetes 1.34."""
    Path("job.yaml").write_text(JOB.replace("containers:", "hostnameOverride: h\n      containers:"), "utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu", "--kubernetes", release)
    assert ran.code == code, ran.errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pool", "cpu", "--kubernetes", "34"], "kubernetes: '34' is not allowed; expected 1.N, such as 1.34"),
        (["--pool", "tpu"], "pool: 'tpu' is unknown; expected platform, cpu, gpu, general, cpuspot, "),
        (["--pool", "cpu", "--prefer", "on-demand"], "prefer: 'on-demand' is not allowed; expected spot"),
        (["--pool", "cpu", "--require", "cheap"], "require: 'cheap' is not allowed; expected spot, on-demand"),
        (["--pool", "cpu", "--prefer", "spot", "--require", "spot"], "prefer='spot' and require='spot' contradict"),
        (["--pool", "general"], "prefer='spot': 'general' has no spot pool; its pools: general (on-demand)"),
        (["--pool", "cpu", "--also", "Master"], "job.yaml: also: Master: none of the documents has roles"),
        (["--pool", "cpu", "--on-demand", "x"], "job.yaml: on_demand: x: none of the documents has roles"),
        (["--pool", "cpu", "--pools", "no.json"], "no.json: can't be read: No such file or directory"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_one_line(run: Run, options: list[str], message: str) -> None:
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "-o", "out.yaml", *options)
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert ran.errors[0].startswith(f"ckf-spot: {message}")
    assert not Path("out.yaml").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1\nb: 2", ", line 2: malformed YAML: expected ',' or ']', but got ':'"),
        ("a: 1\na: 2", ", line 2: malformed YAML: the key 'a' is given twice"),
        ("a: *b", ", line 1: malformed YAML: found undefined alias 'b'"),
        ("- 1", ": document 1: [1] is no Kubernetes object; expected a map"),
        ("", ": there is nothing to place in it; expected Job, "),
        (VOLUME, ": there is nothing to place in it; expected Job, "),
        ("kind: ClusterRole", ": there is nothing to place in it; expected Job, "),
        ("name: train\n", ": document 1: kind is missing; expected Job, CronJob, "),
        ("kind: 1", ": document 1: kind: 1 is not allowed; expected Job, CronJob, "),
        ("kind: Deployment\n", ": document 1: kind: 'Deployment' can't be on spot: it holds state or serves people"),
        ("kind: Notebook\nmetadata: {name: nb}", ": Notebook/nb: kind: 'Notebook' can't be on spot: it holds state"),
        ("kind: Pod", ": document 1: kind: 'Pod' can't be on spot: nothing makes a bare pod again"),
        ("kind: Jobb", ": document 1: kind: 'Jobb' is not allowed; expected Job, CronJob, "),
        ("kind: TrainJob", ": document 1: trainer_api is missing; expected 2.0, 2.1, 2.2, 2.3"),
        (JOB.replace("image:", "imag:"), f"{CONTAINER}.imag: unknown field; did you mean 'image'?"),
        (JOB.replace("name: main", "name: 1"), f"{CONTAINER}.name: 1 is not allowed; expected a text"),
        (JOB.replace("image: i", "tty: often"), f"{CONTAINER}.tty: 'often' is not allowed"),
    ],
)  # fmt: skip
def test_a_wrong_document_is_one_line(run: Run, text: str, message: str) -> None:
    Path("f.yaml").write_text(text, encoding="utf-8")
    ran = run("place", "-f", "f.yaml", "--pool", "cpu", "-o", "out.yaml")
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert ran.errors[0].startswith(f"ckf-spot: f.yaml{message}")
    assert not Path("out.yaml").exists()


def test_mistakes_of_every_document_are_reported_at_once(run: Run) -> None:
    Path("f.yaml").write_text(f"[1]\n---{JOB.replace('spec:', 'spce:')}---\nkind: 1", encoding="utf-8")
    ran = run("place", "-f", "f.yaml", "--pool", "cpu")
    assert ran.output == ""
    assert [line.split(": ")[2] for line in ran.errors] == ["document 1", "Job/j", "Job/j", "document 3"]


def test_a_file_that_can_not_be_written_is_one_line(run: Run) -> None:
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu", "-o", "no/out.yaml")
    assert (ran.code, ran.errors) == (
        2,
        ["ckf-spot: no/out.yaml: can't be written: No such file or directory"],
    )


def test_binary_input_is_one_line(run: Run) -> None:
    Path("job.yaml").write_bytes(b"\xff\xfe\x00")
    assert run("place", "-f", "job.yaml", "--pool", "cpu").errors == [
        "ckf-spot: job.yaml: can't be read: it is no text"
    ]


@pytest.mark.parametrize("arguments", [[], ["place"], ["plaice"], ["place", "-f"], ["generate"]])
def test_arguments_that_make_no_sense_are_one_line(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, len(ran.errors)) == (2, 1)


@pytest.mark.parametrize("arguments", [["--help"], ["place", "--help"], ["generate", "--help"]])
def test_help_is_no_mistake(run: Run, arguments: list[str]) -> None:
    assert run(*arguments).code == 0


def test_the_pools_can_be_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CKF_SPOT_POOLS")
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    assert run("place", "-f", "job.yaml", "--pool", "cpu", "--pools", str(POOLS)).code == 0


def test_several_files_and_a_folder_become_one_stream(run: Run) -> None:
    for number, name in enumerate(
        ("a.yaml", "more/b.yaml", "more/c.json", "more/notes.txt", "more/below/d.yaml")
    ):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        text = "{}" if name.endswith(".json") else f"# {name}\n"
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": f"j{number}"},
            "spec": yaml.safe_load(JOB)["spec"],
        }
        Path(name).write_text(
            json.dumps(job) if text == "{}" else f"{text}{yaml.safe_dump(job)}", encoding="utf-8"
        )

    ran = run("place", "-f", "a.yaml", "-f", "more", "--pool", "cpu")

    assert (ran.code, ran.errors) == (0, [])
    documents = list(yaml.safe_load_all(ran.output))
    assert [document["metadata"]["name"] for document in documents] == ["j0", "j1", "j2"]
    assert all(document["spec"]["template"]["spec"]["tolerations"] for document in documents)
    assert "# a.yaml\n" in ran.output
    assert "# more/b.yaml\n" in ran.output


def test_a_file_with_nothing_to_place_stays_beside_one_that_is_placed(run: Run) -> None:
    Path("a.yaml").write_text(f"---{VOLUME}", encoding="utf-8")
    Path("b.yaml").write_text(JOB, encoding="utf-8")
    ran = run("place", "-f", "b.yaml", "-f", "a.yaml", "--pool", "cpu")
    assert (ran.code, ran.errors) == (0, [])
    assert [document["kind"] for document in yaml.safe_load_all(ran.output)] == ["Job", "ConfigMap"]
    assert ran.output.endswith(f"\n---{VOLUME}")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["a.yaml", "b.yaml"], "b.yaml: Job/j: spec.template is missing"),
        (["a.yaml", "none.yaml"], "none.yaml: can't be read: No such file or directory"),
        (["a.yaml", "empty"], "empty: has none to read; expected files that end with .json, .yaml, .yml"),
        (["a.yaml", "a.yaml"], "-f: 'a.yaml' is given several times; name it once"),
        (["-", "-"], "-f: '-' is given several times; name it once"),
        (["a.yaml", "p.yaml"], "p.yaml: is a compiled pipeline; expected no other file with it"),
    ],
)
def test_one_wrong_file_of_several_stops_all(run: Run, files: list[str], message: str) -> None:
    Path("a.yaml").write_text(JOB, encoding="utf-8")
    Path("b.yaml").write_text(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {}\n", encoding="utf-8"
    )
    Path("p.yaml").write_text(
        "pipelineInfo: {name: p}\ndeploymentSpec: {}\nroot: {}\nschemaVersion: 2.1.0\n", encoding="utf-8"
    )
    Path("empty").mkdir()

    named = [argument for name in files for argument in ("-f", name)]
    ran = run("place", *named, "--pool", "cpu", "-o", "out.yaml")

    assert (ran.code, ran.errors) == (2, [f"ckf-spot: {message}"])
    assert not Path("out.yaml").exists()


@pytest.mark.parametrize("option", ["--pool", "--prefer", "--require", "--pools", "-o", "--retries"])
def test_an_option_that_takes_one_value_is_given_once(run: Run, option: str) -> None:
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    ran = run("place", "-f", "job.yaml", "--pool", "cpu", option, "1", option, "2")
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert ran.errors[0].endswith("expected once")
