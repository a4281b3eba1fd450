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
from kubeflow_aks.ownership import MARKER, NotOurFolderError
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT


def locked(group: str) -> set[tuple[str, str, frozenset[str]]]:
    """Name, version and hashes of each package that the lock file of a group lists."""
    text = (PROJECT_ROOT / GROUPS[group]).read_text(encoding="utf-8")
    return {(package.name, package.version, package.hashes) for package in environment.packages(text)}


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


def test_each_group_holds_the_one_before_at_the_same_versions_and_hashes() -> None:
    assert locked("runtime") < locked("commands") < locked("dev")


def test_lock_files_have_what_pyproject_pins() -> None:
    groups = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    for group in GROUPS:
        listed = {(name, version) for name, version, _ in locked(group)}
        for line in (line for line in groups[group] if isinstance(line, str)):
            name, _, version = line.partition("==")
            assert (name.lower(), f"=={version}") in listed, f"run make requirements: {line}"


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


def test_what_an_earlier_lock_file_left_is_gone(checkout: ProjectEnvironment) -> None:
    """A wheel may bring files that its list of files lacks, which no installer removes; a `.pth` runs at each start."""
    checkout.set_up("runtime")
    [modules] = checkout.folder.glob("lib/python3*/site-packages")
    (modules / "left.pth").write_text("import this")
    (checkout.root / GROUPS["runtime"]).write_text("# the branch is left\n")
    checkout.set_up("runtime")
    assert not (modules / "left.pth").exists()
    assert not checkout.folder.with_name(".venv-before").exists()


def test_what_is_not_as_its_hash_says_is_refused_and_the_environment_is_as_before(
    checkout: ProjectEnvironment,
) -> None:
    checkout.set_up("runtime")
    (checkout.folder / "mine").touch()
    lock = checkout.root / GROUPS["runtime"]
    before = lock.read_text()
    lock.write_text(f"click==8.5.1 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(InstallError, match=r"^requirements\.txt cannot be installed: .*(?i:hash)") as refused:
        checkout.set_up("runtime")
    assert "\n" not in str(refused.value)
    assert not checkout.is_fresh("runtime")
    lock.write_text(before)
    assert checkout.is_fresh("runtime")
    assert (checkout.folder / "mine").exists()
    assert not checkout.folder.with_name(".venv-before").exists()


def test_what_a_killed_set_up_took_away_goes_with_the_next(checkout: ProjectEnvironment) -> None:
    checkout.set_up("runtime")
    checkout.folder.rename(checkout.folder.with_name(".venv-before"))
    checkout.set_up("runtime")
    assert checkout.is_fresh("runtime")
    assert not checkout.folder.with_name(".venv-before").exists()


def test_an_environment_of_before_there_were_marks_is_known_by_its_notes(
    checkout: ProjectEnvironment,
) -> None:
    checkout.set_up("runtime")
    (checkout.folder / MARKER).unlink()
    (checkout.root / GROUPS["runtime"]).write_text("# changed\n")
    checkout.set_up("runtime")
    assert checkout.is_fresh("runtime")
    assert (checkout.folder / MARKER).exists()


def test_an_environment_that_was_not_made_here_is_left_alone(checkout: ProjectEnvironment) -> None:
    (checkout.folder / "mine").mkdir(parents=True)
    with pytest.raises(NotOurFolderError, match=r"\.venv: was not made by kubeflow-aks and is left alone"):
        checkout.set_up("runtime")
    assert (checkout.folder / "mine").exists()


def test_other_hashes_in_the_smaller_lock_file_are_not_what_the_larger_one_installed(
    checkout: ProjectEnvironment,
) -> None:
    checkout.set_up("dev")
    (checkout.root / GROUPS["runtime"]).write_text(f"click==8.5.1 --hash=sha256:{'0' * 64}\n")
    assert checkout.is_fresh("commands")
    assert not checkout.is_fresh("runtime")


ZEROS = f" --hash=sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "line",
    [
        f"evil @ https://example.org/evil-1.tar.gz{ZEROS}",
        f"evil @ git+https://example.org/evil@{'0' * 40}{ZEROS}",
        f"evil @ file:///tmp/evil-1-py3-none-any.whl{ZEROS}",
        f"https://example.org/evil-1-py3-none-any.whl{ZEROS}",
        f"./evil{ZEROS}",
        f"evil-1.tar.gz{ZEROS}",
        "-e .",
        "-r other.txt",
        "-c other.txt",
        "--index-url https://example.org/simple",
        "--no-binary :all:",
        f"evil>=1{ZEROS}",
        "evil==1",
        f"evil==1 ; python_version > '3' --config-settings=a=b{ZEROS}",
        f"evil==1{ZEROS} --config-settings=a=b",
        f"evil==1 --hash=md5:{'0' * 32}",
        f"evil==1{ZEROS}\x0c-e .",
        f"evil==${{TOKEN}}{ZEROS}",
    ],
)
@pytest.mark.parametrize("uv", [True, False])
def test_what_may_run_code_when_it_is_installed_is_refused(line: str, *, uv: bool, tmp_path: Path) -> None:
    """Whichever installer there is; and in a pull request's `.venv` as in an environment for its preview."""
    program = Path(sys.executable).with_name("uv") if uv else tmp_path / "none"
    lock = f"click==8.5.1{ZEROS}\n{line}\n"
    with pytest.raises(
        InstallError, match=r"^lock\.txt cannot be installed: .* is not allowed; expected name"
    ) as it:
        environment.install(tmp_path / "made", lock, "lock.txt", uv=program)
    assert "\n" not in str(it.value)
    assert not (tmp_path / "made").exists()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the package index, for both installers."""
    for installer in ("PIP", "UV"):
        monkeypatch.setenv(f"{installer}_NO_INDEX", "1")
        monkeypatch.setenv(f"{installer}_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "wheels"


def _lock(name: str, file: Path) -> str:
    return f"{name}==1 --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


@pytest.mark.parametrize("uv", [True, False])
def test_pip_installs_where_uv_does_not(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, uv: bool
) -> None:
    """A uv that fails, as one that does not reach the index, and a system without uv."""
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("UV_PUBLISH_TOKEN", "secret")
    hidden = "# for pip a comment ends here \\\n-e /nowhere\n"
    lock = hidden + _lock("nothing-much", _wheel(index))
    environment.create(tmp_path / "made")
    failing = tmp_path / "uv"
    failing.write_text(f"#!/bin/sh\nenv > {tmp_path / 'variables'}\npwd > {tmp_path / 'folder'}\nexit 2\n")
    failing.chmod(0o700)
    environment.install(tmp_path / "made", lock, "lock.txt", uv=failing if uv else tmp_path / "no-uv")
    python = environment.program(tmp_path / "made", "python")
    assert subprocess.run([python, "-c", "import nothing_much"], check=False).returncode == 0
    if uv:
        variables = (tmp_path / "variables").read_text()
        assert f"UV_FIND_LINKS={index}" in variables
        assert "secret" not in variables
        assert (tmp_path / "folder").read_text() == "/\n"  # where no uv.toml of a checkout is above


def test_a_package_without_a_wheel_is_refused_by_both_installers(index: Path, tmp_path: Path) -> None:
    began = tmp_path / "began"
    source = tmp_path / "evil-1"
    source.mkdir()
    (source / "setup.py").write_text(f"open({str(began)!r}, 'w')\nraise SystemExit(1)\n")
    (source / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    index.mkdir()
    packed = Path(shutil.make_archive(str(index / "evil-1"), "gztar", tmp_path, "evil-1"))
    uv = Path(sys.executable).with_name("uv")
    environment.create(tmp_path / "made")
    with pytest.raises(InstallError, match=r"^lock\.txt cannot be installed: "):
        environment.install(tmp_path / "made", _lock("evil", packed), "lock.txt", uv=uv)
    assert not began.exists()


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
    shutil.rmtree(content)
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
