"""Errors before or during a drill."""

from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.scenario.step_runner import StepTimeoutError


class DrillError(StackError):
    """The drill cannot continue; the text is one line for the user, with what to do."""

    exit_code = ExitCode.FINDING


class OverError(StepTimeoutError):
    """A limit of the drill was reached; steps that did not happen yet say nothing about the cluster."""
