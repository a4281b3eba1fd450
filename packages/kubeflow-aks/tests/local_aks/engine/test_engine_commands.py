"""A command of the engine that fails beside the operations: the user reads its reason."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation._stack import _EventsServicer  # pyright: ignore[reportPrivateUsage] - its only home

from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools

FULL = "error: could not create stack: write demo.json: no space left on device"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The engine of a stack that does not exist yet; its disk is full for every command."""
    pulumi = tmp_path / "bin" / "pulumi"
    pulumi.parent.mkdir()
    note = f'echo "$PULUMI_HOME" >> {tmp_path}/homes'
    pulumi.write_text(f"#!/bin/sh\n{note}\necho '{FULL}' >&2\nexit 255\n")
    pulumi.chmod(0o755)
    return Engine(RunDirectory.at(tmp_path / "run"), Tools({"pulumi": pulumi}), {}, PROJECT_ROOT, "demo")


@pytest.mark.parametrize(
    "ask", [Engine.up, Engine.destroy, Engine.export, Engine.outputs], ids=lambda ask: ask.__name__
)
def test_a_full_disk_is_reported_by_every_operation(engine: Engine, ask: Callable[[Engine], object]) -> None:
    with pytest.raises(EngineError) as failure:
        ask(engine)
    assert str(failure.value) == f"the beginning of stack 'demo' failed:\n{FULL}"


def test_outputs_that_can_not_be_read_are_reported(engine: Engine) -> None:
    _with_settings(engine)
    with pytest.raises(EngineError) as failure:
        engine.outputs()
    assert str(failure.value) == f"reading the outputs of stack 'demo' failed:\n{FULL}"


def test_a_state_that_can_not_be_read_is_reported(engine: Engine) -> None:
    file = _with_settings(engine) / "demo.json"
    with pytest.raises(DamagedFileError) as failure:
        engine.export()
    assert str(failure.value) == f"{file} is damaged; `./kubeflow-aks local down` removes this local AKS"


def _with_settings(engine: Engine) -> Path:
    """The folder of an empty state, whose stack the engine has settings of."""
    _with_state(engine).passphrase()
    engine.run.pulumi_workspace.mkdir()
    (engine.run.pulumi_workspace / "Pulumi.demo.yaml").write_text("encryptionsalt: v1:x\n")
    return engine.run.pulumi_state / ".pulumi" / "stacks" / "kubeflow-aks"


def _with_state(engine: Engine) -> RunDirectory:
    stacks = engine.run.pulumi_state / ".pulumi" / "stacks" / "kubeflow-aks"
    stacks.mkdir(parents=True)
    (stacks / "demo.json").touch()
    return engine.run


def test_a_state_without_its_passphrase_is_reported(engine: Engine) -> None:
    run = _with_state(engine)
    with pytest.raises(DamagedFileError) as failure:
        engine.up()
    assert str(failure.value) == (
        f"{run.passphrase_file} is missing; `./kubeflow-aks local down` removes this local AKS"
    )


def test_an_engine_that_a_signal_ended_is_reported_by_its_name(engine: Engine) -> None:
    engine.tools["pulumi"].write_text("#!/bin/sh\nkill -KILL $$\n")
    with pytest.raises(EngineError) as failure:
        engine.up()
    assert str(failure.value) == (
        "the beginning of stack 'demo' failed:\nthe engine was ended by SIGKILL; run the command again"
    )


def test_azures_token_goes_to_the_engine_encrypted_and_by_no_command_line(tmp_path: Path) -> None:
    """Every user of the machine can read command lines; the settings are written once and then kept."""
    pulumi, arguments = tmp_path / "bin" / "pulumi", tmp_path / "arguments"
    pulumi.parent.mkdir()
    pulumi.write_text(
        f"""#!/bin/sh
[ $1 = version ] && echo v3.274.1 && exit
echo "$@" >>{arguments}
case "$*" in
*"stack init"*) [ -e Pulumi.demo.yaml ] || echo 'encryptionsalt: v1:x' >Pulumi.demo.yaml ;;
*"config set"*)
    cd "$2"
    cat >>{arguments}.stdin
    printf 'encryptionsalt: v1:x\\nconfig:\\n  azure-native:clientSecret: {{secure: v1:y}}\\n' >Pulumi.demo.yaml ;;
*) echo '{{"version": 3, "deployment": {{}}}}' ;;
esac
"""
    )
    pulumi.chmod(0o755)
    run = RunDirectory.at(tmp_path / "run")
    for providers in ({"kubernetes": 1}, {"azure-native": 1}, {"azure-native": 1}):
        Engine(run, Tools({"pulumi": pulumi}), providers, PROJECT_ROOT, "demo").outputs()
    assert run.azure_token() not in arguments.read_text()
    assert arguments.read_text().count("config set azure-native:clientSecret --secret") == 1
    assert Path(f"{arguments}.stdin").read_text() == run.azure_token()


def test_every_process_of_the_engine_keeps_its_logs_in_the_run_directory(
    engine: Engine, tmp_path: Path
) -> None:
    with pytest.raises(EngineError):
        engine.up()
    homes = (tmp_path / "homes").read_text().splitlines()
    assert homes
    assert set(homes) == {str(engine.run.pulumi_home)}


def test_the_events_of_an_engine_that_a_signal_ended_are_not_warned_of(engine: Engine) -> None:
    """The SDK warns of a stream that breaks off; what the engine was ended by stands in the error."""
    _with_settings(engine)
    engine.tools["pulumi"].write_text("#!/bin/sh\nkill -KILL $$\n")
    events: Any = _EventsServicer(print)
    with warnings.catch_warnings(record=True) as shown:
        with pytest.raises(EngineError):
            engine.up()
        events.StreamEvents(_broken_off(), None)
    assert shown == []


def _broken_off() -> Iterator[object]:
    raise ConnectionError("Exception iterating requests!")
    yield
