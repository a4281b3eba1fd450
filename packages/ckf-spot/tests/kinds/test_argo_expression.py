"""Expressions of Argo's retries: those that are read are true or false as in expr-lang, others are unknown."""

import pytest

from ckf_spot.kinds.argo_expression import evaluate

GONE = {"lastRetry.status": "Error", "lastRetry.exitCode": "-1", "lastRetry.message": "pod deleted"}


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("true", True),
        ("lastRetry.status == 'Error'", True),
        ('lastRetry.status == "Failed"', False),
        ("lastRetry.exitCode == '143'", False),
        ("lastRetry.exitCode == 143", False),
        ("lastRetry.exitCode != '2'", True),
        ("asInt(lastRetry.exitCode) > 1", False),
        ("asInt(lastRetry.exitCode) == -1", True),
        ("asFloat(lastRetry.exitCode) < 0.5", True),
        ("asInt(lastRetry.exitCode) in [-1, 137, 143,]", True),
        ("lastRetry.exitCode not in ['1', '2']", True),
        ("lastRetry.status == 'Error' or (lastRetry.status == 'Failed' and asInt(lastRetry.exitCode) > 128)", True),
        ("lastRetry.status == 'Failed' && lastRetry.exitCode == '-1' || false", False),
        ("!(lastRetry.status == 'Error')", False),
        ("not (lastRetry.exitCode in ['143'])", True),
        ("lastRetry.message contains 'node shutdown'", False),
        ("lastRetry.message startsWith 'pod'", True),
        ("lastRetry.message endsWith 'gone'", False),
        ("lastRetry.message matches '.*(deleted|shutdown)$'", True),
        ("string(asInt(lastRetry.exitCode)) == '-1'", True),
        ("lastRetry.status == 'Failed' && asInt(lastRetry.duration) > 60", False),
        ("lastRetry.status == 'Error' || retries < 3", True),
    ],
)  # fmt: skip
def test_a_simple_expression_is_evaluated(expression: str, verdict: bool) -> None:  # noqa: FBT001 - a column
    assert evaluate(expression, GONE) is verdict


@pytest.mark.parametrize(
    "expression",
    [
        "asInt(retries) < 3",
        "lastRetry.status == 'Error' && asInt(lastRetry.duration) > 60",
        "lastRetry.exitCode > 1",
        "lastRetry.exitCode in 'a-1'",
        "lastRetry.status",
        "lastRetry.status == 'Error' ? true : false",
        "sprig.contains('a', lastRetry.message)",
        "lastRetry.message matches '('",
        "{{retries}} < 3",
        "asInt(lastRetry.status) == 1",
        "asInt() == 1",
        "lastRetry.status ==",
        "lastRetry.status not 'a'",
        "true true",
        "['a'",
        "-'a' == 1",
        "",
        "(" * 5_000,
    ],
)
def test_what_can_not_be_read_or_depends_on_the_run_is_unknown(expression: str) -> None:
    assert evaluate(expression, GONE) is None
