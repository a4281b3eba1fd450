"""`refresh.sh`, and what `bootstrap.sh` does with a model that is there, with stand-ins of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubeflow_aks.handoff.files import files
from kubeflow_aks.handoff.folder import write
from tests.handoff.fake_programs import OWN, Fakes, charms
from tests.handoff.made_up_outputs import outputs, with_basis

JUNE = charms(
    kfp_api=("kfp-api", "2.15/stable", 2500),
    kfp_db=("mysql-k8s", "8.0/stable", 423),
    istio_pilot=("istio-pilot", "1.28/stable", 1562),
    kubeflow_trainer=("kubeflow-trainer", "2.0/edge", 60),
    admission_webhook=("admission-webhook", "2.0/stable", 600),
    cos_agent=("something-else", "1/stable", 1),
)
REFRESHED = charms(kfp_api=("kfp-api", "2.16/stable", 2759), kfp_db=("mysql-k8s", "8.0/stable", 423))
MODEL = "--model aks-dev-controller:kubeflow"


def deployed(tmp_path: Path, status: str, release: str = "1.11-ubuntu2") -> Fakes:
    """A machine whose Juju has the controller and the model."""
    write(tmp_path / "handoff", files(outputs(with_basis(kubeflow={"release": release}))))
    fakes = Fakes.installed(tmp_path / "handoff", tmp_path / "machine")
    fakes.put("clouds/aks-dev")
    fakes.put("credentials/aks-dev")
    fakes.put("controllers/aks-dev-controller", "living")
    fakes.put("namespaces/controller-aks-dev-controller", f"Active id {OWN}")
    fakes.put("models/kubeflow")
    fakes.put("namespaces/kubeflow", f"Active id {OWN}")
    fakes.put("status/1", status)
    return fakes


def test_what_is_behind_is_refreshed_in_canonical_s_order(tmp_path: Path) -> None:
    fakes = deployed(tmp_path, JUNE)
    done = fakes.run("refresh.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in fakes.calls() if line.startswith("juju refresh")] == [
        f"juju refresh {MODEL} admission-webhook --channel 2.0/stable",
        f"juju refresh {MODEL} kfp-api --channel 2.16/stable",
        f"juju refresh {MODEL} kubeflow-trainer --channel 2.1/stable",
    ]
    assert "delete deployment -n kubeflow kubeflow-trainer" in done.stdout
    assert "delete pod -n kubeflow kubeflow-trainer-0" in done.stdout


def test_what_is_not_behind_is_left_alone(tmp_path: Path) -> None:
    fakes = deployed(tmp_path, REFRESHED)
    done = fakes.run("refresh.sh")
    assert done.returncode == 0
    assert "no charm is behind Charmed Kubeflow 1.11-ubuntu2" in done.stdout
    assert fakes.changes() == []


@pytest.mark.parametrize(
    ("status", "options", "error"),
    [
        (JUNE, (), "error: not confirmed; nothing was refreshed"),
        (
            charms(istio_pilot=("istio-pilot", "1.24/stable", 1)),
            ("--yes",),
            "error: Istio is older than 1.28: going there in one step is not for charms that are refreshed",
        ),
        ("{}", ("--yes",), "error: the model kubeflow does not answer"),
    ],
    ids=["no-answer", "1.10", "no-status"],
)
def test_nothing_is_refreshed_otherwise(
    tmp_path: Path, status: str, options: tuple[str, ...], error: str
) -> None:
    fakes = deployed(tmp_path, status)
    done = fakes.run("refresh.sh", *options)
    assert done.returncode != 0
    assert error in done.stderr
    assert fakes.changes() == []


def test_a_refresh_that_stops_goes_on(tmp_path: Path) -> None:
    fakes = deployed(tmp_path, JUNE)
    fakes.fails("juju-refresh", "ERROR connection reset")
    done = fakes.run("refresh.sh", "--yes")
    assert done.returncode == 1
    assert "error: the application admission-webhook could not be refreshed" in done.stderr
    assert len([line for line in fakes.calls() if line.startswith("juju refresh")]) == 1


@pytest.mark.parametrize(
    ("status", "release", "others"),
    [
        (JUNE, "1.11-ubuntu2", "kfp-api 2.15/stable, kubeflow-trainer 2.0/edge"),
        (REFRESHED, "1.11", "kfp-api 2.16/stable"),
    ],
    ids=["behind", "ahead"],
)
def test_terraform_changes_no_model_of_another_release(
    tmp_path: Path, status: str, release: str, others: str
) -> None:
    fakes = deployed(tmp_path, status, release)
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert (
        f"error: the model kubeflow has other charms than Charmed Kubeflow {release}: {others}\n"
        in done.stderr
    )
    assert not [line for line in fakes.calls() if line.startswith("tofu")]


def test_terraform_has_no_part_in_a_model_that_was_refreshed(tmp_path: Path) -> None:
    fakes = deployed(tmp_path, REFRESHED)
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 0, done.stderr
    assert "deployed by modules/kubeflow and refreshed to 1.11-ubuntu2 since" in done.stdout
    assert not [line for line in fakes.calls() if line.startswith("tofu")]


def test_a_state_where_the_root_was_before_is_moved_first(tmp_path: Path) -> None:
    fakes = deployed(tmp_path, charms(kfp_api=("kfp-api", "2.15/stable", 2500)), "1.11")
    (fakes.root / "terraform.tfstate.d" / "dev").mkdir(parents=True)
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert f"  move it: mkdir -p {fakes.root}/deploy/terraform.tfstate.d && mv " in done.stderr
    assert not [line for line in fakes.calls() if line.startswith("tofu")]
