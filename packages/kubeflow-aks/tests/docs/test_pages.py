"""Links lead somewhere, and the configuration that pages show is right."""

import re
from datetime import date
from pathlib import Path

import pytest
import yaml

from program.planning import plan
from tests.docs.pages import PAGES, blocks, name, prose

TODAY = date(2026, 11, 21)
CONFIGURATIONS = [
    pytest.param(block, id=f"{name(page)} {number}")
    for page in PAGES
    for number, block in enumerate(blocks(page, "yaml"))
    if block.lstrip().startswith("config:")
]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose(page))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_to_a_heading_leads_to_one(page: Path) -> None:
    for file, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", prose(page)):
        target = (page.parent / file) if file else page
        headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_index_has_every_page() -> None:
    index = next(page for page in PAGES if name(page) == "docs/README.md")
    linked = {(index.parent / link).resolve() for link in re.findall(r"\]\(([^)#:]+)", prose(index))}
    assert [name(page) for page in PAGES if page not in linked | {index}] == []


@pytest.mark.parametrize("block", CONFIGURATIONS)
def test_the_configuration_of_a_page_makes_a_plan(block: str) -> None:
    settings = {
        key.removeprefix("kubeflow-aks:"): value for key, value in yaml.safe_load(block)["config"].items()
    }
    tags = {"tags": {"owner": "me", "environment": "trial"}}
    assert plan(tags | settings, project="kubeflow-aks", stack="trial", today=TODAY)
