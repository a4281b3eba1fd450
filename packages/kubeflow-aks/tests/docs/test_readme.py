"""The README's length, the generated blocks of pages, and the lists of folders and packages."""

from pathlib import Path

import pytest

from kubeflow_aks.preview import readme
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.text import generated
from tests.docs.pages import README

ARCHITECTURE = PROJECT_ROOT / "docs/architecture.md"
_GENERATED = {"build"}


def test_the_readme_has_three_screens() -> None:
    assert 5000 <= len(README.read_text(encoding="utf-8")) <= 7000


@pytest.mark.parametrize("page", readme.PAGES, ids=str)
def test_the_generated_blocks_are_fresh(page: Path) -> None:
    text = (PROJECT_ROOT / page).read_text(encoding="utf-8")
    assert "<!-- generated: " in text
    assert text == readme.with_generated(text, readme.generated_blocks()), "run make docs"


def test_every_folder_is_in_the_list() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    folders = {path.name for path in PROJECT_ROOT.glob("[a-z]*") if path.is_dir()} - _GENERATED
    assert [name for name in sorted(folders) if f"| `{name}/` |" not in text] == []


def test_every_package_of_the_commands_is_in_the_list() -> None:
    inside = ARCHITECTURE.read_text(encoding="utf-8").partition("## Inside kubeflow_aks")[2]
    packages = {path.parent.name for path in (PROJECT_ROOT / "kubeflow_aks").glob("*/__init__.py")}
    assert [name for name in sorted(packages) if f"| `{name}` |" not in inside] == []


def test_a_block_is_replaced_and_the_rest_stays() -> None:
    page = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n"
    assert readme.with_generated(page, {"x": "new\n"}) == "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"


def test_a_block_without_a_generator_is_an_error() -> None:
    with pytest.raises(KeyError, match="y"):
        readme.with_generated("<!-- generated: y -->\n<!-- end -->", {"x": ""})


def test_stale_pages_are_reported_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readme, "generated_blocks", lambda: {"x": "new\n"})
    (tmp_path / "docs").mkdir()
    pages = [tmp_path / page for page in readme.PAGES]
    for page in pages:
        page.write_text("<!-- generated: x -->\nold\n<!-- end -->\n", encoding="utf-8")
    assert generated.main(["--check", readme.__name__], tmp_path) == 1
    assert all("old" in page.read_text(encoding="utf-8") for page in pages)
    assert generated.main(["--write", readme.__name__], tmp_path) == 0
    assert all("new" in page.read_text(encoding="utf-8") for page in pages)
    assert generated.main(["--check", readme.__name__], tmp_path) == 0
    assert capsys.readouterr().out.splitlines() == [
        "README.md: stale; run make docs",
        "docs/what-it-creates.md: stale; run make docs",
        "README.md: written",
        "docs/what-it-creates.md: written",
    ]
