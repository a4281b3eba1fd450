"""What acts on Azure's notice of an eviction: one pod, beside Charmed Kubeflow, that watches the nodes.

docs/decisions/0018-an-eviction-handler-of-our-own.md says why it is no daemon on the spot nodes.
"""

from typing import Final

import pulumi

from ..arguments.declaration import TextsByName
from .eviction_script import RIGHTS
from .script_pod import ScriptPod, script_pod

_HANDLER: Final = ScriptPod(app="eviction-handler", scripts=["eviction_script.py"], rights=RIGHTS)


def eviction_handler(
    name: str,
    namespace: pulumi.Input[str],
    node_labels: TextsByName,
    opts: pulumi.ResourceOptions,
    *,
    isolated: bool,
) -> list[pulumi.Resource]:
    """The pod, its script and its rights; see `script_pod` for the arguments."""
    return script_pod(name, namespace, node_labels, opts, _HANDLER, isolated=isolated)
