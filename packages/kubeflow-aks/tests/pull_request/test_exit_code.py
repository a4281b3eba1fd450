"""Each finding fails the command by itself."""

from __future__ import annotations

from dataclasses import replace

from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.pull_request.command import exit_code_of
from kubeflow_aks.pull_request.observed import Refusal, Run, Trial
from tests.pull_request.observations import with_changes
from tests.pull_request.test_report_document import violation

NOTHING = with_changes()
REFUSAL = Refusal("urn", "azure-native:containerservice:ManagedCluster", "c", "OperationNotAllowed", "No.")


def test_what_violates_no_mandatory_rule_is_good() -> None:
    assert exit_code_of(NOTHING, []) is ExitCode.GOOD
    assert exit_code_of(NOTHING, [violation("a")]) is ExitCode.GOOD
    assert exit_code_of(replace(NOTHING, head=None), []) is ExitCode.GOOD


def test_what_is_not_judged_is_neither_good_nor_hides_what_is_certain() -> None:
    unjudged = replace(NOTHING, not_judged=("backend: changes",))
    assert exit_code_of(unjudged, []) is ExitCode.INCONCLUSIVE
    assert exit_code_of(replace(unjudged, head=Run(failure="backend: changes")), []) is ExitCode.INCONCLUSIVE
    assert exit_code_of(replace(unjudged, head=Run(failure="No.")), []) is ExitCode.FINDING
    assert exit_code_of(replace(unjudged, azure=Trial((REFUSAL,))), []) is ExitCode.FINDING
    assert exit_code_of(unjudged, [violation("b", mandatory=True)]) is ExitCode.FINDING


def test_a_mandatory_rule_a_refusal_and_a_program_that_fails_are_findings() -> None:
    assert exit_code_of(NOTHING, [violation("a"), violation("b", mandatory=True)]) is ExitCode.FINDING
    assert exit_code_of(replace(NOTHING, azure=Trial((REFUSAL,))), []) is ExitCode.FINDING
    assert exit_code_of(replace(NOTHING, refused=("cluster",)), []) is ExitCode.FINDING
    assert exit_code_of(replace(NOTHING, head=Run(failure="No.")), []) is ExitCode.FINDING
