"""What holds for every command: its options, where the pools come from, and one line for each mistake."""

import codecs
import re
import shlex
import shutil
from pathlib import Path
from typing import Final

import pytest

from ckf_spot import Pools, install, sources
from ckf_spot.commands import generate
from program import POOLS, Run

ROOT: Final = Path(__file__).parents[2]


def test_the_version_tells_where_it_comes_from(run: Run) -> None:
    ran = run("--version")
    assert (ran.code, ran.output, ran.errors) == (0, f"ckf-spot {install.description()}\n", [])


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["place", "-f", "f.yaml", "--pool=--"], "--pool"),
        (["place", "-f--", "--pool", "cpu"], "-f"),
        (["generate", "pod-default", "--namespace=--"], "--namespace"),
    ],
)
def test_two_lone_dashes_are_no_value(run: Run, arguments: list[str], option: str) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.errors) == (2, [f"ckf-spot: argument {option}: expected one argument"])


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        (
            ["place", "-f", "none.yaml", "--pool", "tpu", "--prefer", "on-demand", "--require", "cheap"],
            ["pool: 'tpu'", "none.yaml: can't be read", "prefer: 'on-demand'", "require: 'cheap'"],
        ),
        (
            ["place", "-f", "none.yaml", "--pool", "cpu", "--pools", "none.json"],
            ["none.json: can't be read", "none.yaml: can't be read"],
        ),
        (
            ["generate", "pod-default", "--namespace", "A", "--pools", "none.json"],
            ["none.json: can't be read", "namespace: 'A'"],
        ),
    ],
)  # fmt: skip
def test_all_wrong_options_are_reported_at_once(run: Run, arguments: list[str], starts: list[str]) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert len(ran.errors) == len(starts)
    for line, start in zip(ran.errors, starts, strict=True):
        assert line.startswith(f"ckf-spot: {start}")


def test_ctrl_c_is_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(generate.Pools, "load", interrupted)
    ran = run("generate", "spawner")
    assert (ran.code, ran.errors) == (130, [])


def test_the_sample_is_enough_to_try_everything(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("generate", "sample-pools", "-o", "pools.json").code == 0
    monkeypatch.setenv("CKF_SPOT_POOLS", "pools.json")
    assert Pools.load().all == Pools.sample().all
    assert run("generate", "spawner").code == 0


def test_the_readmes_first_steps_need_no_cluster(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CKF_SPOT_POOLS")
    monkeypatch.setenv("KUBECONFIG", "/dev/null/none")
    shutil.copytree(ROOT / "examples", tmp_path / "packages/ckf-spot/examples")
    _, _, section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Try it without a cluster")
    commands = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0].splitlines()
    assert commands.pop(0) == "cd packages/ckf-spot"
    monkeypatch.chdir("packages/ckf-spot")
    for command in commands:
        program, *arguments = shlex.split(command)
        ran = run(*arguments)
        assert (program, ran.code, ran.errors) == ("ckf-spot", 0, [])
    assert "tolerations" in Path("placed.yaml").read_text(encoding="utf-8")


def test_the_sample_is_written_out_as_well(run: Run) -> None:
    assert run("generate", "sample-pools").output == sources.SAMPLE.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["a\ud800", "", "~nobody-has-this-name/x", "\0", "."])
def test_pools_that_no_file_can_have_are_one_line(run: Run, text: str) -> None:
    ran = run("generate", "spawner", "--pools", text)
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert "can't be read: " in ran.errors[0]


def test_an_empty_variable_names_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CKF_SPOT_POOLS", "")
    monkeypatch.setenv("KUBECONFIG", "/dev/null/none")
    (line,) = run("generate", "spawner").errors
    assert line.startswith(
        "ckf-spot: ConfigMap kubeflow-aks/agent-pools: no cluster is configured; name a file: "
    )


def test_a_file_in_the_home_folder(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("pools.json").write_bytes(POOLS.read_bytes())
    assert run("generate", "spawner", "--pools", "~/pools.json").code == 0


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_file_that_powershell_wrote(run: Run, mark: bytes, encoding: str) -> None:
    Path("pools.json").write_bytes(mark + POOLS.read_text(encoding="utf-8").encode(encoding))
    assert run("generate", "spawner", "--pools", "pools.json").errors == []


def test_a_user_without_a_home(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's user with any number: Python then finds no home folder."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    monkeypatch.delenv("CKF_SPOT_POOLS")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    (line,) = run("generate", "spawner").errors
    assert "no cluster is configured" in line
