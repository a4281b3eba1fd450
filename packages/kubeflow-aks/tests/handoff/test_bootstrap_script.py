"""`bootstrap.sh` with stand-ins of the programs that it calls: done once, cut off anywhere, refused everywhere."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kubeflow_aks.handoff.files import files
from kubeflow_aks.handoff.folder import write
from tests.handoff.fake_programs import OWN, PASSWORD, Fakes, status
from tests.handoff.made_up_outputs import TOKEN, outputs, with_basis

ALL = [
    "juju add-cloud",
    "juju add-credential",
    "juju bootstrap",
    "tofu init",
    "tofu workspace",
    "tofu apply",
]

CONTROLLER = "controller-aks-dev-controller"
"""The controller's namespace."""
_CERTIFICATE = (
    "the cluster has another certificate than the hand-off: "
    "tls: failed to verify certificate: x509: certificate signed by unknown authority"
)
FOREIGN = "99999999-2222-4333-8444-555555555555"


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    write(tmp_path / "handoff", files(outputs()))
    return Fakes.installed(tmp_path / "handoff", tmp_path / "machine")


def test_it_does_everything_in_order(fakes: Fakes) -> None:
    done = fakes.run("bootstrap.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    calls = fakes.calls()
    [bootstrap] = [line for line in calls if line.startswith("juju bootstrap")]
    assert bootstrap == (
        "juju bootstrap aks-dev aks-dev-controller --credential aks-dev --agent-version 3.6.25 "
        "--no-switch --config caas-image-repo=public.ecr.aws/juju"
    )
    [apply] = [line for line in calls if " apply " in line]
    assert apply.endswith(f" apply -auto-approve -var-file={fakes.folder}/ckf.auto.tfvars.json")
    assert "2 of 2 applications active" in done.stdout
    assert "Charmed Kubeflow 1.11-ubuntu2 is there: http://kubeflow-aks-dev-" in done.stdout
    assert "./kubeflow-aks verify dev" in done.stdout
    assert "argoRetries: true" in done.stdout


def test_retries_that_are_on_are_not_named_again(fakes: Fakes) -> None:
    fakes.put("configmap", "kubeflow-aks")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 0
    assert done.stdout.endswith(
        "Next:\n  juju switch aks-dev-controller\n"
        f"  ./kubeflow-aks verify dev --juju-status {fakes.folder}/logs/status.json\n"
    )


def test_the_order_is_cloud_credential_controller_terraform(fakes: Fakes) -> None:
    fakes.run("bootstrap.sh", "--yes")
    assert fakes.changes() == ALL


def test_no_secret_is_on_a_command_line_or_in_any_output(fakes: Fakes) -> None:
    done = fakes.run("bootstrap.sh", "--yes")
    logs = "".join(path.read_text() for path in (fakes.folder / "logs").iterdir())
    for text in ("\n".join(fakes.calls()), done.stdout, done.stderr, logs):
        assert TOKEN not in text
        assert PASSWORD not in text
    assert (fakes.root / "state" / "password").read_text() == PASSWORD


@pytest.mark.parametrize(
    "name",
    ["JUJU_CONTROLLER", "JUJU_MODEL", "JUJU_CONTROLLER_ADDRESSES", "TF_WORKSPACE", "TF_DATA_DIR"],
)
def test_it_deploys_into_its_own_controller_whatever_the_environment_has(fakes: Fakes, name: str) -> None:
    fakes.put("current", "production")
    done = fakes.run("bootstrap.sh", "--yes", **{name: "production"})
    assert done.returncode == 0
    assert (fakes.root / "state" / "applied").read_text() == "dev aks-dev-controller\n"
    assert (fakes.root / "state" / "current").read_text() == "production"


def test_what_is_done_is_not_done_again(fakes: Fakes) -> None:
    fakes.run("bootstrap.sh", "--yes")
    fakes.changes()
    again = fakes.run("bootstrap.sh", "--yes")
    assert again.returncode == 0
    assert fakes.changes() == [
        "juju update-k8s",
        "juju update-credential",
        "juju update-credential",
        "tofu init",
        "tofu workspace",
        "tofu apply",
    ]
    assert "controller aks-dev-controller: is there" in again.stdout


@pytest.mark.parametrize(
    ("stopped", "left"),
    [
        ("juju-add-credential", ["juju update-k8s", *ALL[1:]]),
        ("juju-bootstrap", ["juju update-k8s", "juju update-credential", *ALL[2:]]),
        ("tofu-init", ["juju update-k8s", *["juju update-credential"] * 2, *ALL[3:]]),
        ("tofu-workspace", ["juju update-k8s", *["juju update-credential"] * 2, *ALL[3:]]),
        ("tofu-apply", ["juju update-k8s", *["juju update-credential"] * 2, *ALL[3:]]),
    ],
)
def test_it_goes_on_wherever_it_was_stopped(fakes: Fakes, stopped: str, left: list[str]) -> None:
    fakes.fails(stopped, "connection reset by peer")
    first = fakes.run("bootstrap.sh", "--yes")
    assert first.returncode == 1
    assert "connection reset by peer" in first.stdout + first.stderr
    assert "it goes on from here" in first.stderr
    fakes.calls()
    second = fakes.run("bootstrap.sh", "--yes")
    assert (second.returncode, second.stderr) == (0, "")
    assert fakes.changes() == left


def test_a_new_token_reaches_the_controller_that_is_there(fakes: Fakes) -> None:
    fakes.run("bootstrap.sh", "--yes")
    fakes.calls()
    fakes.run("bootstrap.sh", "--yes")
    updates = [line for line in fakes.calls() if line.startswith("juju update-credential")]
    assert updates == [
        f"juju update-credential aks-dev aks-dev --client -f {fakes.folder}/credentials.yaml",
        f"juju update-credential aks-dev aks-dev --controller aks-dev-controller -f {fakes.folder}/credentials.yaml",
    ]


@pytest.mark.parametrize("state", ["fail", "slow"])
def test_a_controller_that_does_not_take_the_new_token_stops_before_terraform(
    fakes: Fakes, state: str
) -> None:
    """Its models sign in by the old one; the client's own copy is updated before."""
    fakes.run("bootstrap.sh", "--yes")
    fakes.calls()
    fakes.put(f"{state}/juju-update-credential-controller", "ERROR permission denied\n")
    done = fakes.run("bootstrap.sh", "--yes", QUESTION_SECONDS="0.5")
    assert done.returncode == 1
    assert (
        "error: the controller does not accept the credential, with which its models sign in" in done.stderr
    )
    assert fakes.changes() == ["juju update-k8s", *["juju update-credential"] * 2]


def test_a_cloud_that_juju_takes_from_no_file_comes_from_the_kubeconfig(fakes: Fakes) -> None:
    fakes.fails("juju-add-cloud", 'ERROR cloud type "kubernetes" not supported')
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 0
    [call] = [line for line in fakes.calls("juju") if line.startswith("juju add-k8s")]
    assert call == "juju add-k8s aks-dev --client --storage ckf-zrs --region azure/westeurope"
    assert "it is read from the kubeconfig instead" in done.stdout


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("juju", "juju is not there\n  install it: sudo snap install juju --channel=3.6/stable\n"),
        ("kubectl", "kubectl is not there\n  install it: "),
        ("python3", "python3 is not there\n  install it: "),
        ("tofu", "neither tofu nor terraform is there\n  install OpenTofu: "),
    ],
)
def test_a_missing_tool_is_reported_before_anything_is_done(fakes: Fakes, program: str, message: str) -> None:
    fakes.without(program)
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {message}")
    assert fakes.changes() == []


@pytest.mark.parametrize("version", ["4.0.1-ubuntu-amd64", "3.5.7-genericlinux-amd64", "2.9.51-ubuntu-amd64"])
def test_another_juju_is_reported(fakes: Fakes, version: str) -> None:
    fakes.put("version", version)
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"error: Juju {version} is here; Charmed Kubeflow 1.11-ubuntu2 is deployed with Juju 3.6\n  get it: "
    )


@pytest.mark.parametrize(
    "version", ["3.6.9-ubuntu-amd64", "3.6.20-ubuntu-arm64", "3.6.24-genericlinux-amd64"]
)
def test_a_juju_without_the_agent_s_fixes_is_reported(fakes: Fakes, version: str) -> None:
    fakes.put("version", version)
    done = fakes.run("bootstrap.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (1, [])
    assert done.stderr == (
        f"error: Juju {version} is here; it is older than 3.6.25, which the controller gets for its security fixes\n"
        "  get a newer one: sudo snap refresh juju --channel=3.6/stable\n"
    )


@pytest.mark.parametrize(
    "version", ["3.6.25-ubuntu-amd64", "3.6.28-genericlinux-arm64", "3.6.31.2-ubuntu-amd64"]
)
def test_every_newer_juju_of_the_series_is_taken(fakes: Fakes, version: str) -> None:
    fakes.put("version", version)
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0


@pytest.mark.parametrize("missing", ["TF_VAR_dex_static_username", "TF_VAR_dex_static_password"])
def test_a_dashboard_that_nobody_could_sign_in_to_is_reported_at_once(fakes: Fakes, missing: str) -> None:
    done = fakes.run("bootstrap.sh", "--yes", **{missing: "unset"})
    assert done.returncode == 1
    assert done.stderr.startswith("error: nobody could sign in to the dashboard")
    assert fakes.changes() == []


def test_an_empty_password_is_a_choice(fakes: Fakes) -> None:
    empty = {"TF_VAR_dex_static_username": "", "TF_VAR_dex_static_password": ""}
    assert fakes.run("bootstrap.sh", "--yes", **empty).returncode == 0


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            "error: You must be logged in to the server (Unauthorized)",
            "the cluster does not accept Juju's token",
        ),
        (
            "dial tcp 10.0.0.4:443: i/o timeout",
            "the cluster can't be reached: dial tcp 10.0.0.4:443: i/o timeout",
        ),
        (
            "tls: failed to verify certificate: x509: certificate signed by unknown authority",
            _CERTIFICATE,
        ),
        (
            "error: the server responded: token has expired",
            "the cluster does not accept Juju's token",
        ),
    ],
)
def test_a_cluster_that_does_not_answer_is_reported(fakes: Fakes, answer: str, message: str) -> None:
    fakes.put("unreachable", f"{answer}\n")
    done = fakes.run("bootstrap.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (3, [])
    assert done.stderr.startswith(f"error: {message}\n")
    assert "delete" not in done.stderr


def test_a_namespace_without_its_model_stops_before_terraform(fakes: Fakes) -> None:
    fakes.put("namespaces/kubeflow", f"Active id {OWN}")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith("error: the namespace kubeflow exists, and Juju has no such model")
    assert f"kubectl --kubeconfig {fakes.folder}/kubeconfig delete namespace kubeflow" in done.stderr
    assert not [change for change in fakes.changes() if change.startswith("tofu")]


@pytest.mark.parametrize("namespace", ["kubeflow", "controller-aks-dev-controller"])
def test_a_namespace_that_is_going_is_waited_for(fakes: Fakes, namespace: str) -> None:
    fakes.put(f"namespaces/{namespace}", "Terminating")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: the namespace {namespace} is still being removed")
    fakes.put("gone-in-time")
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0


def test_a_model_without_its_namespace_is_reported(fakes: Fakes) -> None:
    fakes.put("models/kubeflow")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith("error: Juju has a model kubeflow, and the cluster has no such namespace")


def test_a_colleague_s_controller_is_left_alone(fakes: Fakes) -> None:
    fakes.put(f"namespaces/{CONTROLLER}", f"Active id {FOREIGN}")
    fakes.put("replicas", "1")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert "a controller aks-dev-controller that this machine's Juju does not know" in done.stderr
    assert "juju register" in done.stderr
    assert "delete" not in done.stderr
    assert "juju bootstrap" not in fakes.changes()


def test_a_colleague_s_bootstrap_may_be_at_work(fakes: Fakes) -> None:
    fakes.put(f"namespaces/{CONTROLLER}", f"Active id {FOREIGN}")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"error: the cluster has a namespace {CONTROLLER} in which no controller runs\n"
    )
    assert "juju bootstrap" not in fakes.changes()


def test_a_controller_of_an_earlier_cluster_is_reported(fakes: Fakes) -> None:
    fakes.put("controllers/aks-dev-controller", "living")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert "juju unregister aks-dev-controller" in done.stderr


def test_a_controller_of_that_name_in_another_cluster_is_reported(fakes: Fakes) -> None:
    fakes.put("controllers/aks-dev-controller", "living")
    fakes.put(f"namespaces/{CONTROLLER}", f"Active id {FOREIGN}")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "error: this machine's Juju knows another controller aks-dev-controller than the cluster has"
    )
    assert "delete" not in done.stderr


def test_a_controller_that_does_not_answer_is_not_taken_for_gone(fakes: Fakes) -> None:
    fakes.run("bootstrap.sh", "--yes")
    fakes.put("silent")
    fakes.calls()
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 3
    assert done.stderr.startswith(
        "error: the controller aks-dev-controller does not answer: ERROR open connection timed out\n"
    )
    assert "192.0.2.7:17070" in done.stderr
    assert "delete" not in done.stderr
    assert fakes.changes() == ["juju update-k8s", "juju update-credential"]


def test_a_question_has_a_time_limit(fakes: Fakes) -> None:
    fakes.run("bootstrap.sh", "--yes")
    fakes.put("slow/juju-models")
    done = fakes.run("bootstrap.sh", "--yes", QUESTION_SECONDS="0.3")
    assert done.returncode == 3
    assert done.stderr.startswith(
        "error: the controller aks-dev-controller does not answer: no answer in time\n"
    )


@pytest.mark.parametrize("namespace", [f"Active id {OWN}", ""])
def test_what_a_bootstrap_left_that_was_cut_off_goes(fakes: Fakes, namespace: str) -> None:
    """Juju itself reports it: it has no address of the controller."""
    fakes.put("clouds/aks-dev")
    fakes.put("credentials/aks-dev")
    fakes.put("controllers/aks-dev-controller", "half-made")
    if namespace:
        fakes.put(f"namespaces/{CONTROLLER}", namespace)
        unconfirmed = fakes.run("bootstrap.sh")
        assert unconfirmed.returncode == 1
        assert f"remove the namespace {CONTROLLER}, which a bootstrap of this machine" in unconfirmed.stderr
        assert "error: not confirmed; nothing was removed" in unconfirmed.stderr
        assert fakes.has(f"namespaces/{CONTROLLER}")
        fakes.calls()
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
    assert fakes.changes() == ["juju update-k8s", "juju update-credential", "juju unregister", *ALL[2:]]


def test_what_juju_left_without_a_record_goes(fakes: Fakes) -> None:
    """Its namespace was not there before the bootstrap that failed."""
    fakes.run("bootstrap.sh", "--yes")
    fakes.run("teardown.sh", "--yes")
    fakes.put(f"namespaces/{CONTROLLER}", f"Active id {FOREIGN}")
    (fakes.folder / "logs" / "left-behind").write_text("id")
    fakes.calls()
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
    assert fakes.changes() == ALL


def test_two_at_once_are_reported(fakes: Fakes) -> None:
    fakes.put("slow/juju-bootstrap")
    with fakes.started("bootstrap.sh", "--yes"):
        fakes.wait_for("juju bootstrap")
        for script in ("bootstrap.sh", "teardown.sh"):
            done = fakes.run(script, "--yes")
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr == (
                "error: another bootstrap.sh or teardown.sh of dev is running; wait for it\n"
            )


@pytest.mark.parametrize("question", ["clouds", "credentials", "controllers"])
def test_a_question_that_failed_is_no_answer(fakes: Fakes, question: str) -> None:
    fakes.fails(f"juju-{question}", "ERROR cannot read the file")
    done = fakes.run("bootstrap.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (3, [])
    assert done.stderr == f"error: `juju {question}` failed: ERROR cannot read the file\n"


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("toomanyrequests: You have reached your pull rate limit", "Docker Hub answers no more requests"),
        ("│ map[controller.juju.is/id:42cd3f3c-17be-4786-811a-527bc80d653b", "stopped half-way"),
        ('a namespace called "kubeflow" already', "Juju makes its namespaces itself"),
        ("x509: certificate signed by unknown authority", "run `pulumi up --refresh --stack dev`, then\n"),
        (
            "error: You must be logged in to the server (Unauthorized)",
            "the cluster does not accept Juju's token",
        ),
        ("oidc: verify token: token is expired", "the cluster does not accept Juju's token"),
        ('controller "aks-dev-controller" already exists', "juju unregister aks-dev-controller --no-prompt"),
    ],
)
def test_what_others_have_met_is_recognised(fakes: Fakes, text: str, way: str) -> None:
    fakes.fails("tofu-apply", text)
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert way in done.stderr


@pytest.mark.parametrize(
    ("situation", "way"),
    [
        ("bootstrap-half-made", "juju unregister aks-dev-controller --no-prompt"),
        ("bootstrap-namespace-there", "keep the name and run "),
    ],
)
def test_a_controller_that_exists_already_is_recognised_in_the_real_client_s_words(
    fakes: Fakes, situation: str, way: str
) -> None:
    recorded = (fakes.root / "state" / "recorded" / f"{situation}.err").read_text()
    fakes.fails("juju-bootstrap", recorded.splitlines()[0])
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "known: " in line and way in line]


def test_the_wait_shows_its_progress_and_ends(fakes: Fakes) -> None:
    fakes.put("status/1", status(minio="waiting", kfp="maintenance"))
    fakes.put("status/2", status(minio="active", kfp="waiting"))
    fakes.put("status/3", status(minio="active", kfp="active"))
    done = fakes.run("bootstrap.sh", "--yes", WAIT_MINUTES="5")
    assert done.returncode == 0
    assert re.findall(r"(\d of \d) applications active", done.stdout) == ["0 of 2", "1 of 2", "2 of 2"]


def test_charms_that_never_start_are_reported_with_the_cluster_s_events(fakes: Fakes) -> None:
    fakes.put("status/1", status(minio="active", katib="waiting"))
    fakes.put("pods", "katib-controller-0 1/2 CrashLoopBackOff 7 20m\n")
    fakes.put("pod-log", "fsnotify watcher: too many open files\n")
    fakes.put("events", "2m Warning FailedScheduling pod/minio-0 0/5 nodes: 2 Insufficient cpu\n")
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert "error: not everything works after 0 minutes" in done.stderr
    assert "a node has too few inotify instances" in done.stderr
    assert "the pool general has no room" in done.stderr
    assert done.stderr.count("inotify instances") == 1


def test_only_the_controller(fakes: Fakes) -> None:
    fakes.without("tofu")
    unset = {"TF_VAR_dex_static_username": "unset", "TF_VAR_dex_static_password": "unset"}
    done = fakes.run("bootstrap.sh", "--controller-only", **unset)
    assert (done.returncode, done.stderr) == (0, "")
    assert fakes.changes() == ALL[:3]
    assert f"apply -var-file={fakes.folder}/ckf.auto.tfvars.json" in done.stdout


def test_another_release_ends_with_the_controller(tmp_path: Path) -> None:
    write(tmp_path / "handoff", files(outputs(with_basis(kubeflow={"release": "1.10"}))))
    fakes = Fakes.installed(tmp_path / "handoff", tmp_path / "machine")
    done = fakes.run("bootstrap.sh")
    assert done.returncode == 0
    assert "juju deploy kubeflow --trust --channel 1.10/stable" in done.stdout
    assert (
        "juju config istio-ingressgateway annotations=service.beta.kubernetes.io/azure-dns-label-name="
        in done.stdout
    )


def test_a_private_cluster_s_controller_gets_no_public_address_by_itself(tmp_path: Path) -> None:
    write(tmp_path / "handoff", files(outputs(with_basis(apiAccess={"privateCluster": True}))))
    fakes = Fakes.installed(tmp_path / "handoff", tmp_path / "machine")
    refused = fakes.run("bootstrap.sh", "--yes")
    assert refused.returncode == 1
    assert "choose one:" in refused.stderr
    assert "juju bootstrap" not in fakes.changes()
    done = fakes.run("bootstrap.sh", "--yes", CONTROLLER_SERVICE_TYPE="cluster")
    assert done.returncode == 0
    [call] = [line for line in fakes.calls() if line.startswith("juju bootstrap")]
    assert call.endswith(" --config controller-service-type=cluster")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("send", [os.killpg, os.kill])
def test_a_signal_reaches_the_program_once_and_is_gone_on_from(
    fakes: Fakes, number: signal.Signals, send: Callable[[int, int], None]
) -> None:
    """A terminal's goes to the whole group, a CI's to the script alone."""
    fakes.put("cleans-up/juju-bootstrap")
    with fakes.started("bootstrap.sh", "--yes") as script:
        fakes.wait_for("juju bootstrap")
        send(script.pid, number)
        assert script.wait(timeout=120) == 130
    assert (fakes.root / "state" / "signals").read_text() == "INT\n"
    assert not fakes.has("controllers/aks-dev-controller")
    (fakes.root / "state" / "cleans-up" / "juju-bootstrap").unlink()
    fakes.calls()
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
    assert fakes.changes() == ["juju update-k8s", "juju update-credential", *ALL[2:]]


def test_a_program_that_does_not_end_gets_a_second_signal(fakes: Fakes) -> None:
    fakes.put("cleans-up/juju-bootstrap", "slowly")
    with fakes.started("bootstrap.sh", "--yes") as script:
        fakes.wait_for("juju bootstrap")
        os.killpg(script.pid, signal.SIGINT)
        time.sleep(1.2)
        os.killpg(script.pid, signal.SIGINT)
        assert script.wait(timeout=120) == 130
    assert (fakes.root / "state" / "signals").read_text() == "INT\nTERM\n"


def test_a_word_that_is_no_option_is_reported(fakes: Fakes) -> None:
    done = fakes.run("bootstrap.sh", "--force")
    assert (done.returncode, fakes.calls()) == (2, [])
    assert done.stderr.startswith("error: --force is not an option")


def test_help_needs_nothing(fakes: Fakes) -> None:
    done = fakes.run("bootstrap.sh", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("bootstrap.sh [--yes] [--controller-only]")
