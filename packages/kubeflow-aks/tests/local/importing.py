"""`pulumi import` as a page or a command prints it, by the real engine on the stand-ins."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.engine.engine import backend_url
from tests.local.required import required_only


def run_import(engine: Engine, words: Sequence[str], folder: Path) -> None:
    """Runs it in the stack's workspace, without a question.

    Args:
        engine: of a stack that has a workspace.
        words: of the command, from `import` on.
        folder: for the language host that the engine looks for on its PATH.
    """
    folder.mkdir(exist_ok=True)
    (folder / "pulumi-language-python").symlink_to(required_only("sdk-generator")["sdk-generator"])
    done = subprocess.run(
        [engine.tools["pulumi"], *words, "--yes", "--skip-preview"],
        cwd=engine.run.pulumi_workspace,
        env={
            "PATH": f"{folder}:{os.defpath}",
            "PULUMI_HOME": str(engine.run.pulumi_home),
            "PULUMI_BACKEND_URL": backend_url(engine.run),
            "PULUMI_CONFIG_PASSPHRASE": engine.run.passphrase(),
            "PULUMI_DEBUG_PROVIDERS": ",".join(f"{name}:{port}" for name, port in engine.providers.items()),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
