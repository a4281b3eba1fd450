"""The timeline as a picture of its own, for a page of the documentation."""

import re
from xml.etree import ElementTree

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.scenario.report.picture import drawn
from kubeflow_aks.text.generated import main
from tests.scenario.letters import letters_on_a_phone
from tests.scenario.recorded import recorded

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_of_the_readme_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    checked = main(["--check", "kubeflow_aks.scenario.report.picture"], PROJECT_ROOT)
    assert checked == 0, capsys.readouterr().out


def test_the_picture_shows_the_pools_for_batch_work_the_steps_and_the_result() -> None:
    root = ElementTree.fromstring(drawn(recorded()))  # noqa: S314 - our own
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert texts[0] == "14 of 14 checks passed, on a local AKS"
    assert [text for text in texts if text in {pool.name for pool in recorded().pools}] == [
        "cpuspot",
        "cpuod",
        "gpuspot",
        "gpuod",
    ]
    assert texts[texts.index("Azure evicts a spot node, with 30 s notice") - 1] == "4"
    assert "fallback to on-demand" in texts
    assert root.findtext(f"{SVG}title") == texts[0]
    assert "Spot sells out, and more work comes." in (root.findtext(f"{SVG}desc") or "")


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    text = drawn(recorded())
    assert re.findall(r"""(?:href|src)=|url\((?!#)|@import""", text) == []


def test_no_text_stands_outside_the_picture() -> None:
    root = ElementTree.fromstring(drawn(recorded()))  # noqa: S314 - our own
    width = float(root.attrib["width"])
    moved = {
        text: float(place[1])
        for group in root.iter(f"{SVG}g")
        if (place := re.match(r"translate\(([\d.]+) ", group.get("transform", "")))
        for text in group.iter(f"{SVG}text")
    }
    for text in root.iter(f"{SVG}text"):
        style, words = text.get("class"), text.text or ""
        length = len(words) * (9.6 if style == "headline" else 6.4)
        start = {"fallback-label": length, "tick-label": length / 2, "step-number": length / 2}.get(
            str(style), 0
        )
        left = float(text.get("x", "0")) + moved.get(text, 0) - start
        assert left >= 0, words
        assert left + length <= width, words


def test_the_letters_are_legible_on_a_phone() -> None:
    letters = letters_on_a_phone(drawn(recorded()))
    assert {"headline", "step", "kind", "tick-label", "soldout-label"} <= letters.keys()
    assert min(letters.values()) >= 10, letters
