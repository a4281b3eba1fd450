"""Why a program did not run: its own messages, one line for each mistake, without tracebacks."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

_REPEATED: Final = "an unhandled error occurred: "
_TRACEBACK: Final = "\nTraceback (most recent call last):\n"
_CRASHED: Final = "python inline source runtime error: "
_PLACE: Final = re.compile(r'^  File "(.+)", line (\d+)', re.MULTILINE)
_GONE: Final = re.compile(
    r"(error reading from server|rpc error: code = (Unavailable|Canceled|Unknown) desc = (error reading|transport))"
)
"""The engine's messages when its program is gone."""
_FRAMES: Final = re.compile(
    r"(error: )?(preview|update|.{1,80} resources?) failed|.{0,80}[Rr]esource monitor has terminated.*"
)
"""Lines that add nothing to the others; matched as a whole, because a program's own messages may end alike."""
_PROTECTED: Final = re.compile(
    r'resource "(?P<urn>urn:[^"]+)"(?: as part of replacing "[^"]+"| cannot be deleted)?\s+'
    r"(?:as it is currently marked for protection|because it is protected)"
)
"""The engine's message when it refuses to delete a protected resource (`step_generator.go`, `step.go`)."""
_LONGEST: Final = 20_000
"""Characters of the report, and of one error that is read: a program may print any amount."""


def protected(errors: Sequence[str]) -> tuple[str, ...]:
    """The URNs that the engine refuses to replace or delete; empty if something else failed too."""
    cut = [error[:_LONGEST] for error in errors]
    matches = [_PROTECTED.search(error) for error in cut if not _all_frames(error)]
    return tuple(dict.fromkeys(one["urn"] for one in matches if one)) if all(matches) else ()


def failure(errors: Sequence[str], root: Path, printed: str) -> str:
    """The message about a program that did not run; the end of what it printed is quoted if there was no error."""
    lines = list(dict.fromkeys(line for error in errors for line in _lines(error.strip(), root)))
    if all(_GONE.match(line) for line in lines):
        last = next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "")
        lines = [f"the program exited before it was complete{f'; its last output: {last}' if last else ''}"]
    return "\n".join(lines)[:_LONGEST]


def _shortened(error: str) -> str:
    """The beginning and the end of a long error: a traceback ends with the exception."""
    half = _LONGEST // 2
    return error if len(error) <= _LONGEST else f"{error[:half]} … {error[-half:]}"


def _all_frames(error: str) -> bool:
    return all(_FRAMES.fullmatch(line.strip()) for line in error.splitlines() if line.strip())


def _lines(error: str, root: Path) -> Iterator[str]:
    error = error.removeprefix(_REPEATED)
    crashed, separator, traceback = error.partition(_TRACEBACK)
    crashed, traceback = _shortened(crashed), _shortened(traceback)
    if not separator:
        yield from (
            line for line in crashed.splitlines() if line.strip() and not _FRAMES.fullmatch(line.strip())
        )
        return
    frames = [
        (file, line) for file, line in _PLACE.findall(traceback) if Path(file).is_relative_to(root.resolve())
    ]
    at = f" ({Path(frames[-1][0]).relative_to(root.resolve())} line {frames[-1][1]})" if frames else ""
    ended = [line for line in traceback.splitlines() if line and not line.startswith(" ")]
    words = " ".join(ended) or crashed.removeprefix(_CRASHED)
    yield " ".join(words.split()) + at
