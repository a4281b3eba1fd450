"""One preview in a process of its own, as the language host gives every program."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from kubeflow_aks.local_aks.engine import Engine, Result

_FRESH: Final = multiprocessing.get_context("spawn")


def preview(engine: Engine) -> Result:
    """The preview of a program that loads everything it needs anew, the SDKs too."""
    with ProcessPoolExecutor(1, mp_context=_FRESH) as process:
        return process.submit(engine.preview).result()
