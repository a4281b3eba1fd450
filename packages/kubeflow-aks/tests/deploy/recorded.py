"""Canonical's layouts and their juju providers as they were recorded, and a stand-in of each for `deploy/`."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import hcl2

from aks_facts import CharmedKubeflowRelease, charmed_kubeflow_releases
from kubeflow_aks.project import PROJECT_ROOT

DEPLOY: Final = PROJECT_ROOT / "deploy"
_DATA: Final = Path(__file__).parent / "data"
_OUTPUTS: Final = {
    "modules-kubeflow": (
        "ingress_provider",
        "kserve_controller",
        "tls_certificate_requirer",
        "dashboard_links_provider",
    )
}
"""What a layout exports beside its model (docs/facts/charmed-kubeflow.md#two-layouts)."""


@dataclass(frozen=True)
class Layout:
    """One layout of Canonical's Terraform, as a release of the catalogue names it.

    Attributes:
        release: the newest one that it deploys.
        variables: of each its `type`, whether it is `sensitive`, and its `default`.
        resources: what it makes: `arguments`, `applications`, `integrations`, and `locals` that these use.
        schema: of the provider that the root requires, as `providers schema -json` prints it.
    """

    release: CharmedKubeflowRelease
    variables: dict[str, dict[str, Any]]
    resources: dict[str, Any]
    schema: dict[str, Any]

    @property
    def root(self) -> Path:
        """The folder in `deploy/`."""
        return DEPLOY / self.release.root

    @property
    def source(self) -> str:
        """The module as OpenTofu names it, with its commit."""
        return (
            f"git::https://github.com/canonical/charmed-kubeflow-solutions//{self.release.layout}"
            f"?ref={self.release.commit}"
        )

    def refusals(self, variables: dict[str, Any]) -> list[str]:
        """What of these variables the module would not take, each with its reason."""
        unknown = [f"{name}: no such variable" for name in variables if name not in self.variables]
        misfits = [
            f"{name}: {json.dumps(value)} is no {self.variables[name]['type']}"
            for name, value in variables.items()
            if name in self.variables and not _fits(value, self.variables[name]["type"])
        ]
        return unknown + misfits

    def blocks(self, kind: str) -> dict[str, dict[str, Any]]:
        """The blocks of one kind in the root, by their label; those of JSON as those of HCL."""
        files = [parsed(file.read_text(encoding="utf-8")) for file in sorted(self.root.glob("*.tf"))]
        files += [{kind: [file.get(kind, {})]} for file in map(_json, sorted(self.root.glob("*.tf.json")))]
        return {
            label.strip('"'): body
            for file in files
            for block in file.get(kind, [])
            for label, body in block.items()
        }

    @property
    def required(self) -> set[str]:
        """The variables of the root that have no default."""
        return {name for name, body in self.blocks("variable").items() if "default" not in body}


@cache
def layout(name: str) -> Layout:
    """The recordings of a release's layout.

    Raises:
        FileNotFoundError: one of them is missing.
        ValueError: they are of another module, or of another commit.
    """
    release = charmed_kubeflow_releases()[name]
    variables, resources, schema = (
        _json(_DATA / f"{file}.json")
        for file in (
            f"{release.root}-variables",
            f"{release.root}-resources",
            f"juju-provider-{release.juju_provider}-schema",
        )
    )
    for recording in (variables, resources):
        if (recording["path"], recording["commit"]) != (release.layout, release.commit):
            raise ValueError(f"{name}: recorded are {recording['path']} at {recording['commit']}")
    return Layout(release, variables["variables"], resources, schema)


RELEASES: Final = tuple(name for name, release in charmed_kubeflow_releases().items() if release.root)
"""Those that `deploy/` has a root for; each layout is deployed by one."""


def parsed(text: str) -> dict[str, list[dict[str, Any]]]:
    """A file of OpenTofu's: lists of blocks by kind. Labels and texts keep their quotes."""
    return cast("dict[str, list[dict[str, Any]]]", hcl2.loads(text))  # pyright: ignore[reportUnknownMemberType]


def root_of_stand_in(folder: Path, layout: Layout) -> Path:
    """A copy of a root that calls a stand-in of its module.

    The stand-in has the recorded variables, so that OpenTofu itself finds an argument that the module does not have,
    and the recorded model, applications and integrations. Its folder is written into the call: a file named
    `override.tf` could do that too, but OpenTofu looks for no unknown arguments in a call that it has merged.
    """
    root = Path(
        shutil.copytree(
            layout.root, folder / "deploy", ignore=shutil.ignore_patterns(".terraform*", "*.tfstate*")
        )
    )
    module = root / "stand-in"
    module.mkdir()
    variables = {name: {"default": None, **about} for name, about in layout.variables.items()}
    outputs = _OUTPUTS.get(layout.release.root, ())
    content: dict[str, Any] = {
        "terraform": {"required_providers": {"juju": {"source": "juju/juju"}}},
        "variable": variables,
        "locals": {"model": "kubeflow", **layout.resources.get("locals", {})},
        "resource": _resources(layout),
        "output": {name: {"value": name} for name in outputs} | {"model": {"value": "${local.model}"}},
    }
    write(module / "main.tf.json", content)
    for file in root.glob("*.tf*"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(layout.source, "./stand-in"), encoding="utf-8")
    return root


def write(file: Path, content: object) -> None:
    """Writes JSON."""
    file.write_text(json.dumps(content, indent=2), encoding="utf-8")


def _resources(layout: Layout) -> dict[str, Any]:
    # Provider 1.0 renamed the argument (canonical/bundle-kubeflow#1353).
    key, of = (
        ("model_uuid", "uuid")
        if "model_uuid" in layout.resources["arguments"]["juju_application"]
        else ("model", "name")
    )
    other = "var.model_uuid" if key == "model_uuid" else "local.model"
    model = {key: f"${{var.create_model ? one(juju_model.kubeflow[*].{of}) : {other}}}"}
    applications = {
        _label(name): _application(name, about, set(layout.variables)) | model
        for name, about in layout.resources["applications"].items()
    }
    integrations: dict[str, Any] = {}
    for number, (one, other, *count) in enumerate(layout.resources["integrations"]):
        ends = [
            {"name": f"${{one(juju_application.{_label(name)}[*].name)}}", "endpoint": endpoint}
            for name, endpoint in (one, other)
        ]
        integrations[f"integration_{number}"] = {**model, "application": ends, **_count(*count)}
    return {
        "juju_model": {"kubeflow": {"count": "${var.create_model ? 1 : 0}", "name": "${local.model}"}},
        "juju_application": applications,
        **({"juju_integration": integrations} if integrations else {}),
    }


def _application(name: str, about: dict[str, Any], variables: set[str]) -> dict[str, Any]:
    charm = {"name": about["charm"], "channel": about["channel"]}
    if about["revision"].removeprefix("${var.").removesuffix("}") in variables:
        charm["revision"] = about["revision"]
    optional = {key: about[key] for key in ("config", "storage_directives", "count") if key in about}
    return {"name": name, "charm": [charm], "trust": True, "units": 1, **optional}


def _count(*count: str) -> dict[str, str]:
    return {"count": count[0]} if count else {}


def _label(name: str) -> str:
    return name.replace("-", "_")


def _json(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))


def _fits(value: object, kind: str) -> bool:
    """Whether a value of JSON has a type of OpenTofu's, without OpenTofu's conversions."""
    match kind:
        case "string":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "map(string)":
            return isinstance(value, dict) and all(
                isinstance(item, str) for item in cast("dict[str, object]", value).values()
            )
        case _:
            return False
