"""`ckf-spot` on a real cluster, in the test's own process: the same code as in one of its own, which starts slowly."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from ckf_spot import cli


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    output: str
    errors: list[str]


def ckf_spot(kubeconfig: Path, *arguments: str) -> Ran:
    """Runs a command.

    Args:
        kubeconfig: of the cluster and the user.
        arguments: without the program's name.
    """
    output, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        patch.setenv("KUBECONFIG", str(kubeconfig))
        for name in ("COLUMNS", "CKF_SPOT_POOLS"):
            patch.delenv(name, raising=False)
        try:
            code = cli.main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    return Ran(code, output.getvalue(), errors.getvalue().splitlines())
