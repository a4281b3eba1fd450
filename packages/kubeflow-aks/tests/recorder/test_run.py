"""The recorder runs a program as the engine would, and keeps everything it registers."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks
from pulumi_azure_native import authorization, resources

from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.recorder.answers import Answers
from kubeflow_aks.recorder.monitor import DuplicateUrnError
from kubeflow_aks.recorder.run import Record, record

GROUP = "azure-native:resources:ResourceGroup"


class Box(pulumi.ComponentResource):
    """A component to hold things."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("test:index:Box", name, {}, opts)


Run = Callable[..., Record]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Records a program in a project that has one stack, `dev`."""
    (tmp_path / "Pulumi.yaml").write_text("name: project\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {project:owner: ml}\n")

    def run(program: Callable[[], object], **options: Any) -> Record:
        return record("dev", root=tmp_path, program=program, **options)

    return run


def one_group(**options: Any) -> Callable[[], object]:
    return lambda: resources.ResourceGroup("a", location="westeurope", opts=pulumi.ResourceOptions(**options))


def test_a_resource_is_recorded_with_its_inputs(run: Run) -> None:
    group = run(one_group()).one(GROUP)
    assert (group.name, group.custom, group.inputs["location"]) == ("a", True, "westeurope")


def test_a_urn_names_the_types_of_all_parents(run: Run) -> None:
    def program() -> None:
        inner = Box("inner", pulumi.ResourceOptions(parent=Box("outer")))
        resources.ResourceGroup("a", opts=pulumi.ResourceOptions(parent=inner))

    group = run(program).one(GROUP)
    assert group.urn == f"urn:pulumi:dev::project::test:index:Box$test:index:Box${GROUP}::a"
    assert group.parent == "urn:pulumi:dev::project::test:index:Box$test:index:Box::inner"


def test_two_resources_of_one_urn_are_refused(run: Run) -> None:
    def program() -> None:
        resources.ResourceGroup("a")
        resources.ResourceGroup("a")

    with pytest.raises(
        InconclusiveError, match=f"duplicate resource URN urn:pulumi:dev::project::{GROUP}::a"
    ) as failed:
        run(program)
    assert isinstance(failed.value.__cause__, DuplicateUrnError)


def test_one_name_under_two_parents_is_no_duplicate(run: Run) -> None:
    def program() -> None:
        resources.ResourceGroup("a")
        resources.ResourceGroup("a", opts=pulumi.ResourceOptions(parent=Box("box")))

    assert len(run(program).of(GROUP)) == 2


@pytest.mark.parametrize(
    ("inputs", "recorded"),
    [
        ({"protect": True}, {"protect": True}),
        ({"protect": False}, {"protect": False}),
        ({"ignore_changes": ["tags"]}, {"ignoreChanges": ["tags"]}),
        ({"replace_on_changes": ["location"]}, {"replaceOnChanges": ["location"]}),
        ({"delete_before_replace": True}, {"deleteBeforeReplace": True}),
        ({"retain_on_delete": True}, {"retainOnDelete": True}),
        ({"additional_secret_outputs": ["name"]}, {"additionalSecretOutputs": ["name"]}),
        ({"custom_timeouts": pulumi.CustomTimeouts(create="5m")}, {"customTimeouts": {"create": "5m"}}),
    ],
)
def test_an_option_is_recorded(run: Run, inputs: dict[str, Any], recorded: dict[str, Any]) -> None:
    options = run(one_group(**inputs)).one(GROUP).options
    assert {key: options.get(key) for key in recorded} == recorded


def test_an_alias_is_recorded_as_the_urn_it_stands_for(run: Run) -> None:
    group = run(one_group(aliases=[pulumi.Alias(name="old")])).one(GROUP)
    assert group.options["aliases"] == [f"urn:pulumi:dev::project::{GROUP}::old"]


def test_a_child_of_a_renamed_component_is_recorded_with_the_urn_it_had(run: Run) -> None:
    def program(name: str, *aliases: pulumi.Alias) -> None:
        box = Box(name, pulumi.ResourceOptions(aliases=list(aliases)))
        resources.ResourceGroup(f"{name}-group", opts=pulumi.ResourceOptions(parent=box))

    before = run(lambda: program("old")).one(GROUP)
    after = run(lambda: program("new", pulumi.Alias(name="old"))).one(GROUP)
    assert after.urn != before.urn
    assert before.urn in after.options["aliases"]


def test_an_option_that_is_not_given_is_not_recorded(run: Run) -> None:
    assert list(run(one_group()).one(GROUP).options) == ["version"]


def test_what_a_resource_waits_for_and_dies_with_is_recorded(run: Run) -> None:
    def program() -> None:
        first = resources.ResourceGroup("first")
        opts = pulumi.ResourceOptions(depends_on=[first], deleted_with=first)
        resources.ResourceGroup("second", opts=opts)

    recorded = run(program)
    first, second = recorded.one(GROUP, "first"), recorded.one(GROUP, "second")
    assert (second.depends_on, second.options["deletedWith"]) == ((first.urn,), first.urn)


def test_the_property_that_brings_a_dependency_is_recorded(run: Run) -> None:
    def program() -> None:
        first = resources.ResourceGroup("first")
        resources.ResourceGroup("second", tags={"of": first.id})

    recorded = run(program)
    first, second = recorded.one(GROUP, "first"), recorded.one(GROUP, "second")
    assert second.property_dependencies["tags"] == (first.urn,)


def test_a_secret_input_is_plain_and_its_path_is_kept(run: Run) -> None:
    group = run(lambda: resources.ResourceGroup("a", tags={"key": pulumi.Output.secret("s3cret")})).one(GROUP)
    assert (group.inputs["tags"], group.secret_inputs) == ({"key": "s3cret"}, {"tags.key"})


def test_a_preview_knows_nothing_that_only_azure_answers(run: Run) -> None:
    def program() -> None:
        group = resources.ResourceGroup("a")
        resources.ResourceGroup("b", tags={"of": group.id})
        pulumi.export("id", group.id)

    recorded = run(program, preview=True)
    second = recorded.one(GROUP, "b")
    assert (second.inputs["tags"], second.unknown_inputs) == ({"of": None}, {"tags.of"})
    assert (recorded.outputs, recorded.unknown_outputs) == ({"id": None}, {"id"})


def test_an_up_knows_what_azure_answers(run: Run) -> None:
    recorded = run(lambda: pulumi.export("id", resources.ResourceGroup("a", resource_group_name="g").id))
    assert recorded.outputs["id"].endswith("/resourceGroups/g")
    assert recorded.unknown_outputs == set()


def test_outputs_are_recorded_plain_with_the_paths_of_secrets(run: Run) -> None:
    def program() -> None:
        pulumi.export("open", 1)
        pulumi.export("closed", {"token": pulumi.Output.secret("s3cret")})

    recorded = run(program)
    assert recorded.outputs == {"open": 1, "closed": {"token": "s3cret"}}
    assert recorded.secret_outputs == {"closed.token"}


def test_outputs_of_a_component_are_recorded(run: Run) -> None:
    recorded = run(lambda: Box("box").register_outputs({"size": 3}))
    assert recorded.component_outputs == {"urn:pulumi:dev::project::test:index:Box::box": {"size": 3}}


def test_a_component_is_not_looked_up_in_azure(run: Run) -> None:
    assert run(lambda: Box("box")).one("test:index:Box").custom is False


def test_warnings_are_kept_and_notes_are_not(run: Run) -> None:
    def program() -> None:
        pulumi.log.info("note")
        pulumi.log.warn("careful")

    assert run(program).messages == ("careful",)


def test_an_invoke_without_a_recorded_answer_is_an_error(run: Run) -> None:
    def program() -> None:
        pulumi.export("tenant", authorization.get_client_config_output().tenant_id)

    with pytest.raises(
        InconclusiveError, match="no recorded answer for azure-native:authorization:getClientConfig"
    ):
        run(program)


def test_other_answers_may_be_given(run: Run) -> None:
    class Mine(Answers):
        def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:  # noqa: ARG002
            return "mine", {}

    assert run(lambda: pulumi.export("id", resources.ResourceGroup("a").id), answers=Mine()).outputs == {
        "id": "mine"
    }


def test_an_exception_in_an_apply_comes_out(run: Run) -> None:
    def fail(_: str) -> None:
        raise LookupError("inside an apply")

    with pytest.raises(InconclusiveError, match=r"^the program failed: LookupError: inside an apply$"):
        run(lambda: pulumi.export("x", resources.ResourceGroup("a").id.apply(fail)))


def test_an_output_that_fails_ends_the_program_though_another_never_comes(run: Run) -> None:
    async def fails() -> str:
        await asyncio.sleep(0.01)
        raise LookupError("no such size")

    def program() -> None:
        pulumi.export("never", pulumi.Output.from_input(asyncio.sleep(600)))
        pulumi.export("fails", pulumi.Output.from_input(fails()))

    with pytest.raises(InconclusiveError, match="no such size"):
        run(program)


def test_configuration_of_one_run_does_not_reach_the_next(run: Run) -> None:
    observed: list[str | None] = []
    for extra in ({"colour": "red"}, {}):
        run(lambda: observed.append(pulumi.Config().get("colour")), extra=extra)
    assert observed == ["red", None]


def test_a_run_leaves_the_working_directory_as_it_was(run: Run) -> None:
    observed: list[Path] = []
    before = Path.cwd()
    run(lambda: observed.append(Path.cwd()))
    assert Path.cwd() == before != observed[0]
    assert (observed[0] / "Pulumi.dev.yaml").exists()


def test_a_failed_run_leaves_the_working_directory_as_it_was(run: Run) -> None:
    before = os.getcwd()  # noqa: PTH109 - as the recorder sees it

    def program() -> None:
        raise LookupError

    with pytest.raises(InconclusiveError):
        run(program)
    assert os.getcwd() == before  # noqa: PTH109


def test_a_failed_program_is_reported_with_its_own_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "__main__.py").write_text("import shapes\nshapes.draw()\n")
    (tmp_path / "shapes.py").write_text("def draw():\n    raise ValueError('no pencil')\n")
    with pytest.raises(InconclusiveError) as failed:
        record("dev", root=tmp_path)
    assert str(failed.value).splitlines() == [
        "the program failed: ValueError: no pencil",
        "  __main__.py:2: shapes.draw()",
        "  shapes.py:2: raise ValueError('no pencil')",
    ]
    assert run


def test_a_package_that_is_missing_is_named_with_the_environment(run: Run, tmp_path: Path) -> None:
    (tmp_path / "__main__.py").write_text("import nothing_such\n")
    with pytest.raises(InconclusiveError) as failed:
        record("dev", root=tmp_path)
    assert str(failed.value).splitlines()[:2] == [
        "the program failed: ModuleNotFoundError: No module named 'nothing_such'",
        f"  the commands run in the environment {sys.prefix}; install what the program imports there",
    ]
    assert run


def test_a_project_without_a_program_in_python_is_reported(run: Run, tmp_path: Path) -> None:
    with pytest.raises(
        InconclusiveError, match=r"__main__\.py: missing; expected a program in Python beside"
    ):
        record("dev", root=tmp_path)
    assert run


def test_one_resource_is_found_by_type_and_name(run: Run) -> None:
    def program() -> None:
        resources.ResourceGroup("a")
        resources.ResourceGroup("b")

    recorded = run(program)
    assert recorded.one(GROUP, "b").name == "b"
    with pytest.raises(LookupError, match="2 resources of"):
        recorded.one(GROUP)
    with pytest.raises(LookupError, match="0 resources of"):
        recorded.one(GROUP, "c")
