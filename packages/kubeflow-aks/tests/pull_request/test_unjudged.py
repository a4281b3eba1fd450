"""What Pulumi.yaml and the stack files decide about the next `up` and a preview can't judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubeflow_aks.pull_request.unjudged import UnjudgedProgramError, require_known, unjudged
from kubeflow_aks.recorder.project_file import read_project
from tests.revisions.repository import Project, project

PYTHON = "runtime: {name: python, options: {toolchain: pip, virtualenv: .venv}}"


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Project]:
    """A base and a head, which is a project in a repository."""
    folder = tmp_path_factory.mktemp("trees")
    base, head = folder / "base", project(folder / "head")
    base.mkdir()
    head.write("vendored/bin/python", "#!/bin/sh\n")
    return base, head


def _sentences(
    trees: tuple[Path, Project], before: str, after: str, *, stacks: tuple[str, str] = ("config:", "config:")
) -> list[str]:
    base, head = trees
    for root, text, stack in ((base, before, stacks[0]), (head.root, after, stacks[1])):
        (root / "Pulumi.yaml").write_text(f"name: small\n{text}\n")
        (root / "Pulumi.dev.yaml").write_text(f"{stack}\n")
    return list(unjudged("dev", base, head.root))


@pytest.mark.parametrize(
    "after",
    [
        PYTHON,
        f"{PYTHON}\nmain: ./",
        f"{PYTHON}\ndescription: another\ntemplate: {{description: x}}\nx-notes: [1]",
        PYTHON.replace(".venv", "venv"),
        PYTHON.replace("toolchain: pip, ", ""),
        f"{PYTHON}\nrequiredPulumiVersion: '>=3.0.0'",  # the engine's to judge
        f"{PYTHON}\nplugins: {{}}\npackages: {{}}\noptions: {{}}".replace("\npackages: {}", ""),
    ],
)
def test_what_changes_nothing_that_runs_is_judged(trees: tuple[Path, Project], after: str) -> None:
    assert _sentences(trees, PYTHON, after) == []


@pytest.mark.parametrize(
    ("after", "begin"),
    [
        (
            f"{PYTHON}\nplugins: {{providers: [{{name: azure-native, path: ./bin}}]}}",
            "plugins.`providers`: `azure-native`: `pulumi up` runs what is in `./bin`",
        ),
        (
            f"{PYTHON}\nplugins: {{analyzers: [{{name: rules, path: /opt/rules}}]}}",
            "plugins.`analyzers`: `rules`: `pulumi up` runs what is in `/opt/rules`",
        ),
        (f"{PYTHON}\nplugins: text", "plugins: `pulumi up` runs what is in `text`"),
        (f"{PYTHON}\npackages: {{own: ./bin}}", "packages: `own`: `pulumi up` runs what is in `./bin`"),
        (f"{PYTHON}\npackages: {{random: {{source: a/b, version: 1.0.0}}}}", "packages: changes;"),
        (
            PYTHON.replace("toolchain: pip", "toolchain: uv"),
            "runtime.options.toolchain: `pulumi up` uses uv.lock",
        ),
        (
            PYTHON.replace("toolchain: pip", "typechecker: mypy"),
            "runtime.options.typechecker: whether `mypy`",
        ),
        (
            PYTHON.replace(".venv", "/opt/venv"),
            "runtime.options.virtualenv: `pulumi up` runs the Python in `/opt",
        ),
        (
            PYTHON.replace(".venv", "../venv"),
            "runtime.options.virtualenv: `pulumi up` runs the Python in `../",
        ),
        (
            PYTHON.replace(".venv", "vendored"),
            "runtime.options.virtualenv: `pulumi up` runs the Python in `vendored`",
        ),
        ("runtime: python", "runtime.options.virtualenv: `pulumi up` runs the Python on the PATH"),
        (
            f"{PYTHON}\nbackend: {{url: 's3://other'}}",
            "backend: changes, so `pulumi up` works on another state",
        ),
        (
            f"{PYTHON}\noptions: {{refresh: always}}",
            "options.refresh: `pulumi up` then reads what is there first",
        ),
    ],
)
def test_what_runs_and_is_not_previewed_is_reported(
    trees: tuple[Path, Project], after: str, begin: str
) -> None:
    [sentence] = _sentences(trees, PYTHON, after)
    assert sentence.startswith(begin)


def test_a_plugin_of_the_base_that_is_gone_is_reported_too(trees: tuple[Path, Project]) -> None:
    plugin = f"{PYTHON}\nplugins: {{providers: [{{name: a, path: ./bin}}]}}"
    assert _sentences(trees, plugin, PYTHON)[0].startswith(
        "plugins.`providers`: `a`: `pulumi up` no longer runs"
    )
    assert len(_sentences(trees, plugin, plugin)) == 1


def test_a_lock_file_decides_where_no_toolchain_is_named(trees: tuple[Path, Project]) -> None:
    automatic = PYTHON.replace("toolchain: pip, ", "")
    lock = trees[1].root / "poetry.lock"
    lock.touch()
    [sentence] = _sentences(trees, PYTHON, automatic)
    lock.unlink()
    assert "poetry.lock" in sentence


def test_settings_that_only_the_owner_reads_are_reported_where_they_change(
    trees: tuple[Path, Project],
) -> None:
    before = "config:\n  small:a: {b: [{secure: one}, {secure: two}]}\nenvironment: [shared]"
    after = before.replace("two", "other").replace("shared", "others")
    first, second = _sentences(trees, PYTHON, PYTHON, stacks=(before, after))
    assert first.startswith("Pulumi.dev.yaml: environment: changes;")
    assert second.startswith("`small:a.b[1]` is encrypted differently;")
    assert _sentences(trees, PYTHON, PYTHON, stacks=(before, before)) == []


def test_a_name_from_a_file_can_not_end_its_quotes(trees: tuple[Path, Project]) -> None:
    [sentence] = _sentences(
        trees, PYTHON, f"{PYTHON}\nplugins: {{providers: [{{name: 'a` @all `', path: \"x\\n# y\"}}]}}"
    )
    assert "`a\u2018 @all \u2018`" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("runtime: nodejs", "Pulumi.yaml: runtime: nodejs is not known here; expected python"),
        ("description: x", "Pulumi.yaml: runtime: None is not known here; expected python"),
        (f"{PYTHON}\nmain: /tmp", "Pulumi.yaml: main: /tmp is outside of this repository"),
        (f"{PYTHON}\nmain: linked", "Pulumi.yaml: main: linked is outside"),
        (f"{PYTHON}\nstackConfigDir: ../..", "Pulumi.yaml: stackConfigDir: ../.. is outside"),
    ],
)
def test_a_program_that_can_not_be_previewed_is_not_run(
    trees: tuple[Path, Project], text: str, begin: str
) -> None:
    head = trees[1]
    if not (head.root / "linked").is_symlink():
        (head.root / "linked").symlink_to("/tmp")  # noqa: S108 - any folder outside
    head.write("Pulumi.yaml", f"name: small\n{text}\n")
    with pytest.raises(UnjudgedProgramError) as refusal:
        require_known(read_project(head.root))
    assert str(refusal.value).startswith(begin)
    head.write("Pulumi.yaml", f"name: small\n{PYTHON}\nmain: vendored\n")
    require_known(read_project(head.root))
