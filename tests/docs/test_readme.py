"""The README's generated blocks and its list of rooms."""

from pathlib import Path

import pytest

from preview import readme
from recorder.run import PROJECT_ROOT
from tests.docs.pages import README

NOT_ROOMS = {"build"}


def test_the_generated_blocks_are_fresh() -> None:
    text = README.read_text(encoding="utf-8")
    assert text == readme.with_generated(text, readme.readme_blocks()), "run make docs"


def test_every_room_is_in_the_list() -> None:
    text = README.read_text(encoding="utf-8")
    rooms = {path.parent.name for path in PROJECT_ROOT.glob("[a-z]*/*.py")} - NOT_ROOMS
    assert [room for room in sorted(rooms) if f"| `{room}/` |" not in text] == []


def test_a_block_is_replaced_and_the_rest_stays() -> None:
    page = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n"
    assert readme.with_generated(page, {"x": "new\n"}) == "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"


def test_a_block_that_nobody_generates_is_an_error() -> None:
    with pytest.raises(KeyError, match="y"):
        readme.with_generated("<!-- generated: y -->\n<!-- end -->", {"x": ""})


def test_a_stale_readme_is_told_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readme, "readme_blocks", lambda: {"x": "new\n"})
    page = tmp_path / "README.md"
    page.write_text("<!-- generated: x -->\nold\n<!-- end -->\n", encoding="utf-8")
    assert readme.main(["--check"], tmp_path) == 1
    assert "old" in page.read_text(encoding="utf-8")
    assert readme.main(["--write"], tmp_path) == 0
    assert "new" in page.read_text(encoding="utf-8")
    assert readme.main(["--check"], tmp_path) == 0
    assert capsys.readouterr().out == "README.md: stale; run make docs\nREADME.md: written\n"
