"""The page is true: its commands work, its JSON keeps to the schema, and it names every rule there is."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from made import event, look, pod

from ckf_spot.where.lost_steps import lost_steps
from ckf_spot.where.report import report
from ckf_spot.where.table import HEADER, table
from ckf_spot.where.violations import RULES, violations

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
SCHEMA: Final = ROOT / "src" / "ckf_spot" / "where" / "report.schema.json"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks("sh"))
@pytest.mark.usefixtures("api")
def test_its_commands_work(where: Any, block: str) -> None:
    for line in block.splitlines():
        command, _, target = line.partition(" > ")
        program, name, *arguments = shlex.split(command)
        assert (program, name) == ("ckf-spot", "where")
        ran = where(*arguments, *(["--for", "1s"] if "--record" in arguments else []))
        assert ran.code == 0
        if target:
            Path(target).write_text(ran.output, encoding="utf-8")
            assert ran.output.startswith("<svg")


def test_its_json_keeps_to_the_schema() -> None:
    [example] = blocks("json")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(example))


def test_it_names_every_rule_and_the_schema_does_too() -> None:
    assert re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE) == [*RULES]
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    rules = schema["properties"]["violations"]["items"]["properties"]["rule"]["enum"]
    assert sorted(rules) == sorted(RULES)


def test_its_table_has_the_columns_of_the_table() -> None:
    example, *_ = blocks("text")
    assert example.splitlines()[0].split() == [*HEADER[1:]]


def test_its_lost_step_is_shown_in_the_programs_words() -> None:
    *_, example = blocks("text")
    runs = json.loads((Path(__file__).parent / "pipeline_runs.json").read_text(encoding="utf-8"))["runs"]
    seen = replace(look(), lost_steps=lost_steps([runs["waiting without retries"]["workflow"]]))
    [violation] = violations(seen, timedelta(minutes=5))
    assert " ".join(example.split()).endswith("…")
    words = str(violation).replace("Backoff for 30 seconds", "Backoff for 5 minutes").partition("work: ")[2]
    assert words.startswith(" ".join(example.split()).partition("fit: ")[2].removesuffix("…"))


def test_its_pending_pod_is_shown_in_the_programs_words() -> None:
    _, example, _ = blocks("text")
    made = "pod triggered scale-up: [{aks-cpuspot-12345678-vmss 0->1 (max: 10)}]"
    events = [event("TriggeredScaleUp", made, "Pod", "train-1-m5kgd", ago=1)]
    seen = look([pod("train-1-m5kgd", unschedulable=1)], events=events)
    assert table(report(seen, timedelta(minutes=5)), None).splitlines()[-1] == example.strip()


def test_its_links_lead_somewhere() -> None:
    links: list[str] = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
