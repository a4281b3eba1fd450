"""The page of messages is true: a search finds each, its commands work, and it names rules that there are."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Final

import pytest
from ready_cluster import NODES, TEAM, Api

from ckf_spot import cli, sources
from ckf_spot.doctor import platform
from ckf_spot.where.violations import RULES

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs/when-it-does-not-run.md").read_text(encoding="utf-8")
INTRODUCTION, *SECTIONS = PAGE.split("\n## ")
MESSAGES: Final = (
    "AllocationFailed",
    "OverconstrainedAllocationRequest",
    "QuotaExceeded",
    "exceeded quota",
    "pod didn't trigger scale-up",
    "DeadlineExceeded",
    "Multi-Attach error for volume",
    "RequeuingLimitExceeded",
    "PodsReadyTimeout",
    "pod deleted",
    "Retry",
)


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_in_the_table_and_in_the_heading_of_its_section(message: str) -> None:
    [row] = [row for row in INTRODUCTION.splitlines() if row.startswith("|") and message in row]
    [target] = re.findall(r"\(#(.+)\) \|$", row)
    [section] = [section for section in SECTIONS if anchor(section.partition("\n")[0]) == target]
    assert message in section.partition("\n")[0]


@pytest.mark.parametrize("section", [section for section in SECTIONS if "Where this is from" not in section])
def test_a_section_has_a_command_and_what_an_administrator_does(section: str) -> None:
    assert re.search(r"^```(sh|python)$", section, re.MULTILINE)
    assert re.search(r"^Administrator: ", section, re.MULTILINE)


def test_its_commands_work(api: Api, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    api.objects |= {f"{TEAM}/pods": [], f"{TEAM}/events": [], NODES: []}
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    commands = "".join(re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)).splitlines()
    assert len(commands) > 6
    for command in commands:
        program, *arguments = shlex.split(command)
        assert (program, cli.main(arguments), command) == ("ckf-spot", 0, command), capsys.readouterr()


def test_its_pipeline_is_placed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(sources.ENVIRONMENT, str(sources.SAMPLE))
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(code, "page", "exec"), {})  # noqa: S102 - our own page
    assert "kubeflow-aks/workload" in Path("training.yaml").read_text(encoding="utf-8")


def test_it_names_rules_and_checks_that_there_are() -> None:
    named = set(re.findall(r"`((?:stuck|step)-[a-z-]+)`", PAGE))
    assert named == {"stuck-on-spot", "stuck-without-pool", "stuck-terminating", "step-lost"}
    assert named <= {*RULES}
    assert platform.RETRIES == "argoRetries"


def test_its_links_lead_to_sections() -> None:
    for page, target in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", PAGE):
        text = (ROOT / "docs" / (page or "when-it-does-not-run.md")).read_text(encoding="utf-8")
        assert target in {anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}, target
