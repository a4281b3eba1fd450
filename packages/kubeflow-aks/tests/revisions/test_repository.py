"""Which trees are compared, and the errors if one is not available."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from kubeflow_aks.project import is_stack_name
from kubeflow_aks.revisions.repository import Repository, RevisionError
from tests.revisions.repository import Project, project


@pytest.fixture
def small(tmp_path: Path) -> Project:
    return project(tmp_path / "project")


def _refusal(small: Project, base: str) -> str:
    with pytest.raises(RevisionError) as refused:
        Repository.of(small.root).base(base)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_the_base_is_what_both_have_in_common(small: Project) -> None:
    common = small.git("rev-parse", "main").strip()
    small.write("later.txt", "what main got meanwhile")
    small.git("checkout", "--quiet", "main")
    small.commit("2026-06-01")
    small.git("checkout", "--quiet", "change")
    base = Repository.of(small.root).base("main")
    assert (base.ref, base.commit, base.day) == ("main", common, date(2026, 5, 4))


def test_of_a_merge_that_a_ci_checked_out_the_base_is_the_branch_itself(small: Project) -> None:
    small.write("mine.txt", "1")
    small.commit()
    small.git("checkout", "--quiet", "main")
    small.write("theirs.txt", "1")
    tip = small.commit("2026-06-01")
    small.git("merge", "--quiet", "--no-edit", "change")
    small.git("checkout", "--quiet", "--detach")
    assert Repository.of(small.root).base(tip).commit == tip


def test_a_clock_that_was_ahead_gives_no_day_to_come(small: Project) -> None:
    small.commit("2099-01-01")
    small.git("branch", "--force", "ahead")
    assert Repository.of(small.root).base("ahead").day == datetime.now(UTC).date()


def test_the_head_is_the_tree_as_it_lies(small: Project) -> None:
    repository = Repository.of(small.root)
    assert not repository.head().edited
    small.write("new.txt", "not known to git yet")
    head = repository.head()
    assert head.edited
    assert (head.ref, head.commit) == ("", small.git("rev-parse", "HEAD").strip())
    assert head.day == datetime.now(UTC).date()


@pytest.mark.parametrize("base", ["origin/main", "nothing-such", "", "--all", "HEAD:Pulumi.yaml", "-"])
def test_an_unknown_base_is_reported_in_one_line(small: Project, base: str) -> None:
    assert _refusal(small, base) == (
        f"BASE: {base} is not allowed; expected a branch, tag or commit that is here "
        "(`git fetch origin` gets the branches of origin)"
    )


def test_a_base_with_nothing_in_common(small: Project) -> None:
    small.git("checkout", "--quiet", "--orphan", "other")
    small.commit("2026-05-05")
    small.git("checkout", "--quiet", "change")
    assert _refusal(small, "other") == (
        "BASE: other is not allowed; expected one with a commit in common with this branch"
    )


def test_a_shallow_clone_says_how_to_get_the_rest(small: Project, tmp_path: Path) -> None:
    small.git("checkout", "--quiet", "main")
    small.write("theirs.txt", "1")
    small.commit()
    small.git("checkout", "--quiet", "change")
    small.write("mine.txt", "1")
    small.commit()
    where = tmp_path / "clone"
    small.git("clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{small.top}", str(where))
    assert _refusal(Project(where, where), "origin/main").endswith(
        "with this branch; this clone is shallow, `git fetch --unshallow` gets the rest"
    )


def test_a_merge_that_is_not_finished(small: Project) -> None:
    small.write("both.txt", "mine")
    small.commit()
    small.git("checkout", "--quiet", "main")
    small.write("both.txt", "theirs")
    small.commit()
    with pytest.raises(Exception, match="merge"):
        small.git("merge", "change")
    with pytest.raises(RevisionError) as refused:
        Repository.of(small.root).head()
    assert str(refused.value) == "a merge is not finished: both.txt; resolve it, `git add` and try again"


@pytest.mark.parametrize("committed", [True, False])
def test_a_branch_brings_no_results_and_no_states_of_its_own(small: Project, *, committed: bool) -> None:
    """With the state of a base in it, it would decide what its own preview shows."""
    small.write("build/pr-preview/bases/0a1b/base.json", "{}")
    small.write("build/theirs.txt", "may be there")
    if not committed:
        assert Repository.of(small.root).head()
        return
    small.git("add", "--force", "build")
    small.commit()
    with pytest.raises(RevisionError, match=r"^build/pr-preview: has files of this branch; expected none"):
        Repository.of(small.root).head()


def test_no_repository_and_no_commit(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(RevisionError, match="is not in a git working tree: not a git repository"):
        Repository.of(tmp_path / "plain")
    empty = Project(tmp_path / "empty", tmp_path / "empty")
    empty.root.mkdir()
    empty.git("init", "--quiet")
    with pytest.raises(RevisionError, match="the repository has no commit yet"):
        Repository.of(empty.root).head()


def test_a_project_inside_a_repository(tmp_path: Path) -> None:
    inner = project(tmp_path / "all", "teams/ml")
    repository = Repository.of(inner.root)
    assert repository.within == Path("teams/ml")
    assert repository.tree("main") == inner.git("rev-parse", "main:teams/ml").strip()
    assert repository.stacks() == ["dev"]


def test_the_same_files_are_the_same_tree(small: Project) -> None:
    repository = Repository.of(small.root)
    before = repository.tree(repository.base("main").commit)
    small.commit("2026-07-01")
    assert repository.tree("HEAD") == before != ""


def test_stacks_that_git_ignores_are_the_users_own(small: Project) -> None:
    small.write("Pulumi.new.yaml", "config: {}\n")
    small.write("Pulumi.mine.yaml", "config: {}\n")
    small.write("deep/Pulumi.deep.yaml", "config: {}\n")
    small.write(".gitignore", "build/\nPulumi.mine.yaml\n")
    (small.root / "Pulumi.dev.yaml").unlink()
    assert Repository.of(small.root).stacks() == ["new"]


def test_a_hook_that_calls_names_its_own_repository(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = project(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git" / "index"))
    small.write("new.txt", "1")
    assert Repository.of(small.root).head().edited


@pytest.mark.parametrize("base", ["a\nb", "x" * 5000, "\x1b[2J"])
def test_a_base_of_any_letters_stays_one_line(small: Project, base: str) -> None:
    message = _refusal(small, base)
    assert message.isprintable()
    assert len(message) < 500


@pytest.mark.parametrize("name", ["dev", "prod.eu", "a_b-C.9", "x" * 100])
def test_what_pulumi_takes_as_a_stacks_name(name: str) -> None:
    assert is_stack_name(name)


@pytest.mark.parametrize("name", ["", ".", "..", "--help", "-x", "a b", "a/b", "a\nb", "é", "x" * 101, "a'"])
def test_what_no_stack_is_called(name: str) -> None:
    assert not is_stack_name(name)


def test_a_stack_that_a_sparse_checkout_leaves_out_is_not_reported_as_deleted(small: Project) -> None:
    small.write("docs/page.md", "")
    small.commit()
    small.git("sparse-checkout", "set", "--no-cone", "/*", "!/docs")
    assert Repository.of(small.root).stacks() == ["dev"]
    small.git("sparse-checkout", "set", "--no-cone", "/*", "!/Pulumi.dev.yaml")
    with pytest.raises(RevisionError) as refused:
        Repository.of(small.root).stacks()
    assert str(refused.value) == (
        "Pulumi.dev.yaml is left out of this sparse checkout; `git sparse-checkout disable` brings it back"
    )
