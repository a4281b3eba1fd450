"""Two hand-offs at once with OpenTofu itself: which controller the real Juju shows to what OpenTofu runs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import certifi
import yaml

from kubeflow_aks.deployed.outputs import parse
from kubeflow_aks.handoff.files import files
from kubeflow_aks.handoff.folder import write
from tests.handoff.fake_programs import Fakes
from tests.handoff.made_up_outputs import with_basis
from tests.local.commands import PATIENCE_SECONDS
from tests.local.required import required_only

_ROOT = """
resource "terraform_data" "model" {
  provisioner "local-exec" {
    command = <<-COMMAND
      : >applying-${terraform.workspace}
      until [ -e ask-${terraform.workspace} ]; do sleep 0.05; done
      juju show-controller --show-password --format=json &
      until [ -e queried-${terraform.workspace} ]; do sleep 0.05; done
      kill $!
    COMMAND
  }
}
"""
"""Asks for the controller as the provider does (juju/terraform-provider-juju v0.23.3, internal/juju/utils.go)."""
_CONTROLLERS = ("aks-dev-controller", "aks-demo-controller", "production")


class Controllers:
    """Addresses of controllers that let everybody connect and answer nobody.

    Attributes:
        data: what Juju knows of them.
        reached: names of those that somebody connected to.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self.reached: set[str] = set()
        self._sockets = {name: socket.create_server(("127.0.0.1", 0)) for name in _CONTROLLERS}
        authority = Path(certifi.where()).read_text().partition("-----END CERTIFICATE-----\n")
        controllers = {
            name: {
                "uuid": f"11111111-2222-4333-8444-55555555555{number}",
                "api-endpoints": [f"127.0.0.1:{server.getsockname()[1]}"],
                "ca-cert": authority[0][authority[0].index("-----BEGIN") :] + authority[1],
                "cloud": "aks",
            }
            for number, (name, server) in enumerate(self._sockets.items())
        }
        account = {"user": "admin", "password": "none", "last-known-access": "superuser"}
        data.mkdir()
        for file, content in {
            "controllers.yaml": {"controllers": controllers, "current-controller": "aks-demo-controller"},
            "accounts.yaml": {"controllers": dict.fromkeys(controllers, account)},
        }.items():
            (data / file).write_text(yaml.safe_dump(content))

    @contextmanager
    def listening(self) -> Generator[None]:
        """Until the block ends."""
        with ExitStack() as stack:
            for name, server in self._sockets.items():
                threading.Thread(
                    target=self._accept, args=(name, stack.enter_context(server)), daemon=True
                ).start()
            yield

    def _accept(self, name: str, server: socket.socket) -> None:
        connections: list[socket.socket] = []
        while server.fileno() >= 0:
            try:
                connections.append(server.accept()[0])
            except OSError:
                return
            self.reached.add(name)


def _until(what: str, holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_each_asks_its_own_controller_after_a_switch_in_the_middle(tmp_path: Path) -> None:
    tools = required_only("tofu", "juju")
    controllers = Controllers(tmp_path / "juju")
    machines: dict[str, Fakes] = {}
    for stack in ("dev", "demo"):
        folder = tmp_path / stack / "handoff"
        write(folder, files(parse(stack, json.dumps(with_basis(stack=stack)), "outputs.json")))
        machines[stack] = Fakes.installed(folder, tmp_path / f"machine of {stack}")
    machines["demo"].beside(machines["dev"])
    root = machines["dev"].root / "deploy"
    (root / "main.tf").write_text(_ROOT)
    with controllers.listening(), ExitStack() as stack:
        scripts: dict[str, subprocess.Popen[bytes]] = {}
        for name, fakes in machines.items():
            fakes.with_real(tools["tofu"])
            stand_in = fakes.with_real(tools["juju"])
            variables = {"JUJU": str(stand_in), "JUJU_DATA": str(controllers.data), "HOME": str(tmp_path)}
            scripts[name] = stack.enter_context(fakes.started("bootstrap.sh", "--yes", **variables))
        for name in machines:
            _until(f"{name} applies", (root / f"applying-{name}").exists)
        subprocess.run(
            [tools["juju"], "switch", "production"],
            env={**os.environ, "JUJU_DATA": str(controllers.data)},
            check=True,
            capture_output=True,
        )
        for name in machines:
            controllers.reached.clear()
            (root / f"ask-{name}").touch()
            _until(f"{name} asks", lambda: controllers.reached)
            assert controllers.reached == {f"aks-{name}-controller"}
            (root / f"queried-{name}").touch()
            assert scripts[name].wait(timeout=PATIENCE_SECONDS) == 0
    assert sorted(path.name for path in (root / "terraform.tfstate.d").iterdir()) == ["demo", "dev"]
    assert sorted(path.name for path in (root / ".terraform").iterdir()) == ["aks-demo", "aks-dev"]
    assert (
        yaml.safe_load((controllers.data / "controllers.yaml").read_text())["current-controller"]
        == "production"
    )
