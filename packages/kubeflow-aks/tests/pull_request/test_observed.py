"""The plain data between the runs of both trees and the report."""

from kubeflow_aks.pull_request.observed import Run


def test_a_run_that_says_nothing_did_not_fail() -> None:
    assert not Run().failure
