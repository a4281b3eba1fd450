"""The builder: what it builds, in what order, and what is left after each way to fail."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kubeflow_aks import tools
from kubeflow_aks.cli.process import main
from kubeflow_aks.tools import manifest
from kubeflow_aks.tools.build import build
from kubeflow_aks.tools.errors import BuildError
from kubeflow_aks.tools.installed import bin_folder, manifests_folder
from kubeflow_aks.tools.manifest import Tool
from kubeflow_aks.tools.places import build_cache, cache
from tests.tools.fake_go import FakeGo

ONE = Tool("one", "etcd", "example.org/one", "1.0.0", minutes=1)
TWO = Tool("two", "etcd", "example.org/two", "1.0.0", minutes=1)
OTHER = Tool("other", "kwok", "example.org/other", "1.0.0", minutes=2.5)


@pytest.fixture
def lines() -> list[str]:
    return []


def test_every_tool_is_built_in_the_folder_of_its_group(go: FakeGo, lines: list[str]) -> None:
    build(manifest.selected(), jobs=2, report=lines.append)
    assert {call.split()[0] for call in go.calls()} == {"kubernetes", "engine", "kwok", "etcd"}
    assert isinstance(tools.find(), tools.Tools)


def test_a_build_is_reproducible_and_trusts_only_go_sum(go: FakeGo, lines: list[str]) -> None:
    build([ONE], jobs=1, report=lines.append)
    assert "-mod=readonly -trimpath" in go.calls()[0]


def test_what_is_built_is_not_built_again(go: FakeGo, lines: list[str]) -> None:
    build([ONE], jobs=1, report=lines.append)
    build([ONE, TWO], jobs=1, report=lines.append)
    assert [call.split()[-1] for call in go.calls()] == [ONE.package, TWO.package]


@pytest.mark.usefixtures("go")
def test_progress_shows_step_tool_and_expected_time(lines: list[str]) -> None:
    build([ONE, OTHER], jobs=1, report=lines.append)
    assert lines[0] == "step 1 of 2  one v1.0.0  building, expected 1 min 00 s"
    assert lines[2] == "step 2 of 2  other v1.0.0  building, expected 2 min 30 s"
    assert lines[3].startswith("step 2 of 2  other v1.0.0  built in ")


def test_a_long_build_shows_how_long_it_has_run(
    go: FakeGo, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubeflow_aks.tools.build._REPORT_SECONDS", 0.2)
    go.hangs_on("one", seconds=1)
    build([ONE], jobs=1, report=lines.append)
    assert lines[1] == "step 1 of 1  one v1.0.0  0 s elapsed, expected 1 min 00 s"


def test_a_failed_build_names_the_module_group_and_shows_the_compilers_last_lines(
    go: FakeGo, lines: list[str]
) -> None:
    go.fails_on("one", "go: downloading x v1\n" + "\n".join(f"line {n}" for n in range(100)))
    with pytest.raises(BuildError) as failure:
        build([ONE], jobs=1, report=lines.append)
    text = str(failure.value)
    assert text.startswith(
        "one v1.0.0 (module group packages/kubeflow-aks/src/kubeflow_aks/tools/etcd, "
        "package example.org/one): it does not compile"
    )
    assert "line 99" in text
    assert "line 80" not in text


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("write /tmp/x: no space left on device", "the disk is full"),
        ("dial tcp: lookup proxy: no such host", "no answer from the network"),
        ("reading x: 502 Bad Gateway", "no answer from the network"),
        ("verifying x@v1: checksum mismatch", "not the one that go.sum vouches for"),
        ("link: signal: killed", "memory ran out"),
    ],
)
def test_a_known_cause_is_reported_in_plain_words(
    go: FakeGo, lines: list[str], output: str, reason: str
) -> None:
    go.fails_on("one", output)
    with pytest.raises(BuildError, match=reason):
        build([ONE], jobs=1, report=lines.append)


def test_a_half_built_binary_is_never_found(go: FakeGo, lines: list[str]) -> None:
    go.fails_on("one", "broken")
    with pytest.raises(BuildError):
        build([ONE], jobs=1, report=lines.append)
    assert not bin_folder(ONE.group).exists()
    assert list(cache().glob("unfinished-*")) == []


def test_a_second_run_goes_on_where_the_first_failed(go: FakeGo, lines: list[str]) -> None:
    go.fails_on("two", "broken")
    with pytest.raises(BuildError):
        build([ONE, TWO], jobs=1, report=lines.append)
    go.succeeds_on("two")
    build([ONE, TWO], jobs=1, report=lines.append)
    assert [call.split()[-1] for call in go.calls()] == [ONE.package, TWO.package, TWO.package]


def test_a_failure_stops_the_build_beside_it(go: FakeGo, lines: list[str]) -> None:
    go.hangs_on("other")
    go.fails_on("one", "broken")
    begun = time.monotonic()
    with pytest.raises(BuildError, match=r"one v1\.0\.0"):
        build([OTHER, ONE], jobs=2, report=lines.append)
    assert time.monotonic() - begun < 10


@pytest.mark.usefixtures("go")
def test_what_go_downloads_and_compiles_goes_when_all_is_built(lines: list[str]) -> None:
    build([ONE], jobs=1, report=lines.append)
    assert not build_cache().exists()


def test_after_a_failure_it_stays_for_the_next_build(go: FakeGo, lines: list[str]) -> None:
    go.fails_on("two", "broken")
    with pytest.raises(BuildError):
        build([ONE, TWO], jobs=1, report=lines.append)
    assert (build_cache() / "compiled" / "one").exists()
    go.succeeds_on("two")
    build([ONE, TWO], jobs=1, report=lines.append)
    assert not build_cache().exists()


def test_caches_that_the_user_placed_are_used_and_kept(
    go: FakeGo, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    monkeypatch.setenv("GOCACHE", str(mine))
    build([ONE], jobs=1, report=lines.append)
    assert (mine / "one").exists()
    assert go.calls()


def _store_of_another_tree(name: str, *, days: float) -> Path:
    """Tools that were used the last time so many days ago."""
    folder = cache() / name
    (folder / "bin").mkdir(parents=True)
    (folder / "used").touch()
    used = time.time() - days * 86_400
    os.utime(folder / "used", (used, used))
    return folder


@pytest.mark.usefixtures("go")
def test_tools_that_no_tree_has_used_for_a_month_go_when_others_are_built(lines: list[str]) -> None:
    unused, used = (
        _store_of_another_tree(f"etcd-{'0' * 16}", days=31),
        _store_of_another_tree(f"etcd-{'1' * 16}", days=29),
    )
    of_all_groups = _store_of_another_tree("0" * 16, days=31)
    other = _store_of_another_tree("go", days=31)
    build([ONE], jobs=1, report=lines.append)
    assert [folder.exists() for folder in (unused, of_all_groups, used, other)] == [False, False, True, True]
    assert bin_folder(ONE.group).exists()
    assert lines[-2:] == [
        f"removed tools that nobody has used for a month: {folder}" for folder in (of_all_groups, unused)
    ]


@pytest.mark.usefixtures("go")
def test_tools_from_before_uses_were_noted_are_as_old_as_their_last_build(lines: list[str]) -> None:
    recent = _store_of_another_tree(f"etcd-{'0' * 16}", days=31)
    (recent / "used").unlink()
    build([ONE], jobs=1, report=lines.append)
    assert recent.exists()


@pytest.mark.usefixtures("go")
def test_leftovers_of_a_killed_builder_are_swept(lines: list[str]) -> None:
    leftover = cache() / "unfinished-1"
    leftover.mkdir(parents=True)
    build([ONE], jobs=1, report=lines.append)
    assert not leftover.exists()


def test_too_old_a_go_is_not_used(go: FakeGo, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    go.reports("go1.25.9")

    def refuse(*_args: object, **_options: object) -> None:
        raise OSError("no venv here")

    monkeypatch.setattr("venv.create", refuse)
    with pytest.raises(BuildError, match="cannot make a venv for Go"):
        build([ONE], jobs=1, report=lines.append)
    assert go.calls() == []


def _module() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kubeflow_aks", "local", "build"]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _folders() -> str:
    """The line that the command prints: the folders of all that is always built."""
    groups = dict.fromkeys(tool.group for tool in manifest.selected())
    return ":".join(str(bin_folder(group)) for group in groups) + "\n"


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 120
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.usefixtures("go")
def test_the_command_prints_the_folders_of_the_binaries() -> None:
    output, progress = _module().communicate(timeout=300)
    assert output == _folders()
    assert "step 8 of 8" in progress


def test_the_command_fails_with_one_message_and_no_traceback(
    go: FakeGo, capsys: pytest.CaptureFixture[str]
) -> None:
    go.fails_on("pulumi", "broken")
    assert main(["local", "build"]) == 1
    progress = capsys.readouterr().err
    assert (
        "error: pulumi v3.274.1 (module group packages/kubeflow-aks/src/kubeflow_aks/tools/engine" in progress
    )
    assert "Traceback" not in progress


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopping_the_command_stops_the_compiler(go: FakeGo, stop: signal.Signals) -> None:
    go.hangs_on("pulumi")
    command = _module()
    _wait_for(go.started("pulumi"))
    command.send_signal(stop)
    _, progress = command.communicate(timeout=300)
    assert command.returncode == 130
    assert "error: interrupted; what is finished is kept" in progress
    with pytest.raises(ProcessLookupError):
        os.kill(int(go.started("pulumi").read_text()), 0)


def test_a_second_builder_waits_for_the_first(go: FakeGo) -> None:
    go.hangs_on("pulumi")
    first = _module()
    _wait_for(go.started("pulumi"))
    second = _module()
    assert second.stderr is not None
    assert second.stderr.readline() == "another build is running, waiting for it\n"
    (go.folder / "slow.pulumi").unlink()
    first.terminate()
    first.communicate(timeout=300)
    output, _ = second.communicate(timeout=300)
    assert output == _folders()


@pytest.mark.usefixtures("go")
def test_check_builds_nothing_and_shows_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["local", "build", "--check"]) == 1
    output = capsys.readouterr().out
    assert "pulumi v3.274.1: missing" in output
    assert "workflow-controller" not in output
    assert not cache().exists()


@pytest.mark.parametrize(("extra", "tool"), list(manifest.OPTIONAL.items()))
def test_an_optional_tool_is_built_only_when_requested(go: FakeGo, extra: str, tool: str) -> None:
    [optional] = [candidate for candidate in manifest.TOOLS if candidate.name == tool]
    for pattern in optional.manifests.split():
        go.has_module_file(re.sub(r"\[.*\]|\*", "x", pattern), "")
    assert main(["local", "build", "--with", extra]) == 0
    built = {file.name for file in cache().glob("*/bin/*")}
    assert built == {candidate.name for candidate in manifest.selected((extra,))}
    assert any(call.startswith(f"{optional.group} ") for call in go.calls())


def test_files_of_a_tools_module_are_kept_beside_it(go: FakeGo, lines: list[str]) -> None:
    for path in ("crds/one.yaml", "crds/two.yaml", "crds/README.md"):
        go.has_module_file(path, path)
    go.has_module_file("hooks.yaml", "hooks")
    build([replace(ONE, manifests="crds/*.yaml hooks.yaml"), TWO], jobs=1, report=lines.append)
    kept = manifests_folder(ONE)
    assert {file.name: file.read_text() for file in kept.iterdir()} == {
        "one.yaml": "crds/one.yaml",
        "two.yaml": "crds/two.yaml",
        "hooks.yaml": "hooks",
    }
    assert not manifests_folder(TWO).exists()


def test_a_tool_of_whose_files_some_are_nowhere_is_not_built(go: FakeGo, lines: list[str]) -> None:
    go.has_module_file("hooks.yaml", "")
    with pytest.raises(BuildError, match=r"crds/\*\.yaml"):
        build([replace(ONE, manifests="hooks.yaml crds/*.yaml")], jobs=1, report=lines.append)
    assert not bin_folder(ONE.group).exists()
