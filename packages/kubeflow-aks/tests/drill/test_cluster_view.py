"""What a drill goes on with while the API server is away."""

from __future__ import annotations

from typing import Any, cast

import pytest

from kubeflow_aks.clients.kubernetes.errors import UnavailableError
from kubeflow_aks.clients.kubernetes.informer import Informer
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.drill.cluster_view import _Tolerant  # pyright: ignore[reportPrivateUsage] - its clock is a test's


class Watch:
    """An informer that a test takes away."""

    there = True

    def objects(self) -> list[Object]:
        """What is known, while it is there."""
        if not self.there:
            raise UnavailableError("away")
        return [{"kind": "Node"}]


def test_a_short_absence_is_waited_for_and_a_long_one_is_reported() -> None:
    watch, now = Watch(), [0.0]
    patient = _Tolerant(cast(Informer, watch), 60.0, lambda: now[0])
    first = patient.objects()
    for there, time in ((False, 10.0), (False, 70.0), (True, 75.0), (False, 80.0)):
        watch.there, now[0] = there, time
        assert patient.objects() == first
    now[0] = 141.0
    with pytest.raises(UnavailableError):
        patient.objects()


def test_what_was_never_seen_is_not_made_up() -> None:
    watch: Any = Watch()
    watch.there = False
    with pytest.raises(UnavailableError):
        _Tolerant(watch, 60.0).objects()
