"""What the scripts' tests take for Juju's answers is what the real client prints, with its exit code.

`tests/handoff/data/juju.json` is written by this module: where a newer client answers otherwise, the test
leaves the new recording in its temporary folder and names it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from tests.handoff.recorded_juju import RECORDING, Answer
from tests.local.commands import PATIENCE_SECONDS
from tests.local.demo_stack import DemoStack

_BOOTSTRAP: Final = "bootstrap aks-demo aks-demo-controller --credential aks-demo"
_NAMESPACE: Final = "controller-aks-demo-controller"
_OWN: Final = (
    (r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", "CERTIFICATE"),
    (r"https://127\.0\.0\.1:\d+", "https://192.0.2.1:6443"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "11111111-2222-4333-8444-555555555555"),
)
"""What is another at every recording, and what stands for it."""


class Client:
    """The real client with data of its own, which notes its answers.

    Attributes:
        answers: by situation.
    """

    def __init__(self, juju: Path, handed: Path, data: Path) -> None:
        self.answers: dict[str, Answer] = {}
        self._juju = juju
        self._handed = handed
        self._environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("JUJU")},
            "JUJU_DATA": str(data),
            "KUBECONFIG": str(handed / "kubeconfig"),
        }

    def ask(self, situation: str, words: str, *, kubeconfig: Path | None = None) -> None:
        """Notes what a command answers in a situation."""
        environment = self._environment | ({"KUBECONFIG": str(kubeconfig)} if kubeconfig else {})
        command = [str(self._juju), *words.replace("HANDOFF", str(self._handed)).split()]
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        self.answers[situation] = Answer(
            words, done.returncode, self._plain(done.stdout), self._plain(done.stderr)
        )

    def begin(self, words: str) -> subprocess.Popen[bytes]:
        """A command that is not waited for."""
        return subprocess.Popen(
            [str(self._juju), *words.split()],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _plain(self, text: str) -> str:
        text = text.replace(str(self._handed), "HANDOFF")
        for pattern, plain in _OWN:
            text = re.sub(pattern, plain, text, flags=re.DOTALL)
        return text


def _cut_off(demo: DemoStack, client: Client) -> None:
    """A bootstrap that ends without a clean-up when it has made the controller's namespace."""
    bootstrap = client.begin(_BOOTSTRAP)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not demo.kubectl.run("get", "namespace", _NAMESPACE, "--ignore-not-found"):
        assert bootstrap.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    bootstrap.kill()
    bootstrap.wait()


def _under_the_clouds_name(handed: Path, folder: Path) -> Path:
    """The kubeconfig with a context that is called like the cloud, as `az aks get-credentials` may name it."""
    content: dict[str, Any] = yaml.safe_load((handed / "kubeconfig").read_text())
    content["contexts"][0]["name"] = content["current-context"] = "aks-demo"
    (folder / "same-name").write_text(yaml.safe_dump(content))
    return folder / "same-name"


def _as_through(data: Path) -> None:
    """Juju's data as a bootstrap that is through leaves them: with the controller's address."""
    file = data / "controllers.yaml"
    content = yaml.safe_load(file.read_text())
    content["controllers"]["aks-demo-controller"]["api-endpoints"] = ["192.0.2.7:17070"]
    file.write_text(yaml.safe_dump(content))


def _clouds_and_credentials(client: Client) -> None:
    client.ask("version", "version")
    client.ask("clouds-none", "clouds --client --format json")
    client.ask("credentials-none", "credentials --client --format json")
    client.ask("show-credential-none", "show-credential aks-demo aks-demo --client")
    client.ask("add-cloud", "add-cloud aks-demo --client --file HANDOFF/clouds.yaml")
    client.ask("add-cloud-again", "add-cloud aks-demo --client --file HANDOFF/clouds.yaml")
    update = "update-credential aks-demo aks-demo --client -f HANDOFF/credentials.yaml"
    client.ask("update-credential-none", update)
    client.ask("bootstrap-no-credential", _BOOTSTRAP)
    client.ask("add-credential", "add-credential aks-demo --client -f HANDOFF/credentials.yaml")
    client.ask("clouds", "clouds --client --format json")
    client.ask("credentials", "credentials --client --format json")
    client.ask("update-k8s", "update-k8s aks-demo --client -f HANDOFF/clouds.yaml")
    client.ask("update-credential", update)


def _controllers(client: Client, demo: DemoStack, data: Path) -> None:
    client.ask("controllers-none", "controllers --format json")
    client.ask("unregister-none", "unregister aks-demo-controller --no-prompt")
    _cut_off(demo, client)
    client.ask("controllers-half-made", "controllers --format json")
    client.ask("models-half-made", "models --controller aks-demo-controller --all --format json")
    client.ask("kill-controller-half-made", "kill-controller aks-demo-controller --no-prompt")
    client.ask("bootstrap-half-made", _BOOTSTRAP)
    shutil.copytree(data, data.with_name("kept"))
    client.ask("unregister", "unregister aks-demo-controller --no-prompt")
    client.ask("bootstrap-namespace-there", _BOOTSTRAP)
    shutil.copytree(data.with_name("kept"), data, dirs_exist_ok=True)
    _as_through(data)
    client.ask("controllers", "controllers --format json")
    client.ask("unregister", "unregister aks-demo-controller --no-prompt")


def test_the_recorded_answers_are_the_real_client_s(
    demo: DemoStack, handed: Path, juju: Path, tmp_path: Path
) -> None:
    demo.kubectl.run("delete", "namespace", _NAMESPACE, "--ignore-not-found", "--wait")
    data = tmp_path / "juju"
    client = Client(juju, handed, data)
    client.begin("version").wait()  # the first one ever also fetches the public clouds
    _clouds_and_credentials(client)
    try:
        _controllers(client, demo, data)
    finally:
        demo.kubectl.run("delete", "namespace", _NAMESPACE, "--ignore-not-found", "--wait=false")
    same = _under_the_clouds_name(handed, tmp_path)
    client.ask(
        "update-k8s-same-context", "update-k8s aks-demo --client -f HANDOFF/clouds.yaml", kubeconfig=same
    )
    client.ask("remove-credential", "remove-credential aks-demo aks-demo --client")
    client.ask("remove-cloud", "remove-cloud aks-demo --client")
    client.ask("remove-cloud-none", "remove-cloud aks-demo --client")
    client.ask("add-k8s-same-context", "add-k8s aks-demo --client", kubeconfig=same)
    client.ask("update-k8s-none", "update-k8s aks-demo --client -f HANDOFF/clouds.yaml")
    _compare(client.answers, tmp_path / RECORDING.name)


def _compare(answers: Mapping[str, Answer], new: Path) -> None:
    new.write_text(json.dumps({name: answer.to_json() for name, answer in answers.items()}, indent=1) + "\n")
    recorded: Any = json.loads(RECORDING.read_text()) if RECORDING.exists() else None
    assert json.loads(new.read_text()) == recorded, f"new recording: {new}"
