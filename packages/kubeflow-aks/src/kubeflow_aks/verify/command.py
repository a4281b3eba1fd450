"""What `kubeflow-aks verify` does: checks whether a cluster keeps this product's promises."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.deployed.cluster import api_by_token, api_of, stack_error
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.exit_codes import ExitCode, InconclusiveError
from kubeflow_aks.text.colour import show
from kubeflow_aks.text.terminal import terminal_width
from kubeflow_aks.verify.checks import CHECKS, charms
from kubeflow_aks.verify.cluster_reader import ClusterReader
from kubeflow_aks.verify.findings import Impact, run_checks
from kubeflow_aks.verify.report import document, lines, worst_impact
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result

Registered = Callable[[], list[Object]] | None


def verify(outputs: Outputs, registered: Registered, form: str, juju_status: Path | None = None) -> ExitCode:
    """Reads the cluster and prints the result of each check; changes nothing.

    Args:
        outputs: the stack's.
        registered: reads the objects that the program registered; None where nobody passed the stack's state.
        form: `text` or `json`.
        juju_status: file with what Juju reports of the model; None where nobody passed one.

    Returns:
        FINDING where something is broken now, WILL_BREAK where something will break.

    Raises:
        StackError: the cluster can't be read; if only none of its objects can, after the results are printed.
    """
    snapshot = replace(_look(outputs, registered), charms=charms.read(outputs.stack, juju_status))
    findings = list(run_checks(CHECKS, snapshot, outputs))
    if form == "json":
        print(json.dumps(document(outputs.stack, findings), indent=2))
    else:
        show(lines(outputs.stack, findings, terminal_width()))
    if (impact := worst_impact(findings)) is not None:
        return ExitCode.FINDING if impact is Impact.NOW else ExitCode.WILL_BREAK
    if reason := snapshot.unreadable():
        raise StackError(f"{outputs.stack}: none of the cluster's objects can be read: {reason}")
    return ExitCode.GOOD


def _look(outputs: Outputs, registered: Registered) -> ClusterSnapshot:
    """What can be read.

    Raises:
        StackError: the cluster can't be reached, or takes no sign-in.
    """
    token = outputs.values.get("jujuToken")
    juju = api_by_token(outputs, token) if isinstance(token, str) else None
    try:
        return ClusterReader(
            api_of(outputs), juju, _result(registered), lambda line: print(line, file=sys.stderr, flush=True)
        ).read()
    except KubeError as error:
        raise stack_error(error, outputs) from None


def _result(registered: Registered) -> Result[list[Object]]:
    """The objects, or why they can't be read: without the state all other checks remain."""
    if registered is None:
        return Result(reason="the stack's state is missing; pass it with --state FILE beside --outputs FILE")
    try:
        return Result(registered())
    except InconclusiveError as error:
        return Result(reason=f"the stack's state cannot be read: {error}")
