"""Every citation leads to a source that a reader can open; `docs/facts/sources.md` says how one is written."""

from pathlib import Path

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from program.settings.reference import page
from tests.docs.citations import (
    SOURCES,
    broken,
    documents,
    is_source,
    stated_sources,
    texts,
    titles,
    words_of,
)

EXAMPLES = "packages/kubeflow-aks/tests/docs/test_citations.py"
"""This file: it holds citations that lead nowhere, to show that they are found."""
FILES = [file for file in texts() if file.relative_to(PROJECT_ROOT).as_posix() != EXAMPLES]
HERE = Path(__file__)


def test_no_citation_leads_nowhere() -> None:
    unknown_citations = {
        file.relative_to(PROJECT_ROOT).as_posix(): wrong
        for file in FILES
        if (wrong := broken(words_of(file), file))
    }
    assert unknown_citations == {}


def _states(file: Path) -> bool:
    """Whether `source` is a citation there; in `ckf_spot` it is where an observation comes from."""
    return not file.is_relative_to(PROJECT_ROOT / "packages/ckf-spot")


def test_what_is_given_as_a_source_is_one() -> None:
    stated = [(file, text) for file in FILES if _states(file) for text in stated_sources(file)]
    assert len(stated) > 80  # the settings alone have as many
    assert [text for file, text in stated if not is_source(text, file)] == []


def test_every_row_of_the_settings_reference_has_a_source() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| `")]
    sources = [row.replace("\\|", "").split("|")[-2].strip() for row in rows]
    assert len(rows) > 80
    assert [source for source in sources if not is_source(source, SOURCES)] == []


@pytest.mark.parametrize(
    "text",
    [
        "aks.md §1.5",
        "(no-such-page.md)",
        "docs/facts/aks.md#no-such-heading",
        "docs/facts/no-such-page.md",
        "AKS#4418",
        "see #4278",
        "issue #3",
        "pull request 12",
        "packages/kubeflow-aks/tests/docs/test_no_such_thing.py",
        "no_such_file.go",
    ],
)
def test_a_citation_that_leads_nowhere_is_found(text: str) -> None:
    assert broken(text, HERE)


@pytest.mark.parametrize(
    "text",
    [
        'spot-node-pool.md, "Limitations"',
        "Azure/AKS#4418",
        "docs/facts/aks.md#spot-pools",
        "expander/priority/priority.go",
        "packages/kubeflow-aks/tests/docs/test_pages.py",
    ],
)
def test_a_citation_that_leads_somewhere_is_a_source(text: str) -> None:
    assert broken(text, HERE) == []
    assert is_source(text, HERE)


def test_a_title_that_is_listed_is_a_source() -> None:
    assert is_source('"NVIDIA MIG user guide"', HERE)
    assert not is_source('"A page that nobody lists"', HERE)


def test_the_list_of_sources_is_read() -> None:
    assert {"spot-node-pool.md", "faq.yml", "expander/priority/priority.go"} <= documents()
    assert "NVIDIA MIG user guide" in titles()
