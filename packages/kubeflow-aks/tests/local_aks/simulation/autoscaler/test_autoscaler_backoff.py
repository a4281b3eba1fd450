"""Groups whose scale-ups fail are left alone for longer and longer."""

from kubeflow_aks.local_aks.simulation.autoscaler.backoff import Backoff


def test_the_first_failure_costs_five_minutes() -> None:
    backoff = Backoff()
    assert backoff.fail("a", 0) == 300
    assert backoff.active("a", 299)
    assert not backoff.active("a", 300)
    assert not backoff.active("b", 0)


def test_later_failures_double_up_to_half_an_hour() -> None:
    backoff, now, lengths = Backoff(), 0.0, list[float]()
    for _ in range(5):
        lengths.append(backoff.fail("a", now))
        now += lengths[-1] + 1
    assert lengths == [300, 600, 1200, 1800, 1800]


def test_failures_during_a_back_off_do_not_double_it() -> None:
    backoff = Backoff()
    backoff.fail("a", 0)
    assert backoff.fail("a", 100) == 300
    assert backoff.active("a", 399)


def test_a_success_resets() -> None:
    backoff = Backoff()
    backoff.fail("a", 0)
    backoff.succeed("a")
    assert not backoff.active("a", 1)
    assert backoff.fail("a", 1000) == 300


def test_failures_are_forgotten_after_three_hours() -> None:
    backoff = Backoff()
    backoff.fail("a", 0)
    backoff.forget_stale(10_800)
    assert backoff.fail("a", 10_800) == 600
    backoff.forget_stale(21_601)
    assert backoff.fail("a", 21_601) == 300
