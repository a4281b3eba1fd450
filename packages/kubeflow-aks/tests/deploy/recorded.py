"""Canonical's modules and the juju provider as they were recorded, and a stand-in of the one that `deploy/` calls."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import hcl2

from kubeflow_aks.project import PROJECT_ROOT

ROOT: Final = PROJECT_ROOT / "deploy"
_DATA: Final = Path(__file__).parent / "data"
_OUTPUTS: Final = (
    "model",
    "ingress_provider",
    "kserve_controller",
    "tls_certificate_requirer",
    "dashboard_links_provider",
)
"""What `modules/kubeflow` exports (docs/facts/charmed-kubeflow.md#two-layouts)."""


@dataclass(frozen=True)
class Recorded:
    """One module's variables.

    Attributes:
        source: the module as OpenTofu names it, with its commit.
        variables: of each its `type`, whether it is `sensitive`, and its `default` where that was seen.
    """

    source: str
    variables: dict[str, dict[str, Any]]

    def refusals(self, variables: dict[str, Any]) -> list[str]:
        """What of these variables the module would not take, each with its reason."""
        unknown = [f"{name}: no such variable" for name in variables if name not in self.variables]
        misfits = [
            f"{name}: {json.dumps(value)} is no {self.variables[name]['type']}"
            for name, value in variables.items()
            if name in self.variables and not _fits(value, self.variables[name]["type"])
        ]
        return unknown + misfits


def modules_kubeflow() -> Recorded:
    """The module that `deploy/` calls."""
    return _read("modules-kubeflow-variables.json")


def products_kubeflow() -> Recorded:
    """The layout that follows."""
    return _read("products-kubeflow-variables.json")


@cache
def provider_schema() -> dict[str, Any]:
    """The schema of the provider that `deploy/` requires, as `providers schema -json` prints it."""
    return json.loads((_DATA / "juju-provider-0.23.3-schema.json").read_text(encoding="utf-8"))


def resources() -> dict[str, Any]:
    """What the module that `deploy/` calls makes: `arguments`, `applications` and `integrations`."""
    return json.loads((_DATA / "modules-kubeflow-resources.json").read_text(encoding="utf-8"))


def parsed(text: str) -> dict[str, list[dict[str, Any]]]:
    """A file of OpenTofu's: lists of blocks by kind. Labels and texts keep their quotes."""
    return cast("dict[str, list[dict[str, Any]]]", hcl2.loads(text))  # pyright: ignore[reportUnknownMemberType]


def blocks(kind: str) -> dict[str, dict[str, Any]]:
    """The blocks of one kind in `deploy/*.tf`, by their label."""
    files = [parsed(file.read_text(encoding="utf-8")) for file in sorted(ROOT.glob("*.tf"))]
    listed = [block for file in files for block in file.get(kind, [])]
    return {label.strip('"'): body for block in listed for label, body in block.items()}


def required_by_root() -> set[str]:
    """The variables of `deploy/` that have no default."""
    return {name for name, body in blocks("variable").items() if "default" not in body}


def root_of_stand_in(folder: Path) -> Path:
    """A copy of `deploy/` that calls a stand-in of the module.

    The stand-in has the recorded variables, so that OpenTofu itself finds an argument that the module does not have,
    and the recorded model, applications and integrations. Its folder is written into the call: a file named
    `override.tf` could do that too, but OpenTofu looks for no unknown arguments in a call that it has merged.
    """
    root = Path(
        shutil.copytree(ROOT, folder / "deploy", ignore=shutil.ignore_patterns(".terraform*", "*.tfstate*"))
    )
    module = root / "stand-in"
    module.mkdir()
    variables = {name: {"default": None, **about} for name, about in modules_kubeflow().variables.items()}
    content: dict[str, Any] = {
        "terraform": {"required_providers": {"juju": {"source": "juju/juju"}}},
        "variable": variables,
        "locals": {"model": "kubeflow"},
        "resource": _resources(set(variables)),
        "output": {name: {"value": name} for name in _OUTPUTS} | {"model": {"value": "${local.model}"}},
    }
    write(module / "main.tf.json", content)
    main = root / "main.tf"
    text = main.read_text(encoding="utf-8").replace(modules_kubeflow().source, "./stand-in")
    main.write_text(text, encoding="utf-8")
    return root


def write(file: Path, content: object) -> None:
    """Writes JSON."""
    file.write_text(json.dumps(content, indent=2), encoding="utf-8")


def _resources(variables: set[str]) -> dict[str, Any]:
    recorded = resources()
    model = "${var.create_model ? one(juju_model.kubeflow[*].name) : local.model}"
    applications = {
        _label(name): _application(name, about, variables) | {"model": model}
        for name, about in recorded["applications"].items()
    }
    integrations: dict[str, Any] = {}
    for number, (one, other, *count) in enumerate(recorded["integrations"]):
        ends = [
            {"name": f"${{one(juju_application.{_label(name)}[*].name)}}", "endpoint": endpoint}
            for name, endpoint in (one, other)
        ]
        integrations[f"integration_{number}"] = {"model": model, "application": ends, **_count(*count)}
    return {
        "juju_model": {"kubeflow": {"count": "${var.create_model ? 1 : 0}", "name": "${local.model}"}},
        "juju_application": applications,
        "juju_integration": integrations,
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


def _read(name: str) -> Recorded:
    recorded = json.loads((_DATA / name).read_text(encoding="utf-8"))
    repository = f"git::https://github.com/{recorded['repository']}"
    return Recorded(f"{repository}//{recorded['path']}?ref={recorded['commit']}", recorded["variables"])


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
