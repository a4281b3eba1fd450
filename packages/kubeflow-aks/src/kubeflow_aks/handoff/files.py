"""The files of a hand-off: what each is called, what is in it, and whether it is a secret."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.handoff import default_pools, juju, terraform
from kubeflow_aks.handoff.juju import Handover, as_yaml
from kubeflow_aks.project import PROJECT_ROOT

KUBECONFIG: Final = "kubeconfig"
VARIABLES: Final = "ckf.auto.tfvars.json"
"""For the Terraform root of the stack's release in `deploy/`."""
CHARMS: Final = "charms.json"
"""Channel and revision of each charm of the release, in the order in which they are refreshed."""
DEFAULT_POOLS: Final = "default-pools.yaml"
"""For the option `settings_yaml` of the charm namespace-node-affinity."""
_SCRIPTS: Final = Path(__file__).parent / "scripts"


def files(outputs: Outputs, pool_choices: Sequence[str] = ()) -> dict[str, str]:
    """Every file by its name, with default pools of profiles, each `namespace=pool`; nothing is written.

    Raises:
        StackError: an output is not there, or is not what is expected.
        UsageError: a default pool is not allowed.
    """
    handover = juju.handover(outputs)
    settings = default_pools.settings(outputs, pool_choices)
    texts = {
        "clouds.yaml": as_yaml(juju.clouds(handover)),
        "credentials.yaml": as_yaml(juju.credentials(handover)),
        KUBECONFIG: as_yaml(juju.kubeconfig(handover)),
        "names.sh": _names(outputs, handover, settings),
    }
    if handover.release.root:
        texts[VARIABLES] = _json(terraform.variables(outputs, handover.release))
        texts[CHARMS] = _json({name: asdict(charm) for name, charm in handover.release.charms.items()})
    scripts = {
        path.name: path.read_text(encoding="utf-8") for path in sorted(_SCRIPTS.iterdir()) if path.is_file()
    }
    return texts | ({DEFAULT_POOLS: settings} if settings else {}) | scripts


def _names(outputs: Outputs, handover: Handover, settings: str) -> str:
    """What the scripts know of this stack, as assignments that a shell reads back as they are."""
    variables = {
        "STACK": handover.stack,
        "CLOUD": handover.cloud,
        "CONTROLLER": handover.controller,
        "STORAGE_CLASS": handover.storage_class,
        "REGION": f"azure/{handover.location}",
        "RELEASE": handover.release.release,
        "ROOT": handover.release.root,
        "JUJU_CHANNEL": handover.release.juju_channel,
        "AGENT_VERSION": handover.release.juju_agent_version,
        "DASHBOARD": f"http://{handover.ingress}",
        "ANNOTATIONS": terraform.ingress_annotations(outputs),
        "TFVARS": VARIABLES if handover.release.root else "",
        "PRIVATE": "yes" if outputs.basis("apiAccess", "privateCluster") is True else "",
        "PROJECT": str(PROJECT_ROOT),
        "DEFAULT_POOL_NAMESPACES": " ".join(yaml.safe_load(settings) or ()),
    }
    lines = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
    return "\n".join(
        ["# Of this stack; written by `./kubeflow-aks handoff`, read by the scripts beside it.", *lines, ""]
    )


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
