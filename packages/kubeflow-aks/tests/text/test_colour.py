"""Colour is for terminals only, and never changes the text."""

import io
import re

import pytest

from kubeflow_aks.text.colour import coloured, has_colour, painted, show

LINES = [
    "Plan of kubeflow-aks-dev",
    " +  pulumi:pulumi:Stack",
    "Policy:",
    "✔ Nodes are ready",
    "  ✔ inside",
    "",
    "warning: x",
]


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """It does."""
        return True


@pytest.fixture(autouse=True)
def no_preference(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


def test_the_text_stays_the_same_without_the_codes() -> None:
    for line in LINES:
        assert re.sub(r"\x1b\[\d+m", "", painted(line, headline=True)) == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("✔ Nodes are ready", "\x1b[32m✔\x1b[0m Nodes are ready"),
        ("✘ 1 node without taint", "\x1b[31m✘\x1b[0m 1 node without taint"),
        ("violated   spot-is-marked", "\x1b[31mviolated\x1b[0m   spot-is-marked"),
        ("warning:  minCount is 1", "\x1b[33mwarning:\x1b[0m  minCount is 1"),
        (" +  pulumi:pulumi:Stack", " \x1b[32m+\x1b[0m  pulumi:pulumi:Stack"),
        ("Agent pools:", "\x1b[1mAgent pools:\x1b[0m"),
        ("           mandatory: cpuspot: x", "           \x1b[31mmandatory:\x1b[0m cpuspot: x"),
        ("stale: spot-is-marked", "\x1b[31mstale:\x1b[0m spot-is-marked"),
        ("= whole stack  $1,873", "\x1b[1m= whole stack  $1,873\x1b[0m"),
        ("violatedx y", "violatedx y"),
        ("cpuspot  Standard_D8ds_v5  – ", "cpuspot  Standard_D8ds_v5  – "),
        ("", ""),
    ],
)
def test_the_mark_or_the_heading_is_painted(line: str, expected: str) -> None:
    assert painted(line) == expected


def test_a_terminal_gets_colours_and_a_bold_headline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", terminal := Terminal())
    show(LINES)
    assert terminal.getvalue().startswith("\x1b[1mPlan of kubeflow-aks-dev\x1b[0m\n")
    assert terminal.getvalue().count("\x1b[0m") == 5


def test_a_heading_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", Terminal())
    assert list(coloured(["The bill", "", "What is not counted"], {"What is not counted"})) == [
        "\x1b[1mThe bill\x1b[0m",
        "",
        "\x1b[1mWhat is not counted\x1b[0m",
    ]


def test_a_pipe_gets_the_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show(LINES)
    assert capsys.readouterr().out.splitlines() == LINES


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_user_can_switch_colours_off(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    assert has_colour(Terminal())
    monkeypatch.setenv(name, value)
    assert not has_colour(Terminal())


def test_a_closed_stream_has_no_colour() -> None:
    assert not has_colour(None)
