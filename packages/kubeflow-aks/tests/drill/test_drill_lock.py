"""What a second drill reads while the namespace of another one is there: always with the way out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.drill.lock import HOLDER, REMOVE, UNTIL, DrillLock
from kubeflow_aks.drill.stage import namespace

NOW = datetime.now(UTC)


class _Taken:
    """An API server that has the namespace of a drill."""

    def __init__(self, until: datetime) -> None:
        self.there = namespace({HOLDER: "ann@laptop", UNTIL: until.strftime("%Y-%m-%dT%H:%M:%SZ")})

    def create(self, *_: Any) -> None:
        raise ApiError(409, "AlreadyExists", "it exists")

    def get(self, _: Object) -> Object:
        return self.there


@pytest.mark.parametrize(
    ("until", "says"),
    [
        (NOW + timedelta(hours=1), "only one drill can run at a time; if it was killed, remove what it left"),
        (NOW - timedelta(hours=1), "left its work behind; remove it"),
    ],
    ids=["it may run", "it is over"],
)
def test_the_way_out_is_named(until: datetime, says: str) -> None:
    lock = DrillLock(cast("ApiServer", _Taken(until)))
    with pytest.raises(DrillError, match="a drill of ann@laptop") as refused:
        lock.acquire("bob@desk", NOW + timedelta(hours=1))
    assert str(refused.value).endswith(f"{says}: {REMOVE}")
