"""Whatever stands on the command line and in its files: the program ends with a code, and says why in lines."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ckf_spot import sources
from program import Run

ROOT: Final = Path(__file__).parents[2]
FILES: Final = [sources.SAMPLE, *sorted((ROOT / "examples/training").glob("*.yaml"))]
ODD: Final = [
    "", "5", "null", "[", "{}", "[1]", "- 1", "a: &a [*a]", "{{a: b}: c}", "? [a]\n: b", "1: 2", "kind: [1]",
    "kind: Job\nmetadata: {name: [1]}", "kind: Job\nspec: {template: 1}", "kind: Job\nspec: {? [1] : 2}",
    "kind: List\nitems: 5", "kind: Experiment\nspec: {trialTemplate: {trialSpec: [1]}}", "poolContract: 5",
    "data: {pools.json: 5}", "data: {pools.json: '['}", '{"kind": "Job", "metadata": {"name": "\\ud800"}}',
    '{"a": 1e999}', '{"a": NaN}', "[" * 5_000, '{"a":' * 5_000, "9" * 5_000, "\0", "%YAML 9\n---\na: 1",
]  # fmt: skip
VALUES: Final = [
    "", "-", "--", "cpu", "gpu", "tpu", "general", "cpuod", "spot", "on-demand", "2.1", "9", "~nobody-at-all/x",
    ".", "no/file", "f.yaml", "pools.json", "/dev/null", "5m", "-1", "99999999999d", "Worker", "team-a", "kubeflow",
    "a\0b", "a\ud800", "é" * 300, "json", "svg", "{}", "%s", "%(prog)s", "a\nb",
]  # fmt: skip
COMMANDS: Final = [
    "", "place", "place -f f.yaml --pool cpu", "place -f f.yaml --pool gpu --trainer-api 2.2", "generate",
    "generate spawner", "generate pod-default --namespace team-a", "generate kueue --namespace team-a",
    "generate sample-pools", "where", "where --from f.yaml", "doctor -f f.yaml --pool cpu",
]  # fmt: skip
OPTIONS: Final = [
    "-f", "--pool", "--prefer", "--require", "--also", "--on-demand", "--elastic", "--trainer-api", "--pools", "-o",
    "--namespace", "-n", "-A", "--from", "--for", "--patience", "--check", "--node", "--help", "--version", "--", "-x",
]  # fmt: skip
PIECES: Final = ["", ": ", "- ", "{", "]", '"', "\t", "&a ", "*a ", "!!x ", "é"]


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """A good file with a piece taken out, put in or doubled."""
    text = draw(st.sampled_from(FILES)).read_text(encoding="utf-8")
    for _ in range(draw(st.integers(0, 3))):
        at, length = draw(st.integers(0, len(text))), draw(st.integers(0, 40))
        piece = draw(st.sampled_from([*PIECES, text[at : at + 80]]))
        text = text[:at] + piece + text[at + length :]
    return text


@st.composite
def arguments(draw: st.DrawFn) -> list[str]:
    words = draw(st.sampled_from(COMMANDS)).split()
    for _ in range(draw(st.integers(0, 2))):
        option, value = draw(st.sampled_from(OPTIONS)), draw(st.sampled_from(VALUES))
        words += draw(st.sampled_from([[option], [option, value], [f"{option}={value}"]]))
    return words


@settings(
    max_examples=300,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    words=arguments(), job=st.sampled_from(ODD) | spoilt(), pools=st.sampled_from(ODD) | spoilt() | st.none()
)
def test_every_mistake_is_a_line(
    monkeypatch: pytest.MonkeyPatch, run: Run, words: list[str], job: str, pools: str | None
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/dev/null/none")
    monkeypatch.setenv("CKF_SPOT_POOLS", "pools.json")
    Path("f.yaml").write_text(job, encoding="utf-8")
    Path("pools.json").write_text(pools or FILES[0].read_text(encoding="utf-8"), encoding="utf-8")
    ran = run(*words)
    assert ran.code in {0, 1, 2}
    assert ran.code == 0 or ran.errors or ran.output
    assert [line for line in ran.errors if not line.startswith("ckf-spot")] == []
