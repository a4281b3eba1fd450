"""Finding the tools: built ones, ones on PATH, and the name of the cache folder."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import tools
from tools import manifest
from tools.installed import SOURCE, bin_folder, locate, store

ETCD = next(tool for tool in manifest.TOOLS if tool.name == "etcd")


def _program(folder: Path, name: str, says: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    return program


def test_a_tool_on_path_of_the_pinned_version_is_used(path_folder: Path) -> None:
    program = _program(path_folder, "etcd", "etcd Version: 3.6.14")
    assert locate(ETCD) == program


@pytest.mark.parametrize("version", ["3.6.13", "3.6.140", "13.6.14", "3.6.14-rc.1", "3.6.14+dirty", ""])
def test_a_tool_on_path_of_another_version_is_not_used(path_folder: Path, version: str) -> None:
    _program(path_folder, "etcd", f"etcd Version: {version}")
    assert locate(ETCD) is None


def test_a_broken_tool_on_path_is_not_used(path_folder: Path) -> None:
    (path_folder / "etcd").write_text("not a program")
    (path_folder / "etcd").chmod(0o755)
    assert locate(ETCD) is None


def test_a_tool_that_cannot_say_its_version_is_not_taken_from_path(path_folder: Path) -> None:
    argo = manifest.wanted(("argo",))[-1]
    _program(path_folder, argo.name, argo.version)
    assert locate(argo) is None


def test_the_built_tool_comes_before_the_one_on_path(path_folder: Path) -> None:
    _program(path_folder, "etcd", "etcd Version: 3.6.14")
    built = _program(bin_folder(), "etcd", "")
    assert locate(ETCD) == built


@pytest.mark.usefixtures("path_folder")
def test_missing_tools_are_named_with_the_command_that_builds_them() -> None:
    for tool in manifest.wanted():
        if tool.name != "etcd":
            _program(bin_folder(), tool.name, "")
    assert str(tools.find()) == "not built yet: etcd v3.6.14 (`python -m tools` builds them)"


def test_the_tools_folders_come_first_on_path(path_folder: Path) -> None:
    for tool in manifest.wanted():
        _program(bin_folder(), tool.name, "")
    found = tools.find()
    assert isinstance(found, tools.Tools)
    assert found.environment()["PATH"] == f"{bin_folder()}:{path_folder}"


def test_a_changed_module_pin_means_another_cache_folder(tmp_path: Path) -> None:
    source = tmp_path / "tools"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    before = store(source)
    assert before.name == store().name
    (source / "etcd" / "go.sum").write_text("")
    assert store(source) != before


@pytest.mark.parametrize("tool", manifest.TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_pinned_in_its_groups_module_file(tool: manifest.Tool) -> None:
    pins = (SOURCE / tool.group / "go.mod").read_text()
    modules = [
        module for module in re.findall(rf"(\S+) v{tool.version}\b", pins) if tool.package.startswith(module)
    ]
    assert len(modules) == 1
    assert f"{modules[0]} v{tool.version} h1:" in (SOURCE / tool.group / "go.sum").read_text()


def test_every_group_asks_for_the_same_minimum_go() -> None:
    asked = {file.read_text().split("\ngo ")[1].split()[0] for file in SOURCE.glob("*/go.mod")}
    assert asked == {"1.26.0"}
