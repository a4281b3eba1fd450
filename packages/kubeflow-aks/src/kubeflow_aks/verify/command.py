"""What `kubeflow-aks verify` does: checks whether a cluster keeps this product's promises."""

from __future__ import annotations

import json
import sys

from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.deployed.cluster import api_by_token, api_of, stack_error
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.text.colour import show
from kubeflow_aks.text.terminal import terminal_width
from kubeflow_aks.verify.checks import CHECKS
from kubeflow_aks.verify.cluster_reader import ClusterReader
from kubeflow_aks.verify.findings import run_checks
from kubeflow_aks.verify.report import document, has_failed, lines
from kubeflow_aks.verify.snapshot import ClusterSnapshot


def verify(outputs: Outputs, form: str) -> ExitCode:
    """Reads the cluster and prints the result of each check; changes nothing.

    Args:
        outputs: of the stack.
        form: `text` or `json`.

    Returns:
        FINDING where a promise is broken.

    Raises:
        StackError: the cluster can't be read; if only none of its objects can, after the results are printed.
    """
    snapshot = _look(outputs)
    findings = list(run_checks(CHECKS, snapshot, outputs))
    if form == "json":
        print(json.dumps(document(outputs.stack, findings), indent=2))
    else:
        show(lines(outputs.stack, findings, terminal_width()))
    if has_failed(findings):
        return ExitCode.FINDING
    if reason := snapshot.unreadable():
        raise StackError(f"{outputs.stack}: none of the cluster's objects can be read: {reason}")
    return ExitCode.GOOD


def _look(outputs: Outputs) -> ClusterSnapshot:
    """What can be read.

    Raises:
        StackError: the cluster can't be reached, or takes no sign-in.
    """
    token = outputs.values.get("jujuToken")
    juju = api_by_token(outputs, token) if isinstance(token, str) else None
    try:
        return ClusterReader(
            api_of(outputs), juju, lambda line: print(line, file=sys.stderr, flush=True)
        ).read()
    except KubeError as error:
        raise stack_error(error, outputs) from None
