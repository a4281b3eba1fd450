"""The whole command on a small program: what is not as it should be is one line, and nothing is left behind."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from kubeflow_aks.ownership import open_folder
from kubeflow_aks.pull_request.command import COMMENT
from kubeflow_aks.tools import Tools
from kubeflow_aks.tools.environments import environment as environment_of
from kubeflow_aks.tools.places import cache as tools_cache
from tests.local.commands import PATIENCE_SECONDS
from tests.local.pull_request.conftest import command, environment, previewed
from tests.revisions.repository import PROGRAM, Project, project

ODD = "h#x %20?a=b ü'\"\nx"


@pytest.fixture
def small(tools: Tools, tmp_path: Path) -> Project:
    """A small program in a folder whose name has what is special elsewhere: a folder may have any name."""
    assert tools["pulumi"]
    return project(tmp_path / ODD)


def _processes(root: Path) -> list[str]:
    """Command lines of the processes that work on a project, wherever they are by now."""
    lines: list[str] = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
            if process.status() != psutil.STATUS_ZOMBIE and (
                str(root) in line or process.cwd().startswith(str(root))
            ):
                lines.append(line)
        except psutil.Error:
            continue
    return lines


def test_the_base_is_judged_on_its_own_day_and_the_head_on_todays(small: Project) -> None:
    small.git("checkout", "--quiet", "-B", "main")
    small.write("Pulumi.yaml", "name: small\nruntime: python\nconfig:\n  asOf: {type: string, default: ''}\n")
    day = 'pulumi.Config().get("asOf")'
    warning = f"pulumi.log.warn(f'asOf is {{{day}}}, a day in the past')"
    small.write(
        "__main__.py", f"{PROGRAM}Thing('a:b:Day', 'day', {{'on': {day}}})\nif {day}:\n    {warning}\n"
    )
    small.commit("2026-05-05")
    small.git("checkout", "--quiet", "-B", "change")
    document = previewed(small).document("dev")
    [change] = document["changes"]
    [difference] = change["differences"]
    assert (difference["before"], difference["after"]) == ("2026-05-05", "")
    assert not any(document["warnings"].values())  # the day is this preview's, and so are its warnings


def test_pulumi_yaml_decides_what_runs_as_it_does_for_up(small: Project) -> None:
    small.write("other/__main__.py", PROGRAM.replace("kept", "another"))
    small.write("stacks/Pulumi.dev.yaml", "config:\n  small:given: two\n")
    plugins = "plugins: {providers: [{name: azure-native, path: ./bin}]}"
    small.write(
        "Pulumi.yaml", f"name: small\nruntime: python\nmain: other\nstackConfigDir: stacks\n{plugins}\n"
    )
    shown = previewed(small, code=3)
    assert shown.changes("dev") == {"kept": "delete", "another": "create"}
    assert "Not judged: plugins.providers: azure-native: `pulumi up`".replace("`", "") in shown.printed
    small.write("Pulumi.yaml", "name: small\nruntime: python\nconfig: {owner: {type: string}}\n")
    missing = previewed(small, code=1).document("dev")["failures"]["head"]
    assert missing.endswith("Stack 'dev' is missing configuration value 'owner'")
    small.write("Pulumi.yaml", "name: small\nruntime: python\nrequiredPulumiVersion: '>=99.0.0'\nauthor: 5\n")
    refused = previewed(small, code=1).document("dev")["failures"]["head"]
    assert "could not validate 'Pulumi.yaml': " in refused
    assert "#/author" in refused


def test_what_is_imported_is_shown_and_reported_once(small: Project) -> None:
    thing = "resources.ResourceGroup('taken', resource_group_name='taken', location='westeurope', opts={})\n"
    group = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/taken"
    text = f"{PROGRAM}from pulumi_azure_native import resources\n"
    text += thing.format(f"pulumi.ResourceOptions(import_='{group}')")
    small.write("__main__.py", text)
    shown = previewed(small, code=3)
    assert shown.changes("dev")["taken"] == "create"
    [note] = [word["text"] for word in shown.document("dev")["words"] if word["kind"] == "not-judged"]
    assert note.startswith(f"Not judged: ResourceGroup `taken` is an import of `{group}`")
    small.commit()
    assert previewed(small, base="change").document("dev")["outcome"] == "unchanged"


def test_a_base_that_does_not_run_is_reported_and_the_head_is_shown_as_new(small: Project) -> None:
    small.git("checkout", "--quiet", "-B", "main")
    small.write("__main__.py", "import pulumi\npulumi.Config().require('place')\n")
    small.commit()
    small.git("checkout", "--quiet", "-B", "change")
    small.write("__main__.py", PROGRAM)
    document = previewed(small).document("dev")
    assert document["outcome"] == "baseFailed"
    assert "place" in document["failures"]["base"]
    assert [change["action"] for change in document["changes"]] == ["create"]


@pytest.fixture
def without_providers(small: Project) -> Generator[str]:
    """A lock file that lists the Pulumi SDK and no provider; its environment is removed again."""
    packages = (small.root / "requirements.txt").read_text().replace("\\\n", "\0").splitlines()
    left_out = ("pulumi-azure-native", "pulumi-kubernetes", "pydantic")
    lock = "\n".join(line for line in packages if not line.startswith(left_out)).replace("\0", "\\\n") + "\n"
    yield lock
    shutil.rmtree(environment_of(lock.encode(), "a test", print).parents[1], ignore_errors=True)


def test_a_base_of_another_lock_file_runs_in_an_environment_of_its_own(
    small: Project, without_providers: str
) -> None:
    text = (
        f"{PROGRAM}import importlib.util\n"
        "Thing('a:b:Has', 'has', {'pydantic': bool(importlib.util.find_spec('pydantic'))})\n"
    )
    small.git("checkout", "--quiet", "-B", "main")
    head_lock = (small.root / "requirements.txt").read_text()
    small.write("__main__.py", text)
    small.write("requirements.txt", without_providers)
    small.commit()
    small.git("checkout", "--quiet", "-B", "change")
    small.write("requirements.txt", head_lock)
    document = previewed(small).document("dev")
    [difference] = [entry for change in document["changes"] for entry in change["differences"]]
    assert (difference["before"], difference["after"]) == (False, True), document


def test_a_tree_without_an_environment_is_not_judged(small: Project, tmp_path: Path) -> None:
    """Without a network as with a package that does not exist."""
    text = (small.root / "requirements.txt").read_text()
    small.write("requirements.txt", f"{text}nothing-such-here==1.0 --hash=sha256:{'0' * 64}\n")
    unreachable = dict.fromkeys(("UV_INDEX_URL", "PIP_INDEX_URL"), "http://127.0.0.1:9/simple")
    retries = {"UV_HTTP_RETRIES": "0", "PIP_RETRIES": "1"}
    cache = {"UV_CACHE_DIR": str(tmp_path / "uv"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    (tmp_path / "cache" / "kubeflow-aks").mkdir(parents=True)
    (tmp_path / "cache" / "kubeflow-aks" / "tools").symlink_to(tools_cache())
    shown = previewed(small, code=3, **unreachable, **retries, **cache)
    assert shown.errors.splitlines()[-1] == (
        "error: the environment of the head can't be made: the package index does not answer"
    )
    assert not shown.comment


def test_a_program_that_was_deleted_and_one_that_does_not_end(small: Project) -> None:
    (small.root / "__main__.py").unlink()
    deleted = previewed(small, code=1).document("dev")
    assert deleted["failures"]["head"] == "__main__.py: missing, so there is no program to run"
    small.write("__main__.py", "import time\ntime.sleep(600)\n")
    endless = previewed(small, "--time-limit", "5", code=1).document("dev")
    assert endless["failures"]["head"] == "the program took longer than 5 s (--time-limit) and was stopped"
    assert _processes(small.root) == []


def test_a_preview_that_is_stopped_leaves_nothing(small: Project) -> None:
    begun = small.root / "build" / "begun"
    begun.parent.mkdir()
    small.write(
        "__main__.py",
        "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        f"open({str(begun)!r}, 'w').close()\nimport time\ntime.sleep(600)\n",
    )
    for sent in (signal.SIGINT, signal.SIGTERM):
        _stopped(small, begun, sent)
        begun.unlink()


def _stopped(small: Project, begun: Path, sent: signal.Signals) -> None:
    before = small.state()
    running = subprocess.Popen(
        command(small),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not begun.exists() and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    running.send_signal(sent)
    printed, errors = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == 130, errors
    assert errors.splitlines()[-1] == "error: interrupted; nothing is left behind"
    assert "Traceback" not in printed + errors
    assert small.state() == before
    assert _processes(small.root) == []


@pytest.mark.parametrize(
    ("arguments", "base", "errors"),
    [
        (["--stack", "../dev"], "main", "error: --stack: ../dev is not allowed; expected one of dev"),
        ([], "no/such", "error: BASE: no/such is not allowed; expected a branch, tag or commit that is here"),
        (
            ["--time-limit", "soon"],
            "main",
            "error: --time-limit: soon is not allowed; expected a number of seconds above 0",
        ),
    ],
)
def test_a_usage_error_is_reported_and_previews_nothing(
    small: Project, arguments: list[str], base: str, errors: str
) -> None:
    shown = previewed(small, *arguments, base=base, code=2)
    [line] = shown.errors.splitlines()
    assert line.startswith(errors)
    assert not shown.comment


def test_what_sheds_its_mark_is_ended_too_and_no_link_is_followed(small: Project, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("mine")
    results = open_folder(small.root / "build", "pr-preview")
    (results / COMMENT).symlink_to(other)
    escaped = "subprocess.Popen(['sleep', '4321'], env={}, start_new_session=True, cwd=os.getcwd())"
    small.write("__main__.py", f"import os, subprocess\n{PROGRAM}{escaped}\n")
    previewed(small)
    assert not _processes(small.root)
    assert other.read_text() == "mine"
    assert not (results / COMMENT).is_symlink()
