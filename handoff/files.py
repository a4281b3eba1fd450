"""The files of a hand-off: what each is called, what is in it, and whether it is a secret."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from deployed.outputs import Outputs
from handoff import juju, terraform
from handoff.juju import Handover

KUBECONFIG: Final = "kubeconfig"
MODULES: Final = "ckf.auto.tfvars.json"
"""For `deploy/`, which calls `modules/kubeflow`."""
PRODUCTS: Final = "products-kubeflow.tfvars.json"
_SCRIPTS: Final = Path(__file__).parent / "scripts"
_PROJECT: Final = Path(__file__).parents[1]


def files(outputs: Outputs) -> dict[str, str]:
    """Every file by its name; nothing is written.

    Raises:
        StackError: an output is not there, or has another form.
    """
    given = juju.handover(outputs)
    found = {
        "clouds.yaml": _yaml(juju.clouds(given)),
        "credentials.yaml": _yaml(juju.credentials(given)),
        KUBECONFIG: _yaml(juju.kubeconfig(given)),
        "names.sh": _names(outputs, given),
    }
    if given.release.release == terraform.RELEASE:
        found[MODULES] = _json(terraform.modules_kubeflow(outputs))
        found[PRODUCTS] = _json(terraform.products_kubeflow(outputs))
    scripts = {
        path.name: path.read_text(encoding="utf-8") for path in sorted(_SCRIPTS.iterdir()) if path.is_file()
    }
    return found | scripts


def _names(outputs: Outputs, given: Handover) -> str:
    """What the scripts know of this stack, as assignments that a shell reads back as they are."""
    said = {
        "STACK": given.stack,
        "CLOUD": given.cloud,
        "CONTROLLER": given.controller,
        "STORAGE_CLASS": given.storage_class,
        "REGION": f"azure/{given.location}",
        "RELEASE": given.release.release,
        "JUJU_CHANNEL": given.release.juju_channel,
        "AGENT_VERSION": given.release.juju_agent_version,
        "DASHBOARD": f"http://{given.ingress}",
        "ANNOTATIONS": terraform.ingress_annotations(outputs),
        "TFVARS": MODULES if given.release.release == terraform.RELEASE else "",
        "PRIVATE": "yes" if outputs.basis("apiAccess", "privateCluster") is True else "",
        "PROJECT": str(_PROJECT),
    }
    lines = [f"{name}={shlex.quote(value)}" for name, value in said.items()]
    return "\n".join(
        ["# Of this stack; written by `make handoff`, read by the scripts beside it.", *lines, ""]
    )


def _yaml(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(content, sort_keys=False, width=10_000)


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
