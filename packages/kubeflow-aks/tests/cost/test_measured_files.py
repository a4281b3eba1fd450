"""Files of drills and of other programs: each mistake is one line, and no bill is made with it."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubeflow_aks import drill
from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.measured import Measured, read


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["cost", *arguments])


POOLS = ("system", "cpuspot", "gpuspot")
WROTE = "expected what `./kubeflow-aks drill` wrote"
SCHEMA: Final[Any] = json.loads(
    (Path(drill.__file__).parent / "measured.schema.json").read_text(encoding="utf-8")
)
GOOD: Final[dict[str, Any]] = {
    "version": 1,
    "stack": "dev",
    "where": "azure",
    "date": "2026-11-20",
    "location": "westeurope",
    "pools": {
        "cpuspot": {
            "vmSize": "Standard_D8ds_v5",
            "bootSeconds": [180.5, 200],
            "startSeconds": [10, 20],
            "noticeSeconds": [31.0],
            "drained": [True],
            "againSeconds": [260.0],
        }
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "measured.json"


def changed(path: str, value: object) -> dict[str, Any]:
    raw = copy.deepcopy(GOOD)
    place: Any = raw
    *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
    for part in way:
        place = place[part]
    place[last] = value
    return raw


def read_raw(file: Path, raw: object) -> Measured:
    file.write_bytes(raw if isinstance(raw, bytes) else json.dumps(raw).encode())
    return read(file, POOLS)


LOCAL = (
    "measured.json: where: 'local' is not allowed; expected 'azure', for the seconds of the local AKS are simulated "
    "and not those of Azure; measure with `./kubeflow-aks drill` on a cluster there"
)
NOW = "measured.json: pools.cpuspot"


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"\xff\xfe{\x00", [f"measured.json is not JSON; {WROTE}"]),
        (b"", [f"measured.json is not JSON; {WROTE}"]),
        (b'{"version": 1', [f"measured.json is not JSON; {WROTE}"]),
        (b"[" * 100_000, [f"measured.json is not JSON; {WROTE}"]),
        (b"null", [f"measured.json has no report in it; {WROTE}"]),
        (b"[1]", [f"measured.json has no report in it; {WROTE}"]),
        (
            {"version": 1},
            [
                f"measured.json: {key} is missing; {WROTE}"
                for key in ("stack", "where", "date", "location", "pools")
            ],
        ),
        (changed("version", 2), ["measured.json: version: 2 is not allowed; expected 1"]),
        (
            changed("where", "gcp"),
            ["measured.json: where: 'gcp' is not allowed; expected 'azure' or 'local'"],
        ),
        (
            changed("where", "local"),
            [LOCAL],
        ),
        (
            changed("date", "soon"),
            ["measured.json: date: 'soon' is not allowed; expected a day as 2026-11-22"],
        ),
        (changed("date", 7), ["measured.json: date: 7 is not allowed; expected a day as 2026-11-22"]),
        (
            changed("date", "2026-11-20T10:00:00Z"),
            ["measured.json: date: '2026-11-20T10:00:00Z' is not allowed; expected a day as 2026-11-22"],
        ),
        (
            changed("stack", ""),
            ["measured.json: stack: '' is not allowed; expected text of at least 1 character"],
        ),
        (changed("stack", 5), ["measured.json: stack: 5 is not allowed; expected text"]),
        (changed("pools", []), ["measured.json: pools: list is not allowed; expected an object"]),
        (
            changed("pools.other", {"vmSize": "Standard_D2_v5"}),
            [
                f"measured.json: pool 'other' is not allowed; expected one of this stack's pools: {', '.join(POOLS)}"
            ],
        ),
        (changed("pools.cpuspot", 5), [f"{NOW}: 5 is not allowed; expected an object"]),
        (changed("pools.cpuspot", {}), [f"{NOW}.vmSize is missing; {WROTE}"]),
        (
            changed("pools.cpuspot.bootSeconds", 180),
            [f"{NOW}.bootSeconds: 180 is not allowed; expected a list"],
        ),
        (
            changed("pools.cpuspot.bootSeconds.1", -1),
            [f"{NOW}.bootSeconds.1: -1 is not allowed; expected greater than or equal to 0"],
        ),
        (
            changed("pools.cpuspot.bootSeconds.1", 1e9),
            [f"{NOW}.bootSeconds.1: 1000000000.0 is not allowed; expected less than or equal to 86400"],
        ),
        (
            changed("pools.cpuspot.bootSeconds.1", "180"),
            [f"{NOW}.bootSeconds.1: '180' is not allowed; expected a number"],
        ),
        (
            changed("pools.cpuspot.bootSeconds.1", float("nan")),
            [f"{NOW}.bootSeconds.1: nan is not allowed; expected a finite number"],
        ),
        (
            changed("pools.cpuspot.againSeconds.0", None),
            [f"{NOW}.againSeconds.0: None is not allowed; expected a number"],
        ),
        (
            changed("pools.cpuspot.drained.0", "yes"),
            [f"{NOW}.drained.0: 'yes' is not allowed; expected true or false"],
        ),
        (
            changed("pools.cpuspot.drained.0", 1),
            [f"{NOW}.drained.0: 1 is not allowed; expected true or false"],
        ),
    ],
)
def test_a_bad_file_is_one_line_for_each_mistake(file: Path, raw: object, lines: list[str]) -> None:
    with pytest.raises(CostError) as caught:
        read_raw(file, raw)
    assert list(caught.value.problems) == lines


def test_a_file_that_is_not_there_or_a_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CostError, match=r"can't be read: No such file or directory$"):
        read(tmp_path / "none.json", POOLS)
    with pytest.raises(CostError, match=r"can't be read: Is a directory$"):
        read(tmp_path, POOLS)


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        changed("pools", {}),
        changed("pools.cpuspot", {"vmSize": "Standard_D8ds_v5"}),
        changed("pools.cpuspot.drained", []),
        changed("newer", {"what": "a newer drill tells"}),
        changed("pools.cpuspot.newer", [1]),
        b"\xef\xbb\xbf" + json.dumps(GOOD).encode(),
        json.dumps(GOOD, indent=2).replace("\n", "\r\n").encode(),
    ],
)
def test_whatever_a_drill_of_any_kind_writes_is_read(file: Path, raw: object) -> None:
    assert read_raw(file, raw).stack == "dev"


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["azure", "2026-11-20", 0, 86_400, [1.5], [True]]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PATHS = [
    *(key for key in GOOD if key != "version"),
    "pools.cpuspot",
    *(f"pools.cpuspot.{key}" for key in GOOD["pools"]["cpuspot"]),
]


def valid(raw: dict[str, Any]) -> bool:
    try:
        jsonschema.validate(raw, SCHEMA, format_checker=jsonschema.FormatChecker())
    except jsonschema.ValidationError:
        return False
    return True


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(PATHS), value=VALUES)
def test_whatever_stands_in_a_file_it_is_read_as_its_schema_says_or_refused_in_lines(
    file: Path, path: str, value: object
) -> None:
    raw = changed(path, value)
    try:
        evictions = read_raw(file, raw)
    except CostError as error:
        bad = [line for line in error.problems if "\n" in line or not line.startswith("measured.json")]
        assert (bad, bool(error.problems)) == ([], True)  # noqa: PT017 - either is right
        ours = raw["where"] != "local" and not any("one of this stack's" in line for line in error.problems)
        assert not (ours and valid(raw))
    else:
        assert valid(raw)
        for times in evictions.pools.values():
            assert times.restart is None or 0 <= times.restart.low <= times.restart.expected


def test_the_command_takes_the_file_or_says_what_is_wrong(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(json.dumps(changed("where", "local")), encoding="utf-8")
    assert main(["--offline", f"--measured={file}", "dev"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    assert main(["--offline", f"--measured={file}", "dev"]) == 0
    out, err = capsys.readouterr()
    assert (err, "What a drill measured on 2026-11-20" in out) == ("", True)
    assert "restart on cpuspot: measured by a drill on 2 nodes, 1 eviction" in out


def test_it_goes_with_no_other_commit(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.touch()
    assert main(["--against=main", f"--measured={file}", "dev"]) == 2
    assert "--against is not allowed with --plan, --observed, --measured, --actual" in capsys.readouterr().err
