"""A command of the engine that fails beside the operations: the user reads its reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from local_aks.engine import Engine, EngineError
from local_aks.lifecycle.instance import PROJECT_ROOT
from local_aks.run.directory import RunDirectory
from tools import Tools

FULL = "error: could not create stack: write demo.json: no space left on device"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The engine of a stack that does not exist yet; whatever it is told, its disk is full."""
    pulumi = tmp_path / "bin" / "pulumi"
    pulumi.parent.mkdir()
    pulumi.write_text(f"#!/bin/sh\n[ $1 = version ] && echo v3.259.0 && exit\necho '{FULL}' >&2\nexit 255\n")
    pulumi.chmod(0o755)
    return Engine(RunDirectory.at(tmp_path / "run"), Tools({"pulumi": pulumi}), {}, PROJECT_ROOT, "demo")


@pytest.mark.parametrize(
    "ask", [Engine.up, Engine.destroy, Engine.export, Engine.outputs], ids=lambda ask: ask.__name__
)
def test_a_full_disk_is_told_by_whatever_begins(engine: Engine, ask: Callable[[Engine], object]) -> None:
    with pytest.raises(EngineError) as failure:
        ask(engine)
    assert str(failure.value) == f"the beginning of stack 'demo' failed:\n{FULL}"


@pytest.mark.parametrize(
    ("ask", "what"), [(Engine.export, "reading the state"), (Engine.outputs, "reading the outputs")]
)
def test_a_state_that_can_not_be_read_is_told(
    engine: Engine, ask: Callable[[Engine], object], what: str
) -> None:
    stacks = engine.run.pulumi_state / ".pulumi" / "stacks" / "kubeflow-aks"
    stacks.mkdir(parents=True)
    (stacks / "demo.json").touch()
    engine.run.pulumi_workspace.mkdir()
    (engine.run.pulumi_workspace / "Pulumi.demo.yaml").write_text("encryptionsalt: v1:x\n")
    with pytest.raises(EngineError) as failure:
        ask(engine)
    assert str(failure.value) == f"{what} of stack 'demo' failed:\n{FULL}"


def test_azures_token_goes_to_the_engine_encrypted_and_by_no_command_line(tmp_path: Path) -> None:
    """Every user of the machine can read command lines; the settings are written once and then kept."""
    pulumi, told = tmp_path / "bin" / "pulumi", tmp_path / "told"
    pulumi.parent.mkdir()
    pulumi.write_text(
        f"""#!/bin/sh
[ $1 = version ] && echo v3.259.0 && exit
echo "$@" >>{told}
case "$*" in
*"stack init"*) [ -e Pulumi.demo.yaml ] || echo 'encryptionsalt: v1:x' >Pulumi.demo.yaml ;;
*"config set"*)
    cd "$2"
    cat >>{told}.stdin
    printf 'config:\\n  azure-native:clientSecret:\\n    secure: v1:y\\n' >>Pulumi.demo.yaml ;;
*) echo '{{"version": 3, "deployment": {{}}}}' ;;
esac
"""
    )
    pulumi.chmod(0o755)
    run = RunDirectory.at(tmp_path / "run")
    for providers in ({"kubernetes": 1}, {"azure-native": 1}, {"azure-native": 1}):
        Engine(run, Tools({"pulumi": pulumi}), providers, PROJECT_ROOT, "demo").outputs()
    assert run.azure_token() not in told.read_text()
    assert told.read_text().count("config set azure-native:clientSecret --secret") == 1
    assert Path(f"{told}.stdin").read_text() == run.azure_token()
