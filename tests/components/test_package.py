"""The components as a Pulumi package: its schema, which other languages' SDKs are made from."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, is_typeddict

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from components.arguments.declaration import arguments_of, text_of
from components.cluster import aks_cluster_args
from components.data_store import data_store
from components.kubeflow import prerequisites_args
from components.monitoring import monitoring
from components.network import network
from components.package import COMPONENTS, NAME, VERSION
from components.pools import agent_pools
from components.registry import container_registry

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "components"
SOURCES = [file for file in PLUGIN.rglob("*.py") if ".venv" not in file.parts]
MODULES = (
    agent_pools,
    aks_cluster_args,
    container_registry,
    data_store,
    monitoring,
    network,
    prerequisites_args,
)
NAMES = sorted(component.__name__ for component in COMPONENTS)


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every input, output and field of the schema, by its path."""
    for token, resource in schema["resources"].items():
        for kind in ("inputProperties", "properties"):
            for name, declared in resource[kind].items():
                yield f"{token}.{kind}.{name}", declared
    for token, declared_type in schema["types"].items():
        for name, declared in declared_type.get("properties", {}).items():
            yield f"{token}.{name}", declared


def test_the_schema_is_what_it_was(schema: dict[str, Any], snapshot: SnapshotAssertion) -> None:
    assert schema == snapshot(extension_class=JSONSnapshotExtension)


def figures(schema: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """The rows of the page that compares our schema with those of others."""
    rows = list(properties(schema))
    inputs = [declared for path, declared in rows if ".properties." not in path]
    outputs = [declared for path, declared in rows if ".properties." in path]
    yield "Components", len(schema["resources"])
    yield "Input properties, with those of types", len(inputs)
    yield "of these plain", sum(bool(entry.get("plain")) for entry in inputs)
    yield "of these without a description", sum(not entry.get("description") for entry in inputs)
    yield "Enums", sum("enum" in kind for kind in schema["types"].values())
    yield "Outputs", len(outputs)
    yield "of these always secret", sum(bool(entry.get("secret")) for entry in outputs)
    yield "of these without a description", sum(not entry.get("description") for entry in outputs)


def test_the_page_has_the_figures_of_the_schema(schema: dict[str, Any]) -> None:
    page = (ROOT / "docs/how-to/use-the-components.md").read_text(encoding="utf-8")
    _, _, *rows, metadata = [line.split(" | ") for line in re.findall(r"^\| (.+) \|$", page, re.MULTILINE)]
    assert [row[0] for row in rows] == [name for name, _ in figures(schema)]
    assert [int(row[1]) for row in rows] == [pytest.approx(count, rel=0.2) for _, count in figures(schema)]
    keys = ("description", "displayName", "homepage", "keywords", "license", "publisher", "repository")
    assert metadata[1] == ", ".join(key for key in keys if not schema.get(key))


def test_every_component_is_in_the_package(schema: dict[str, Any]) -> None:
    assert sorted(schema["resources"]) == [f"kubeflow-aks:index:{name}" for name in NAMES]


def test_every_module_with_a_component_is_in_the_package() -> None:
    names = {
        name
        for file in SOURCES
        for name in re.findall(r"^class (\w+)\(pulumi\.ComponentResource\)", file.read_text(), re.MULTILINE)
    }
    assert sorted(names) == NAMES


def test_everything_says_what_it_is(schema: dict[str, Any]) -> None:
    silent = [path for path, declared in properties(schema) if not declared.get("description")]
    silent += [
        token for kind in ("resources", "types") for token, d in schema[kind].items() if not d["description"]
    ]
    assert silent == []


def test_what_may_be_left_out_says_what_it_is_then(schema: dict[str, Any]) -> None:
    """Groups aside, whose fields say it, and tags."""
    required: set[str] = {
        f"{token}.{name}"
        for kind, key in (("resources", "requiredInputs"), ("types", "required"))
        for token, declared in schema[kind].items()
        for name in list[str](declared.get(key) or [])
    }
    silent = [
        path
        for path, declared in properties(schema)
        if ".properties." not in path
        and path.replace(".inputProperties", "") not in required
        and "$ref" not in declared
        and not path.endswith((".tags", ".evictionPolicy", ".labels", ".taints", ".maxPrice"))
        and not re.search(r"\(default\b|Default: ", declared["description"].replace("\n", " "))
    ]
    assert silent == []


def test_a_default_is_declared_and_no_docstring_repeats_it() -> None:
    kinds = [kind for module in MODULES for kind in vars(module).values() if is_typeddict(kind)]
    declared = {(kind, name): argument for kind in kinds for name, argument in arguments_of(kind).items()}
    assert len(declared) > 80
    stated = [at for at, argument in declared.items() if argument.default not in (None, ..., (), {})]
    assert [at for at in stated if "efault" in text_of(*at).replace("default-editor", "")] == []


@pytest.mark.parametrize(
    ("component", "required"),
    [
        ("AgentPools", {"resourceGroupName", "cluster", "pools"}),
        ("AksCluster", {"resourceGroupName", "resourceGroupId", "location"}),
        ("ContainerRegistry", {"resourceGroupName", "location", "pullerObjectId"}),
        ("DataStore", {"resourceGroupName", "location", "oidcIssuer"}),
        ("KubeflowPrerequisites", {"pools"}),
        ("Network", {"resourceGroupName", "location"}),
    ],
)
def test_only_what_has_no_right_default_is_required(
    schema: dict[str, Any], component: str, required: set[str]
) -> None:
    assert set(schema["resources"][f"kubeflow-aks:index:{component}"]["requiredInputs"]) == required


def test_a_pool_must_say_no_more_than_name_size_and_most_nodes(schema: dict[str, Any]) -> None:
    assert schema["types"]["kubeflow-aks:index:AgentPoolSpec"]["required"] == ["maxCount", "name", "vmSize"]


def test_the_plugins_own_file_says_the_same_name_and_version() -> None:
    declared = yaml.safe_load((PLUGIN / "PulumiPlugin.yaml").read_text())
    assert declared.pop("runtime") == {"name": "python", "options": {"virtualenv": ".venv"}}
    assert declared == {"name": NAME, "version": VERSION}


def test_a_copy_of_the_folder_has_any_name() -> None:
    """`packages/kubeflow-aks/tests/local/components/test_stands_alone.py` makes one."""
    by_name = re.compile(rf"^\s*(?:from|import) {PLUGIN.name}\b", re.MULTILINE)
    assert [file for file in SOURCES if by_name.search(file.read_text(encoding="utf-8"))] == []


def test_the_plugin_needs_the_versions_of_the_program() -> None:
    lines = [line for line in (PLUGIN / "requirements.txt").read_text().splitlines() if line[0] != "#"]
    pinned = (ROOT / "requirements.txt").read_text()
    assert lines
    assert [line for line in lines if f"\n{line} " not in f"\n{pinned}"] == []
