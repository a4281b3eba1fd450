"""Which releases of Kubeflow Pipelines' SDK can be placed; it needs none of them."""

from collections.abc import Iterator
from importlib import metadata
from typing import Final

from ckf_spot import install
from ckf_spot.backend import PORT_FROM_V1
from ckf_spot.errors import ABSENT, Mistake, missing, refuse

_FIRST: Final = (2, 17)
"""First SDK that keeps a long `backoff_max_duration`; older ones make 3600 s of it (kubeflow/pipelines#13452)."""
_V2: Final = (2, 0)


def check() -> None:
    """Refuses an SDK that is missing or too old, before any module of it is imported.

    Raises:
        PlacementError: with a line for each package; of kfp v1, which has no kfp-kubernetes, with one.
    """
    refuse(_problems())


def _problems() -> Iterator[Mistake]:
    for name in ("kfp", "kfp-kubernetes"):
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield missing(name, install.hint("kfp"))
            continue
        if install.minor_of(installed) < _V2 and name == "kfp":
            yield Mistake(name, ABSENT, PORT_FROM_V1, f"{installed} is kfp v1, whose tasks can't be placed")
            return
        if install.minor_of(installed) < _FIRST:
            expected = "expected 2.17 or newer, which compiles for older backends as well"
            why = "before 2.17, kfp ends a task's retries after 3600 s whatever the task sets"
            yield Mistake(name, ABSENT, expected, f"{installed} is too old: {why}")
