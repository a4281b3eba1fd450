"""The checkpoint example and Azure's notice: what it does when it reads one, and where it can read none."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from serving import QuietHandler, serving

FOLDER: Final = Path(__file__).parents[2] / "examples/checkpoint"
VM: Final = "aks-cpuspot-24469130-vmss_1"
NOTICE: Final[dict[str, Any]] = {
    "EventId": "C1BF8322-4CBF-4FC4-9C45-B40CF3106D0E",
    "EventStatus": "Scheduled",
    "EventType": "Preempt",
    "ResourceType": "VirtualMachine",
    "Resources": [VM],
    "NotBefore": "Tue, 09 Aug 2022 17:07:32 GMT",
    "Description": "",
    "EventSource": "Platform",
    "DurationInSeconds": -1,
}
ADVICE: Final = NOTICE | {
    "EventId": "advice",
    "EventType": "SpotRebalanceRecommendation",
    "EventStatus": "Advisory",
    "NotBefore": "",
}
NEWEST: Final = "2026-01-01"
"""Our choice: no document names the version that has advisories."""
NAMES_NEWEST: Final = json.dumps({"error": "Bad request.", "newest-versions": ["2025-04-07", NEWEST]})
_LIMIT: Final = 60

Answer = tuple[int, str]
notices: Callable[[Any, str], set[str]] = runpy.run_path(str(FOLDER / "preemption.py"))["notices"]


def document(*events: dict[str, Any]) -> dict[str, Any]:
    return {"DocumentIncarnation": 1, "Events": list(events)}


def events(*listed: dict[str, Any]) -> Answer:
    return 200, json.dumps(document(*listed))


@contextmanager
def service(
    *answers: Answer, versions: Sequence[str] = ("2020-07-01",), without_version: str = NAMES_NEWEST
) -> Generator[tuple[str, list[str]]]:
    """A metadata service that answers each look for events with the next of these, and then with the last.

    Args:
        answers: status and body.
        versions: of events that it has.
        without_version: body of its refusal of other versions.

    Yields:
        Its address, and the requests so far that the real one would refuse.
    """
    following: Iterator[Answer] = iter(answers)
    refused: list[str] = []
    last: Answer = answers[-1]

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if self.headers["Metadata"] != "true" or "X-Forwarded-For" in self.headers:
                refused.append(f"{self.path} {dict(self.headers)}")
            if path == "/metadata/instance/compute/name":
                status, text = 200, VM
            elif query in (f"api-version={version}" for version in versions):
                status, text = next(following, last)
            else:
                status, text = 400, without_version
            self.answer(status, text.encode())

        def do_POST(self) -> None:
            refused.append("an event was approved")
            self.answer(200, b"")

    with serving(Handler) as address:
        yield address, refused


def train(
    folder: Path, address: str, environment: Mapping[str, str] = {}, advice: Path | None = None
) -> list[str]:
    """All it says in a run of at least half a second that saves only when it has notice."""
    options = {"--folder": folder, "--steps": 250, "--every": 1000, "--pause": 0.002, "--look": 0.02}
    if advice:
        options["--advice"] = advice
    words = [str(word) for pair in options.items() for word in pair]
    done = subprocess.run(
        [sys.executable, "train.py", *words, "--metadata", address],
        cwd=FOLDER,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def saves(output: list[str]) -> list[str]:
    return [line.rpartition(" ")[0] for line in output if "saved" in line]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run gives that looks for no notice."""
    folder = tmp_path_factory.mktemp("unnoticed")
    train(folder, "")
    return (folder / "result.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "event",
    [
        NOTICE,
        NOTICE | {"Resources": ["aks-cpuspot-24469130-vmss_0", VM.upper()]},
        NOTICE | {"EventStatus": "Started", "NotBefore": ""},
    ],
    ids=["alone", "among others", "begun"],
)
def test_a_preempt_of_this_vm_is_a_notice(event: dict[str, Any]) -> None:
    assert notices(document(event), VM) == {NOTICE["EventId"]}


def test_an_advisory_and_the_notice_after_it_are_two() -> None:
    assert notices(document(ADVICE, NOTICE), VM) == {ADVICE["EventId"], NOTICE["EventId"]}
    assert notices(document(ADVICE | {"Resources": ["another"]}), VM) == set()


def test_it_saves_on_an_advisory_of_a_newer_version(tmp_path: Path) -> None:
    with service(events(), events(ADVICE), versions=[NEWEST]) as (address, refused):
        assert saves(train(tmp_path, address)) == ["notice, saved step"]
    assert refused == []


@pytest.mark.parametrize(
    "body", [NAMES_NEWEST, "", "<html>", "[]", '{"newest-versions": []}', '{"newest-versions": null}']
)
def test_it_reads_the_documented_version_where_the_newest_has_no_events(tmp_path: Path, body: str) -> None:
    with service(events(NOTICE), without_version=body) as (address, _):
        output = train(tmp_path, address)
    assert saves(output) == ["notice, saved step"]
    assert not [line for line in output if "cannot" in line or "can be read yet" in line]


def test_it_saves_when_its_pod_is_to_and_once_for_each_advisory(tmp_path: Path) -> None:
    file = tmp_path / "save-now"
    file.write_text("", encoding="utf-8")
    times = iter(["2026-08-03T08:17:37Z", "2026-08-03T09:17:37Z"])

    def write() -> None:
        for moment in times:
            time.sleep(0.15)
            file.write_text(moment, encoding="utf-8")

    writer = threading.Thread(target=write)
    writer.start()
    output = train(tmp_path, "", advice=file)
    writer.join()
    assert saves(output) == ["notice, saved step"] * 2


def test_without_its_file_it_trains_all_the_same(tmp_path: Path, result: str) -> None:
    assert saves(train(tmp_path, "", advice=tmp_path / "none")) == []
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result


@pytest.mark.parametrize(
    "event",
    [
        NOTICE | {"Resources": ["aks-cpuspot-24469130-vmss_11"]},
        *(NOTICE | {"EventType": other} for other in ("Freeze", "Reboot", "Redeploy", "Terminate")),
    ],
    ids=lambda event: f"{event['EventType']} {event['Resources'][0]}",
)
def test_anything_else_is_none(event: dict[str, Any]) -> None:
    assert notices(document(event), VM) == set()


def test_it_saves_once_for_a_notice_and_goes_on(tmp_path: Path, result: str) -> None:
    with service(events(), events(NOTICE)) as (address, refused):
        output = train(tmp_path, address)
    assert saves(output) == ["notice, saved step"]
    assert json.loads((tmp_path / "checkpoint.json").read_text(encoding="utf-8"))["step"] > 0
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result
    assert refused == []


def test_it_saves_again_when_one_was_called_off_and_another_comes(tmp_path: Path) -> None:
    with service(events(NOTICE), events(), events(NOTICE | {"EventId": "another"})) as (address, _):
        assert saves(train(tmp_path, address)) == ["notice, saved step"] * 2


def test_it_goes_past_proxies(tmp_path: Path) -> None:
    with service(events(NOTICE)) as (address, _):
        output = train(tmp_path, address, {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""})
    assert saves(output) == ["notice, saved step"]


@pytest.mark.parametrize(
    "answer",
    [(429, ""), (400, '{"error": "Bad request"}'), (200, "<html>"), (200, "[]"), (200, '{"Events": [{}]}')],
    ids=["too many requests", "refused", "a page", "a list", "no fields"],
)
def test_an_answer_that_is_none_is_reported_once_and_the_next_look_counts(
    tmp_path: Path, result: str, answer: Answer
) -> None:
    with service(answer, answer, events(NOTICE)) as (address, _):
        output = train(tmp_path, address)
    assert (
        len([line for line in output if line.startswith("no notice of an eviction can be read yet: ")]) == 1
    )
    assert saves(output) == ["notice, saved step"]
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result


def test_without_a_service_it_trains_all_the_same(tmp_path: Path, result: str) -> None:
    output = train(tmp_path, "http://127.0.0.1:9")
    [warning] = [line for line in output if "notice" in line]
    assert warning.startswith("no notice of an eviction can be read yet: <urlopen error ")
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result
