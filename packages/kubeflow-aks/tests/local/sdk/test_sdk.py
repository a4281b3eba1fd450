"""The components' SDKs: written by `pulumi package gen-sdk`, and used as programs in those languages use them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.protocol.server import serve
from tests.local.required import required_node_modules, required_only
from tests.local.schemas import COMPONENTS, azure_native

ROOT = Path(__file__).parents[5]
EXAMPLE = ROOT / "examples" / "typescript"
MISTAKES = Path(__file__).with_name("mistakes.ts")
LANGUAGES = ("nodejs", "python", "go")


@dataclass(frozen=True)
class Pulumi:
    """The command, in a home of its own."""

    program: Path
    environment: dict[str, str]

    def run(self, *arguments: str | Path) -> str:
        """What it prints."""
        command = [self.program, *arguments]
        done = subprocess.run(
            command, env={**os.environ, **self.environment}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def pulumi(tmp_path_factory: pytest.TempPathFactory) -> Generator[Pulumi]:
    """With Azure's schema attached, and a language host for each language on PATH."""
    tools = required_only("pulumi", "sdk-generator")
    folder = tmp_path_factory.mktemp("pulumi")
    for language in LANGUAGES:
        (folder / f"pulumi-language-{language}").symlink_to(tools["sdk-generator"])
    azure = serve(azure_native())
    yield Pulumi(
        tools["pulumi"],
        {
            "PATH": os.pathsep.join((str(folder), os.environ.get("PATH", os.defpath))),
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_DEBUG_PROVIDERS": f"azure-native:{azure.port}",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        },
    )
    azure.stop()


def generated(pulumi: Pulumi, language: str, folder: Path) -> Path:
    pulumi.run("package", "gen-sdk", COMPONENTS, "--language", language, "--out", folder)
    return folder / language


def run(command: Sequence[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_pulumi_accepts_the_schema_which_is_all_that_yaml_needs(pulumi: Pulumi) -> None:
    pulumi.run("schema", "check", COMPONENTS)


def test_the_python_sdk_is_imported(pulumi: Pulumi, tmp_path: Path) -> None:
    folder = generated(pulumi, "python", tmp_path)
    installed = (
        folder / "ckf_kubeflow_aks-0.1.0.dist-info"
    )  # the SDK reads its version from what an installer leaves
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: ckf_kubeflow_aks\nVersion: 0.1.0\n")
    program = "import ckf_kubeflow_aks as k; print(k.AgentPools, k.AgentPoolSpecArgs, k.Priority.SPOT.value)"
    done = run([sys.executable, "-c", program], PYTHONPATH=str(folder))
    assert done.stdout.endswith(" Spot\n"), done.stderr


def test_the_go_sdk_is_go(pulumi: Pulumi, tmp_path: Path) -> None:
    folder = generated(pulumi, "go", tmp_path)
    files = list(folder.rglob("*.go"))
    assert {"agentPools.go", "aksCluster.go", "pulumiEnums.go"} <= {file.name for file in files}
    if gofmt := shutil.which("gofmt"):
        done = run([gofmt, "-l", *files])
        assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_typescript_takes_the_example_and_finds_mistakes(pulumi: Pulumi, tmp_path: Path) -> None:
    modules = required_node_modules(EXAMPLE)
    (tmp_path / "node_modules").symlink_to(modules)
    project = shutil.copytree(
        EXAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns("node_modules", "sdks")
    )
    package = project / "node_modules" / "@ckf"
    package.mkdir(parents=True)
    generated(pulumi, "nodejs", tmp_path / "sdk").rename(package / "kubeflow-aks")
    shutil.copy(MISTAKES, project)
    options = json.loads((project / "tsconfig.json").read_text())
    (project / "tsconfig.json").write_text(json.dumps(options | {"files": ["index.ts", MISTAKES.name]}))
    done = run(["node", modules / "typescript" / "bin" / "tsc", "--project", project, "--pretty", "false"])
    errors = re.findall(r"^(?:.*/)?(\w+\.ts)\((\d+),\d+\): error (TS\d+)", done.stdout, re.MULTILINE)
    expected = [
        ("mistakes.ts", "5", "TS2820"),
        ("mistakes.ts", "6", "TS2345"),
        ("mistakes.ts", "7", "TS2561"),
    ]
    assert errors == expected, done.stdout + done.stderr
    assert """Did you mean '"Spot"'?""" in done.stdout
