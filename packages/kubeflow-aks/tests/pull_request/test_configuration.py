"""What the stack files of both trees show: encrypted values, and what is renamed."""

from __future__ import annotations

from pathlib import Path

from kubeflow_aks.pull_request.configuration import former_project, notes, renamed


def _tree(folder: Path, config: str, project: str = "small") -> Path:
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(f"name: {project}\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(f"config:\n{config}")
    return folder


def test_no_note_on_values_that_can_be_read(tmp_path: Path) -> None:
    both = [_tree(tmp_path / name, "  small:a: 1\n") for name in ("base", "head")]
    assert list(notes("dev", *both)) == []


def test_encrypted_values_are_named(tmp_path: Path) -> None:
    base = _tree(tmp_path / "base", "  small:a:\n    b: [{secure: one}, {secure: two}]\n")
    head = _tree(tmp_path / "head", "  small:a:\n    b: [{secure: one}, {secure: other}]\n")
    assert list(notes("dev", base, head)) == [
        "Pulumi.dev.yaml: encrypted values, so rules that need them were not checked: small:a.b[0], small:a.b[1]",
    ]


def test_another_project_name_is_found(tmp_path: Path) -> None:
    base, head = _tree(tmp_path / "base", ""), _tree(tmp_path / "head", "", "large")
    assert former_project("dev", base, head) == "small"
    assert former_project("dev", base, base) == former_project("dev", base, None) == ""


def test_a_stack_with_most_of_the_settings_of_one_that_is_gone_is_renamed(tmp_path: Path) -> None:
    base = _tree(tmp_path / "base", "  small:a: 1\n  small:b: 2\n  small:c: 3\n")
    head = _tree(tmp_path / "head", "  large:a: 1\n  large:b: 2\n  large:c: 4\n", "large")
    (head / "Pulumi.dev.yaml").rename(head / "Pulumi.trial.yaml")
    (head / "Pulumi.other.yaml").write_text("config:\n  large:a: 1\n")
    (head / "Pulumi.broken.yaml").write_text("config: [broken")
    assert renamed(base, head, ["dev"], ["broken", "other", "trial"]) == {"dev": "trial", "trial": "dev"}
    assert renamed(base, head, ["dev"], ["other"]) == {}


def test_what_can_not_be_read_is_left_to_the_run(tmp_path: Path) -> None:
    base, head = _tree(tmp_path / "base", "  small:a: {secure: x}\n"), _tree(tmp_path / "head", "  [broken")
    assert [note.partition(" ")[0] for note in notes("dev", base, head)] == ["Pulumi.dev.yaml:"]
    assert len(list(notes("dev", None, base))) == 1
