"""Support windows as data."""

from itertools import pairwise

import pytest

from aks_facts import (
    CharmedKubeflowRelease,
    charmed_kubeflow_releases,
    kubernetes_version,
    kubernetes_versions,
)


def test_a_minor_has_the_last_day_of_each_support_plan() -> None:
    support = kubernetes_version("1.34")
    assert (str(support.standard_until), str(support.lts_until)) == ("2026-11-30", "2027-11-30")


def test_a_minor_stays_when_its_support_is_over() -> None:
    support = kubernetes_version("1.28")
    assert (str(support.standard_until), str(support.lts_until)) == ("2025-01-31", "2026-02-28")


def test_a_release_has_its_minors_and_its_juju() -> None:
    release = charmed_kubeflow_releases()["1.11-ubuntu2"]
    assert release.kubernetes_versions == ("1.32", "1.33", "1.34")
    assert (release.juju_channel, release.juju_agent_version) == ("3.6/stable", "3.6.25")
    assert (release.pipelines, release.root) == ("2.16", "products-kubeflow")


@pytest.mark.parametrize("release", charmed_kubeflow_releases().values(), ids=lambda release: release.release)
def test_a_release_with_a_root_has_charms(release: CharmedKubeflowRelease) -> None:
    """Its backend of Kubeflow Pipelines is the track of the charm kfp-api."""
    assert bool(release.charms) == bool(release.layout)
    if release.charms:
        assert release.charms["kfp-api"].channel.split("/")[0] == release.pipelines


def test_an_unknown_minor_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        kubernetes_version("1.20")


def test_long_term_support_outlasts_standard_support() -> None:
    assert all(support.lts_until > support.standard_until for support in kubernetes_versions().values())


def test_a_newer_minor_is_supported_longer() -> None:
    days = [(support.standard_until, support.lts_until) for support in kubernetes_versions().values()]
    assert all(older < newer for older, newer in pairwise(days))


@pytest.mark.parametrize("release", charmed_kubeflow_releases().values(), ids=lambda release: release.release)
def test_the_support_of_every_minor_that_a_release_runs_on_is_known(release: CharmedKubeflowRelease) -> None:
    assert set(release.kubernetes_versions) <= set(kubernetes_versions())
