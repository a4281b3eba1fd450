"""How advice is printed: as a section of the bill's page, and as JSON."""

import json
import math
from dataclasses import replace

from kubeflow_aks.cost.advice import Advice, Advised
from kubeflow_aks.cost.advice.report import document, section
from kubeflow_aks.cost.figures import Range
from kubeflow_aks.text.blocks import Page, Table
from kubeflow_aks.text.markdown import markdown
from kubeflow_aks.text.terminal import terminal

HOURS = Advice(
    "the cluster runs in office hours",
    ("kubeflow-aks:officeHours: {timeZone: UTC}",),
    Range(1000, 900, 1200),
    Range(400, 300, 600),
    ("write your own hours",),
)
TIER = replace(HOURS, sentence="the tier Free", after=Range(800, 700, 900), notes=(), alone=True)
BOTH = replace(HOURS, sentence="all of these", after=Range(350, 300, 400))
CHANGES = ((HOURS.sentence, HOURS.after), ("fewer nodes", BOTH.after))
FOUND = Advised("USD", Range.exactly(2000), (HOURS, TIER), BOTH, CHANGES, Range.exactly(700))


def shown(advised: Advised) -> str:
    return "\n".join(terminal(Page("", tuple(section(advised).blocks), ()), 120))


def test_the_table_says_what_each_saves_in_money_and_percent() -> None:
    rows = [line.split() for line in shown(FOUND).splitlines()]
    assert ["the", "cluster", "runs", "in", "office", "hours", "$400", "$600", "−60.0", "%"] in rows
    assert ["the", "tier", "Free", "$800", "$200", "−20.0", "%"] in rows


def test_the_lines_to_write_stand_below_it() -> None:
    assert shown(FOUND).count("  kubeflow-aks:officeHours: {timeZone: UTC}") == 3
    assert "- write your own hours" in shown(FOUND)


def test_what_can_be_done_at_once_is_held_against_the_work_on_demand() -> None:
    tables = [it for it in section(FOUND).blocks if isinstance(it, Table)]
    assert tables[1].rows == (
        ("the stack as it is", "$1,000", "", "−50.0 %", "−50.0 %"),
        ("the cluster runs in office hours", "$400", "$600", "−80.0 %", ""),
        ("fewer nodes", "$350", "$650", "−82.5 %", "−50.0 %"),
        ("today's stack with its work on demand", "$2,000", "", "", ""),
        ("the stack with these changes and its work on demand", "$700", "", "", ""),
    )


def test_what_its_checkpoints_save_is_not_its_own_saving() -> None:
    needy = replace(HOURS, without=Range(450, 400, 500))
    assert (needy.saves, needy.share) == (50, 50 / 450)
    text = " ".join(shown(replace(FOUND, advice=(needy,), together=None)).split())
    assert "$400 $50.00 −11.1 %" in text
    assert (
        "the lines contain the checkpoints that it needs, which save $550 without it; its own saving of $50.00 comes "
        "on top" in text
    )
    never = replace(needy, before=Range(math.inf, 1, math.inf))
    assert "which get the work done without it" in " ".join(shown(replace(FOUND, advice=(never,))).split())
    [written] = document(replace(FOUND, advice=(needy,)))["each"]
    assert (written["saves"], written["beforeWithNeeds"]["expected"]) == (50, 450)


def test_a_separate_decision_is_marked_so() -> None:
    assert "The tier Free (a separate decision" in shown(FOUND)


def test_where_nothing_helps_the_section_has_one_sentence() -> None:
    assert shown(Advised("USD", Range.exactly(1), ())) == "No known change would lower it."


def test_what_would_never_be_done_before_has_no_figure() -> None:
    never = replace(HOURS, before=Range(math.inf, 1, math.inf))
    assert never.share == 1
    result = document(replace(FOUND, advice=(never,), together=None))
    text = json.dumps(result, allow_nan=False)
    assert json.loads(text)["each"][0]["saves"] is None
    assert "inf" not in shown(replace(FOUND, advice=(never,)))


def test_json_has_the_lines_and_the_figures() -> None:
    result = document(FOUND)
    assert result["each"][0]["lines"] == ["kubeflow-aks:officeHours: {timeZone: UTC}"]
    assert result["together"]["changes"] == [HOURS.sentence, "fewer nodes"]
    assert (result["each"][1]["saves"], result["each"][1]["share"], result["each"][1]["alone"]) == (
        200,
        0.2,
        True,
    )


def test_github_shows_it_too() -> None:
    assert "kubeflow-aks:officeHours" in markdown(Page("Bill", (), (section(FOUND),)), "<!-- x -->")


def test_what_has_no_figure_and_what_the_quota_refuses_stand_at_the_end() -> None:
    advised = Advised(
        "USD", Range.exactly(1), (), unknown=("a reservation",), refused=("another size: 8 vCPU",)
    )
    assert shown(advised).splitlines()[-4:] == [
        "Without a figure:",
        "- a reservation",
        "Not possible with the subscription's quota:",
        "- another size: 8 vCPU",
    ]
    result = document(advised)
    assert (result["unknown"], result["refused"]) == (["a reservation"], ["another size: 8 vCPU"])
