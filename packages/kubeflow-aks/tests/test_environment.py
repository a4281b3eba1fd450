"""`.venv` follows the lock files by their content, and uv and pip install the same."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kubeflow_aks import environment
from kubeflow_aks.environment import GROUPS, InstallError, ProjectEnvironment
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)


def pinned(lock: str) -> dict[str, set[str]]:
    """Versions by package that a lock file lists; several where they depend on the system."""
    found: dict[str, set[str]] = {}
    for name, version in _PINNED.findall((PROJECT_ROOT / lock).read_text(encoding="utf-8")):
        found.setdefault(name.lower().replace("_", "-"), set()).add(version)
    return found


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProjectEnvironment:
    """A checkout whose lock files list nothing, with a uv that has nothing to do."""
    monkeypatch.setattr(ProjectEnvironment, "_get_uv", _copy_uv)
    for lock in GROUPS.values():
        (tmp_path / lock).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / lock).write_text("")
    (tmp_path / "kubeflow-aks").touch()
    return ProjectEnvironment(tmp_path)


def _copy_uv(it: ProjectEnvironment) -> None:
    shutil.copy(Path(sys.executable).with_name("uv"), environment.program(it.folder, "uv"))


def test_each_group_holds_the_one_before_at_the_same_versions() -> None:
    runtime, commands, dev = map(pinned, GROUPS.values())
    for smaller, larger in ((runtime, commands), (commands, dev)):
        assert {name: larger.get(name) for name in smaller} == smaller
        assert len(larger) > len(smaller)


def test_lock_files_have_what_pyproject_pins() -> None:
    groups = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    for group, lock in GROUPS.items():
        listed = pinned(lock)
        for line in (line for line in groups[group] if isinstance(line, str)):
            name, _, version = line.partition("==")
            assert version in listed[name.lower()], f"run make requirements: {line}"


def test_it_is_set_up_once_and_again_when_the_lock_file_changes(checkout: ProjectEnvironment) -> None:
    assert not checkout.is_fresh("runtime")
    checkout.set_up("runtime")
    assert checkout.is_fresh("runtime")
    assert not checkout.is_fresh("commands")
    (checkout.root / GROUPS["runtime"]).write_text("# changed\n")
    assert not checkout.is_fresh("runtime")
    checkout.set_up("runtime")
    assert checkout.is_fresh("runtime")


def test_a_lock_file_with_a_new_date_and_the_same_content_is_fresh(checkout: ProjectEnvironment) -> None:
    checkout.set_up("runtime")
    os.utime(checkout.root / GROUPS["runtime"], (2_000_000_000, 2_000_000_000))
    assert checkout.is_fresh("runtime")


def test_a_larger_group_serves_a_smaller_one(checkout: ProjectEnvironment) -> None:
    checkout.set_up("dev")
    assert [checkout.is_fresh(group) for group in GROUPS] == [True, True, True]


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: ProjectEnvironment) -> None:
    checkout.set_up("runtime")
    checkout.python.unlink()
    checkout.python.symlink_to("/nowhere/python3")
    assert not checkout.is_fresh("runtime")
    checkout.set_up("runtime")
    assert subprocess.run([checkout.python, "-c", ""], check=False).returncode == 0


def test_the_package_of_the_checkout_can_be_imported(checkout: ProjectEnvironment) -> None:
    (checkout.root / "packages/ckf-spot/src/ckf_spot").mkdir(parents=True)
    (checkout.root / "packages/ckf-spot/src/ckf_spot/__init__.py").touch()
    checkout.set_up("runtime")
    assert subprocess.run([checkout.python, "-c", "import ckf_spot"], check=False).returncode == 0


def test_two_at_once_make_it_once(checkout: ProjectEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []
    create = environment.create

    def counted(folder: Path) -> None:
        made.append(folder)
        create(folder)

    monkeypatch.setattr(environment, "create", counted)
    with ThreadPoolExecutor(2) as both:
        list(both.map(checkout.set_up, ["runtime", "runtime"]))
    assert made == [checkout.folder]


def test_what_is_not_as_its_hash_says_is_refused(checkout: ProjectEnvironment) -> None:
    (checkout.root / GROUPS["runtime"]).write_text(f"click==8.5.1 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(InstallError, match=r"^requirements\.txt cannot be installed: .*(?i:hash)") as refused:
        checkout.set_up("runtime")
    assert "\n" not in str(refused.value)
    assert not checkout.is_fresh("runtime")


@pytest.mark.parametrize("uv", [True, False])
def test_pip_installs_where_uv_does_not(uv: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """A uv that fails, as one that does not reach the index, and a system without uv."""
    wheel = _wheel(tmp_path / "wheels")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock = tmp_path / "requirements.txt"
    lock.write_text(f"nothing-much @ {wheel.as_uri()} --hash=sha256:{digest}\n")
    environment.create(tmp_path / "made")
    failing = tmp_path / "uv"
    failing.write_text("#!/bin/sh\nexit 2\n")
    failing.chmod(0o700)
    environment.install(tmp_path / "made", lock, uv=failing if uv else tmp_path / "no-uv")
    python = environment.program(tmp_path / "made", "python")
    assert subprocess.run([python, "-c", "import nothing_much"], check=False).returncode == 0


def _wheel(folder: Path) -> Path:
    info = "nothing_much-1.dist-info"
    files = {
        "nothing_much.py": "",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: nothing-much\nVersion: 1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": f"nothing_much.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n",
    }
    content = folder / "content"
    for name, text in files.items():
        (content / name).parent.mkdir(parents=True, exist_ok=True)
        (content / name).write_text(text)
    packed = shutil.make_archive(str(folder / "packed"), "zip", content)
    return Path(packed).rename(folder / "nothing_much-1-py3-none-any.whl")


def test_the_command_for_other_environments_ends_with_1_where_a_package_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("six==1.17.0\n")
    assert environment.main([str(tmp_path / "made"), str(lock)]) == 1
    assert re.fullmatch(r"error: requirements\.txt cannot be installed: .*\n", capsys.readouterr().err)
    lock.write_text("")
    assert environment.main([str(tmp_path / "made"), str(lock)]) == 0


def test_the_standard_library_is_enough() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import kubeflow_aks.launcher"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, IMPORT_PATH.split(os.pathsep)[0]], check=False
    )
    assert done.returncode == 0
