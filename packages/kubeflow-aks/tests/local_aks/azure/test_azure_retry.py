"""Which answers azure-native sends again."""

import pytest

from kubeflow_aks.local_aks.azure import provider
from kubeflow_aks.local_aks.azure.arm import ArmError


class Service:
    """Answers with errors first, then succeeds."""

    def __init__(self, *errors: ArmError) -> None:
        self.errors = list(errors)
        self.pauses: list[float] = []

    def send(self) -> str:
        """One request."""
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def error(status: int, code: str = "Code", retry_after: float | None = None) -> ArmError:
    return ArmError(status, code, "message", retry_after=retry_after)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_these_statuses_are_sent_again_up_to_three_times(status: int) -> None:
    service = Service(*[error(status)] * 3)
    assert provider.send(service.send, service.pauses.append) == "done"
    assert service.pauses == [20, 60, 120]


def test_the_fourth_failure_is_final() -> None:
    service = Service(*[error(500)] * 4)
    with pytest.raises(ArmError):
        provider.send(service.send, service.pauses.append)
    assert service.errors == []


def test_retry_after_replaces_the_delay() -> None:
    service = Service(error(429, retry_after=7))
    provider.send(service.send, service.pauses.append)
    assert service.pauses == [7]


def test_a_retry_after_beyond_two_minutes_is_not_waited_for() -> None:
    service = Service(error(429, retry_after=121))
    with pytest.raises(ArmError):
        provider.send(service.send, service.pauses.append)
    assert service.pauses == []


@pytest.mark.parametrize(
    ("status", "code"), [(400, "InvalidParameter"), (404, "NotFound"), (409, "OperationNotAllowed")]
)
def test_refusals_are_final(status: int, code: str) -> None:
    service = Service(error(status, code))
    with pytest.raises(ArmError):
        provider.send(service.send, service.pauses.append)
    assert service.pauses == []


def test_one_conflict_is_sent_again() -> None:
    service = Service(error(409, "AnotherOperationInProgress"))
    assert provider.send(service.send, service.pauses.append) == "done"
