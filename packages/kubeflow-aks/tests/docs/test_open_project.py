"""The files by which a project shows how to take part in it: they parse, and what they name is there."""

import json
import re
from pathlib import Path

import pytest
import yaml

from kubeflow_aks import ci, policy, pull_request, revisions
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools.manifest import TOOLS
from tests.docs.pages import prose

GITHUB = PROJECT_ROOT / ".github"
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.stem != "config"], ids=lambda form: form.stem
)
def test_an_issue_form_has_what_the_site_requires(form: Path) -> None:
    content = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= content.keys()
    ids = [part["id"] for part in content["body"]]
    assert len(set(ids)) == len(ids) > 0
    assert all(part["attributes"]["label"] for part in content["body"])


def _owners() -> list[list[str]]:
    """Each path that has owners, and they."""
    lines = (GITHUB / "CODEOWNERS").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def test_what_decides_what_runs_and_what_a_reviewer_sees_needs_a_second_review() -> None:
    rules = {path: owners for path, *owners in _owners()}
    folders = [Path(str(module.__file__)).parent for module in (ci, policy, pull_request, revisions)]
    packages = [f"/{folder.relative_to(PROJECT_ROOT).as_posix()}/" for folder in folders]
    [locks] = [path for path in rules if path.endswith("requirements*.txt")]
    for path in ("/.github/", "/Pulumi.yaml", "/kubeflow-aks", locks, *packages):
        assert "@SECURITY" in rules[path], path


def test_the_paths_that_have_owners_exist() -> None:
    rules = _owners()
    assert rules[0][0] == "*"
    for path, *owners in rules:
        assert owners
        assert path == "*" or list(PROJECT_ROOT.glob(path.strip("/"))), path


@pytest.mark.parametrize("page", ["pull_request_template.md", "SECURITY.md"])
def test_links_of_a_page_for_the_site_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose(GITHUB / page))
    assert [link for link in links if not (GITHUB / link).exists()] == []


def test_the_devcontainer_has_a_go_that_builds_the_tools_and_keeps_what_it_built() -> None:
    folder = PROJECT_ROOT / ".devcontainer"
    lines = (folder / "devcontainer.json").read_text(encoding="utf-8").splitlines()
    content = json.loads("\n".join(line for line in lines if not line.startswith("//")))
    dockerfile = (folder / "Dockerfile").read_text(encoding="utf-8")
    go = re.findall(r"^FROM golang:(\d+)\.(\d+)-", dockerfile, re.MULTILINE)
    assert len(go) == 1
    for group in sorted({tool.group for tool in TOOLS}):
        text = (PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks/tools" / group / "go.mod").read_text(
            encoding="utf-8"
        )
        needed = re.findall(r"^go (\d+)\.(\d+)", text, re.MULTILINE)
        assert tuple(map(int, needed[0])) <= tuple(map(int, go[0])), group
    home = f"/home/{content['remoteUser']}"
    assert f"{home}/.cache/kubeflow-aks" in dockerfile
    assert [mount["target"] for mount in content["mounts"]] == [f"{home}/.cache/kubeflow-aks"]
    assert content["build"]["dockerfile"] == "Dockerfile"
