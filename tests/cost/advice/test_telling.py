"""How advice is told: as a section of the bill's page, and as JSON."""

import json
import math
from dataclasses import replace

from cost.advice import Advice, Advised
from cost.advice.telling import document, section
from cost.figures import Range
from writing.blocks import Page
from writing.markdown import markdown
from writing.terminal import terminal

HOURS = Advice(
    "the cluster runs in office hours",
    ("kubeflow-aks:officeHours: {timeZone: UTC}",),
    Range(1000, 900, 1200),
    Range(400, 300, 600),
    ("write your own hours",),
)
TIER = replace(HOURS, sentence="the tier Free", after=Range(800, 700, 900), said=(), alone=True)
BOTH = replace(HOURS, sentence="all of these", after=Range(350, 300, 400))
FOUND = Advised("USD", Range.exactly(2000), (HOURS, TIER), BOTH, (HOURS.sentence, "fewer nodes"))


def shown(found: Advised) -> str:
    return "\n".join(terminal(Page("", tuple(section(found).blocks), ()), 120))


def test_the_table_says_what_each_saves_in_money_and_percent() -> None:
    rows = [line.split() for line in shown(FOUND).splitlines()]
    assert ["the", "cluster", "runs", "in", "office", "hours", "$400", "$600", "−60.0", "%"] in rows
    assert ["the", "tier", "Free", "$800", "$200", "−20.0", "%"] in rows


def test_the_lines_to_write_stand_below_it() -> None:
    assert shown(FOUND).count("  kubeflow-aks:officeHours: {timeZone: UTC}") == 3
    assert "- write your own hours" in shown(FOUND)


def test_what_can_be_done_at_once_is_held_against_the_work_on_demand() -> None:
    assert (
        "aside: $1,000 (−50.0 %) → $350 (−82.5 %), against $2,000 for today's stack with its work on demand: - the "
        in " ".join(shown(FOUND).split())
    )


def test_a_decision_of_its_own_is_told_so() -> None:
    assert "The tier Free (a decision of its own" in shown(FOUND)


def test_where_nothing_helps_that_is_told() -> None:
    assert shown(Advised("USD", Range.exactly(1), ())) == "Nothing that this program knows would lower it."


def test_what_would_never_be_done_before_has_no_figure() -> None:
    never = replace(HOURS, before=Range(math.inf, 1, math.inf))
    assert never.share == 1
    told = document(replace(FOUND, each=(never,), together=None))
    text = json.dumps(told, allow_nan=False)
    assert json.loads(text)["each"][0]["saves"] is None
    assert "inf" not in shown(replace(FOUND, each=(never,)))


def test_json_has_the_lines_and_the_figures() -> None:
    told = document(FOUND)
    assert told["each"][0]["lines"] == ["kubeflow-aks:officeHours: {timeZone: UTC}"]
    assert told["together"]["taken"] == [HOURS.sentence, "fewer nodes"]
    assert (told["each"][1]["saves"], told["each"][1]["share"], told["each"][1]["alone"]) == (200, 0.2, True)


def test_github_shows_it_too() -> None:
    assert "kubeflow-aks:officeHours" in markdown(Page("Bill", (), (section(FOUND),)), "<!-- x -->")
