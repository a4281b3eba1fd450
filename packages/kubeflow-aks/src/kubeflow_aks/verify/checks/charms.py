"""The deployed charms against the stack's release of Charmed Kubeflow.

Kubernetes does not show a charm's revision: Juju writes it into none of its objects. So it comes from `juju status`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aks_facts import charmed_kubeflow_releases
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.json_values import at, is_mapping, text, whole
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed
from kubeflow_aks.verify.findings import CheckResult, passed
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result, UnknownError


def read(stack: str, file: Path | None) -> Result[Mapping[str, Any]]:
    """The applications in a file of `juju status --format json`, or why there are none."""
    command = f"juju status --model aks-{stack}-controller:kubeflow --format json"
    if file is None:
        return Result(reason=f"Juju alone knows the revisions; pass a file with `{command}` as --juju-status")
    try:
        applications = at(json.loads(file.read_text(encoding="utf-8")), "applications")
    except (OSError, ValueError):
        applications = None
    if not is_mapping(applications):
        return Result(reason=f"{file} has no applications; expected the output of `{command}`")
    return Result(applications)


def of_release(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Each charm of the release has its channel, and no older revision than Canonical published with it.

    An older one is only reported: it works until somebody refreshes it. What is in no release is counted.
    """
    applications, name = snapshot.charms.required(), str(outputs.basis("kubeflow", "release"))
    release = charmed_kubeflow_releases().get(name)
    if release is None or not release.charms:
        raise UnknownError(f"the catalogue has no charms of Charmed Kubeflow {name}")
    if not applications:
        raise UnknownError("the model has no application")
    behind, same, others = list[str](), Counter[bool](), list[str]()
    for application, about in sorted(applications.items()):
        charm = release.charms.get(text(at(about, "charm-name")))
        channel, revision = text(at(about, "charm-channel")), whole(at(about, "charm-rev"))
        if charm is None or revision is None:
            others.append(application)
        elif channel != charm.channel or (charm.revision is not None and revision < charm.revision):
            published = "" if charm.revision is None else f", revision {charm.revision}"
            behind.append(
                f"{application} has {channel}, revision {revision}; Charmed Kubeflow {name} has "
                f"{charm.channel}{published}"
            )
        else:
            same[charm.revision is not None] += 1
    parts = (
        (same[True], "with the release's revision or a newer one"),
        (same[False], "with the release's channel, for which Canonical published no revision"),
        (len(behind), "on another channel or an older revision"),
        (len(others), f"not in the catalogue, so not compared ({listed(others)})"),
    )
    yield passed(
        f"of {counted(len(applications), 'application')} of Charmed Kubeflow {name}: "
        + "; ".join(f"{number} {what}" for number, what in parts if number)
    )
    for line in behind:
        yield passed(line, "docs/how-to/refresh-charmed-kubeflow.md brings it there")
