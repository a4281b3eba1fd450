"""Custom resources from Go modules: what is kept, what is refused, and that no tool is built again for them."""

from __future__ import annotations

import os
import stat

import pytest

from kubeflow_aks.tools import crds, manifest
from kubeflow_aks.tools.crds import CRDS, Crds
from kubeflow_aks.tools.errors import BuildError
from kubeflow_aks.tools.installed import store
from kubeflow_aks.tools.places import cache
from tests.tools.fake_go import FakeGo

QUEUES = Crds("example.org/queues", "1.2.0", "h1:right", "crds/*.yaml")


@pytest.fixture(autouse=True)
def only_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crds, "CRDS", {"queues": QUEUES})


@pytest.fixture
def lines() -> list[str]:
    return []


def test_the_files_of_the_pattern_are_kept_and_nothing_else(go: FakeGo, lines: list[str]) -> None:
    go.serves_modules("h1:right")
    go.has_module_file("crds/queue.yaml", "kind: CustomResourceDefinition")
    go.has_module_file("main.go", "package main")
    assert crds.missing() == ["queues"]
    crds.download(lines.append)
    [file] = crds.find("queues")
    assert (file.name, file.read_text()) == ("queue.yaml", "kind: CustomResourceDefinition")
    assert stat.S_IMODE(file.stat().st_mode) & stat.S_IWUSR, "else nobody can remove it"
    assert os.listdir(cache() / "crds") == [file.parent.name]  # noqa: PTH208 - names, and no paths
    assert lines == ["downloaded the custom resources of example.org/queues v1.2.0"]


def test_what_is_there_is_not_downloaded_again(go: FakeGo, lines: list[str]) -> None:
    go.serves_modules("h1:right")
    go.has_module_file("crds/queue.yaml", "")
    crds.download(lines.append)
    crds.download(lines.append)
    assert go.calls() == ["example.org/queues@v1.2.0"]


def test_another_version_is_downloaded_beside_it(
    go: FakeGo, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    go.serves_modules("h1:right")
    go.has_module_file("crds/queue.yaml", "")
    crds.download(lines.append)
    before = crds.find("queues")
    monkeypatch.setattr(
        crds, "CRDS", {"queues": Crds("example.org/queues", "1.3.0", "h1:right", "crds/*.yaml")}
    )
    assert crds.find("queues") == ()
    crds.download(lines.append)
    assert before[0].exists()


def test_another_hash_than_the_pinned_one_is_refused(go: FakeGo, lines: list[str]) -> None:
    go.serves_modules("h1:wrong")
    go.has_module_file("crds/queue.yaml", "")
    with pytest.raises(BuildError, match=r"queues v1\.2\.0: a downloaded module is not the one that go\.sum"):
        crds.download(lines.append)
    assert crds.find("queues") == ()


def test_a_module_without_them_is_refused(go: FakeGo, lines: list[str]) -> None:
    go.serves_modules("h1:right")
    go.has_module_file("main.go", "package main")
    with pytest.raises(BuildError, match=r"its module has no crds/\*\.yaml"):
        crds.download(lines.append)


def test_no_answer_is_reported_with_gos_own_words(go: FakeGo, lines: list[str]) -> None:
    go.serves_no_modules("dial tcp: i/o timeout")
    with pytest.raises(BuildError, match="no answer from the network") as failed:
        crds.download(lines.append)
    assert "dial tcp" in str(failed.value)
    assert list((cache() / "crds").iterdir()) == []


def test_they_have_no_part_in_the_tools_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new version of one of them must not build all tools again, which takes half an hour."""
    before = [store(tool.group) for tool in manifest.TOOLS]
    monkeypatch.setattr(crds, "CRDS", {})
    assert [store(tool.group) for tool in manifest.TOOLS] == before


@pytest.mark.parametrize("name", CRDS)
def test_each_version_and_hash_is_exact(name: str) -> None:
    assert CRDS[name].version.count(".") == 2
    assert CRDS[name].sum.startswith("h1:")
