"""What `kubeflow-aks handoff` does: writes what Juju and Terraform need for a stack's cluster."""

import json
from collections.abc import Sequence
from pathlib import Path

from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.handoff import folder
from kubeflow_aks.handoff.files import DEFAULT_POOLS, VARIABLES, files


def show(outputs: Outputs, pool_choices: Sequence[str] = ()) -> ExitCode:
    """Prints all files as one JSON object, secrets included.

    Raises:
        StackError: the outputs lack something.
        UsageError: a default pool is not allowed.
    """
    print(json.dumps(files(outputs, pool_choices)))
    return ExitCode.GOOD


def write(outputs: Outputs, build: Path, pool_choices: Sequence[str] = ()) -> ExitCode:
    """Writes the files to `<stack>/handoff` in a folder, and prints what comes next.

    Raises:
        StackError: the outputs lack something.
        FolderError: the folder can't be written, or is not ours.
        UsageError: a default pool is not allowed.
    """
    made = files(outputs, pool_choices)
    place = build.absolute() / outputs.stack / "handoff"
    folder.write(place, made)
    print(*_report(outputs, place, made), sep="\n")
    return ExitCode.GOOD


def _report(outputs: Outputs, folder: Path, made: dict[str, str]) -> list[str]:
    # A hint of the second stage belongs here: nobody would look for it in a page.
    second = (
        "kubeflow.argoRetries is on: take it out until Charmed Kubeflow is there, or `pulumi up` fails"
        if outputs.basis("kubeflow", "argoRetries")
        else "When it is there: kubeflow.argoRetries, so that retries survive evictions; "
        "see `./kubeflow-aks verify`"
    )
    release = outputs.basis("kubeflow", "release")
    after = (
        "About 40 minutes: controller 5, Terraform 5, charms 20 to 30; run it again whenever it stops"
        if VARIABLES in made
        else f"It ends with Juju's controller: deploy/ has no root for Charmed Kubeflow {release}"
    )
    return [
        f"Written to {folder}, for your eyes only: {', '.join(sorted(made))}",
        "Secrets are in credentials.yaml and kubeconfig; they give away the whole cluster",
        f"Next: {folder / 'bootstrap.sh'}",
        after,
        second,
        *(
            [
                f"Default pools of profiles: {folder / DEFAULT_POOLS}, for the charm that bootstrap.sh deploys",
                "See docs/how-to/give-profiles-a-default-pool.md",
            ]
            if DEFAULT_POOLS in made
            else []
        ),
    ]
