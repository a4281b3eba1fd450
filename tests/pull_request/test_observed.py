"""The plain data between the run of both trees and what is told of it."""

from pull_request.observed import Run


def test_a_run_that_says_nothing_did_not_fail() -> None:
    assert not Run().failure
