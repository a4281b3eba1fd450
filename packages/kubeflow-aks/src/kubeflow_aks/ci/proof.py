"""`kubeflow-aks ci proof STACK --commit SHA`: one line of history about what a run on Azure proved.

The line is JSON, so that lines of many runs can be appended to one another. A part whose file is missing is null: the
run ended before it.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from kubeflow_aks.cost.measured import Measured
from kubeflow_aks.exit_codes import ExitCode, InconclusiveError
from kubeflow_aks.scenario.checks import check_all
from kubeflow_aks.scenario.observations import from_json

_T = TypeVar("_T")
_NAMES: Final[Mapping[bool | None, str]] = {True: "kept", False: "broken", None: "notJudged"}


def run(stack: str, commit: str, results: Path, now: datetime | None = None) -> ExitCode:
    """Prints the line, of a folder with `verify.json` and what the drill wrote.

    Raises:
        InconclusiveError: a file is there and can't be read.
    """
    line = {
        "time": (now or datetime.now(UTC)).isoformat(timespec="seconds"),
        "commit": commit,
        "stack": stack,
        "verify": _read(results / "verify.json", _verified),
        "drill": _read(results / "drill.json", _drilled),
        "measured": _read(results / "measured.json", _measured),
    }
    print(json.dumps(line))
    return ExitCode.GOOD


def _read(file: Path, of: Callable[[str], _T]) -> _T | None:
    try:
        return of(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InconclusiveError(f"{file}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InconclusiveError(f"{file}: is not what its command writes") from None


def _verified(text: str) -> dict[str, int]:
    counts: dict[str, Any] = json.loads(text)
    return {state: int(counts[state]) for state in ("passed", "failed", "unknown")}


def _drilled(text: str) -> dict[str, int]:
    counts = Counter(result.passed for result in check_all(from_json(text)))
    return {name: counts[passed] for passed, name in _NAMES.items()}


def _measured(text: str) -> dict[str, Any]:
    times = Measured.model_validate_json(text)
    return times.model_dump(mode="json", by_alias=True, include={"where", "location", "pools"})
