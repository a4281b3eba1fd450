"""The program runs with the packages of `requirements.txt`, or says which differ and what installs them."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pulumi
import pytest
import semver
import yaml

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import record
from kubeflow_aks.tools.manifest import PULUMI_VERSION
from program import packages

_LOCK = packages.LOCK.read_text(encoding="utf-8")


def test_these_packages_are_those_of_the_lock_file() -> None:
    assert list(packages.differences(_LOCK)) == []
    assert _LOCK.count("==") > 20


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pyyaml==1.0", f"pyyaml: {yaml.__version__} is installed; expected 1.0"),
        (
            "typing-extensions==1.0 \\\n    --hash=sha256:00",
            "typing-extensions: 4.16.0 is installed; expected 1.0",
        ),
        ("nothing-of-the-kind==1.0", "nothing-of-the-kind is not installed; expected 1.0"),
        (f"PyYAML=={yaml.__version__}", None),
        ("nothing-of-the-kind==1.0 ; sys_platform == 'win32'", None),
        ("pyyaml==1.0 ; python_version > '3'", f"pyyaml: {yaml.__version__} is installed; expected 1.0"),
    ],
)
def test_a_package_that_differs_is_one_line(line: str, expected: str | None) -> None:
    assert list(packages.differences(f"{line}\n")) == ([expected] if expected else [])


def test_the_program_ends_before_it_imports_the_sdks(tmp_path: Path) -> None:
    """A state as after a `git pull` that brought newer ones."""
    (tmp_path / "requirements.txt").write_text(_LOCK + "azure-of-tomorrow==9\npulumi-kubernetes==9\n")
    (tmp_path / "program").symlink_to(PROJECT_ROOT / "program")
    script = (
        "import runpy, sys; from pathlib import Path; from program import packages; import pulumi\n"
        f"packages.LOCK = Path({str(tmp_path / 'requirements.txt')!r})\n"
        "try: runpy.run_path('__main__.py')\n"
        "except pulumi.RunError as error: print(error)\n"
        "print([name for name in sys.modules if name.startswith(('pulumi_azure', 'pulumi_kube', 'components'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "azure-of-tomorrow is not installed; expected 9",
        "pulumi-kubernetes: 4.34.2 is installed; expected 9",
        "the packages are not those of requirements.txt; run `./kubeflow-aks set-up runtime`",
        "[]",
    ]


def test_a_preview_shows_it_like_any_mistake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(packages, "LOCK", tmp_path / "requirements.txt")
    packages.LOCK.write_text("nothing-of-the-kind==1.0\n")
    with pytest.raises(pulumi.RunError, match=r"^nothing-of-the-kind is not installed; expected 1\.0\n"):
        record("dev", root=PROJECT_ROOT, preview=True)


def test_the_command_line_that_is_required_runs_the_tests_and_the_pipelines() -> None:
    """The engine that the tests run on, and the SDK's own version, which the workflows take."""
    text = (PROJECT_ROOT / "Pulumi.yaml").read_text(encoding="utf-8")
    required = yaml.safe_load(text)["requiredPulumiVersion"].split()
    for version in (PULUMI_VERSION, metadata.version("pulumi")):
        assert all(semver.Version.parse(version).match(part) for part in required)
    assert not semver.Version.parse("4.0.0").match(required[1])
