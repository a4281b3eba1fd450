"""Evictions through Azure, against a stand-in of Resource Manager on 127.0.0.1 and a fake `az`."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.clients.resource_manager import ResourceManager
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.drill.scale_sets import ScaleSets, Vm

SET = "/subscriptions/s/resourceGroups/MC_g/providers/Microsoft.Compute/virtualMachineScaleSets/aks-cpuspot-1-vmss"
VM = Vm.of("node", f"azure://{SET}/virtualMachines/7")
TOKEN = "of-the-caller"  # noqa: S105 - made up
SCALE_SET = {
    "tags": {"aks-managed-poolName": "cpuspot"},
    "properties": {"virtualMachineProfile": {"priority": "Spot"}},
}

Answer = tuple[int, dict[str, str], dict[str, Any]]


@dataclass
class Arm:
    """Answers in turn, the last one for ever; keeps the requests it got."""

    answers: list[Answer]
    requests: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    url: str = ""


@pytest.fixture
def arm() -> Generator[Arm]:
    """The stand-in."""
    stand_in = Arm([(204, {}, {})])

    class Handler(BaseHTTPRequestHandler):
        """Its requests."""

        def _answer(self) -> None:
            stand_in.requests.append((self.command, self.path, self.headers["Authorization"]))
            status, headers, body = (
                stand_in.answers.pop(0) if len(stand_in.answers) > 1 else stand_in.answers[0]
            )
            text = json.dumps(body).encode() if body else b""
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = _answer  # noqa: N815 - names of http.server

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stand_in.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield stand_in
        server.shutdown()


def az(folder: Path, cloud: str, answer: str = f'{{"accessToken": "{TOKEN}"}}', code: int = 0) -> str:
    """An `az` that answers so, and counts how often a token was requested."""
    script = folder / "az"
    script.write_text(
        f"""#!/bin/sh
case "$1" in
cloud) echo '{cloud}' ;;
*) echo x >> {folder}/tokens; echo '{answer}'; [ {code} = 0 ] || echo 'ERROR: run az login' >&2; exit {code} ;;
esac
""",
        encoding="utf-8",
    )
    script.chmod(0o755)
    return str(script)


def cloud(url: str) -> str:
    """What `az cloud show` answers."""
    return json.dumps({"endpoints": {"resourceManager": f"{url}/"}})


@pytest.fixture
def pauses() -> list[float]:
    """Seconds that were waited."""
    return []


@pytest.fixture
def azure(arm: Arm, tmp_path: Path, pauses: list[float]) -> ScaleSets:
    """Scale sets through Resource Manager at the stand-in."""
    return ScaleSets(ResourceManager(Az(az(tmp_path, cloud(arm.url))), sleep=pauses.append))


@pytest.mark.parametrize("status", [200, 202, 204])
def test_an_eviction_is_requested_once(azure: ScaleSets, arm: Arm, status: int) -> None:
    arm.answers = [(status, {}, {})]
    assert azure.evict(VM)
    path = f"{SET}/virtualMachines/7/simulateEviction?api-version=2024-11-01"
    assert arm.requests == [("POST", path, f"Bearer {TOKEN}")]


def test_a_vm_that_is_gone_is_no_error(azure: ScaleSets, arm: Arm) -> None:
    arm.answers = [(404, {}, {})]
    assert not azure.evict(VM)


def test_another_operation_and_a_throttle_are_waited_for(
    azure: ScaleSets, arm: Arm, pauses: list[float]
) -> None:
    arm.answers = [
        (409, {}, {}),
        (429, {"Retry-After": "17"}, {}),
        (429, {"Retry-After": "9999"}, {}),
        (204, {}, {}),
    ]
    assert azure.evict(VM)
    assert pauses == [5.0, 17.0, 60.0]


def test_what_stays_busy_is_reported_in_azures_words(azure: ScaleSets, arm: Arm, pauses: list[float]) -> None:
    arm.answers = [(409, {}, {"error": {"code": "OperationNotAllowed", "message": "busy\nwith another"}})]
    with pytest.raises(DrillError) as shown:
        azure.evict(VM)
    assert str(shown.value) == (
        "Azure does not evict aks-cpuspot-1-vmss/7: 409 OperationNotAllowed: busy with another"
    )
    assert len(pauses) == 4


def test_a_missing_right_is_named(azure: ScaleSets, arm: Arm) -> None:
    arm.answers = [(403, {}, {"error": {"code": "AuthorizationFailed", "message": "long"}})]
    with pytest.raises(
        DrillError, match=r"lacks the permission .*/virtualMachines/simulateEviction/action on the node"
    ):
        azure.evict(VM)


def test_an_expired_token_is_requested_anew_once(azure: ScaleSets, arm: Arm, tmp_path: Path) -> None:
    arm.answers = [(401, {}, {}), (204, {}, {})]
    assert azure.evict(VM)
    assert (tmp_path / "tokens").read_text() == "x\nx\n"
    arm.answers = [(401, {}, {})]
    with pytest.raises(DrillError, match="run `az login`") as shown:
        azure.evict(VM)
    assert TOKEN not in str(shown.value)
    assert (tmp_path / "tokens").read_text() == "x\nx\nx\n"


def test_only_the_pools_own_spot_scale_set_will_do(azure: ScaleSets, arm: Arm) -> None:
    arm.answers = [(200, {}, SCALE_SET)]
    azure.check_spot(VM, "cpuspot")
    with pytest.raises(DrillError, match="belongs to pool cpuspot, not to gpuspot; nothing was evicted"):
        azure.check_spot(VM, "gpuspot")
    arm.answers = [(200, {}, {**SCALE_SET, "properties": {"virtualMachineProfile": {}}})]
    with pytest.raises(DrillError, match="is not a spot pool's; nothing was evicted"):
        azure.check_spot(VM, "cpuspot")
    assert {method for method, _, _ in arm.requests} == {"GET"}


@pytest.mark.parametrize(
    "provider_id",
    ["", "kind://node", f"azure://{SET}", f"azure://{SET}/virtualMachines/7/extensions/x", "aws:///i-1"],
)
def test_a_node_that_is_no_vm_of_a_scale_set_is_refused(provider_id: str) -> None:
    with pytest.raises(DrillError, match="node n is not a VM of a scale set"):
        Vm.of("n", provider_id)


@pytest.mark.parametrize("endpoint", ["http://management.example", "", "ftp://x", "https"])
def test_a_token_is_sent_by_https_only(tmp_path: Path, endpoint: str) -> None:
    with pytest.raises(ClientError, match="names no address of Resource Manager"):
        ResourceManager(Az(az(tmp_path, cloud(endpoint))))


def test_sovereign_clouds_have_an_address_of_their_own(tmp_path: Path) -> None:
    manager = ResourceManager(Az(az(tmp_path, cloud("https://management.chinacloudapi.cn"))))
    assert (manager.endpoint, manager.is_local) == ("https://management.chinacloudapi.cn", False)


def test_a_missing_sign_in_is_reported(tmp_path: Path, arm: Arm) -> None:
    def evict(az: str) -> None:
        ScaleSets(ResourceManager(Az(az))).evict(VM)

    with pytest.raises(DrillError, match=r"^`az account get-access-token` failed: run az login$"):
        evict(az(tmp_path, cloud(arm.url), code=1))
    with pytest.raises(DrillError, match="printed no token; run `az login`"):
        evict(az(tmp_path, cloud(arm.url), answer="{}"))
    with pytest.raises(DrillError, match="get-access-token` printed something unexpected"):
        evict(az(tmp_path, cloud(arm.url), answer=f'"{TOKEN}'))
    with pytest.raises(ClientError, match=r"nowhere/az` is missing; install the Azure CLI$"):
        evict(str(tmp_path / "nowhere" / "az"))
    assert arm.requests == []


def test_an_azure_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    azure = ScaleSets(ResourceManager(Az(az(tmp_path, cloud("http://127.0.0.1:1")))))
    with pytest.raises(DrillError, match=r"http://127\.0\.0\.1:1 does not answer") as shown:
        azure.evict(VM)
    assert "\n" not in str(shown.value)
    assert TOKEN not in str(shown.value)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://10.0.0.1",
        "http://127.0.0.1.example.org",
        "http://127.0.0.1@example.org",
        "https://",
        "https://[x",
        "file:///x",
        "",
    ],
)
def test_a_token_goes_nowhere_else(tmp_path: Path, endpoint: str) -> None:
    with pytest.raises(ClientError, match="names no address of Resource Manager with https"):
        ResourceManager(Az(az(tmp_path, cloud(endpoint))))
    assert not (tmp_path / "tokens").exists()


@pytest.mark.parametrize("message", [r"\377\376", "<html>", "[]", r"\033[31m"])
def test_an_az_that_answers_with_anything_is_one_line(tmp_path: Path, message: str) -> None:
    script = tmp_path / "az"
    script.write_text(
        f"#!/bin/sh\nprintf '{message}'; printf 'no:{message}' >&2; exit $(cat {tmp_path}/code)\n"
    )
    script.chmod(0o700)
    for code in "01":
        (tmp_path / "code").write_text(code)
        with pytest.raises(ClientError) as shown:
            ResourceManager(Az(str(script)))
        assert str(shown.value).isprintable()


@pytest.mark.parametrize("token", ["tök€n", "a b"])
def test_what_is_no_token_is_not_sent(tmp_path: Path, arm: Arm, token: str) -> None:
    manager = ResourceManager(Az(az(tmp_path, cloud(arm.url), f'{{"accessToken": "{token}"}}')))
    with pytest.raises(DrillError, match="printed no token"):
        ScaleSets(manager).evict(VM)
    assert arm.requests == []


def test_azures_words_are_one_line_of_letters(azure: ScaleSets, arm: Arm) -> None:
    arm.answers = [(500, {}, {"error": {"code": "\x1b[31m", "message": "x" * 9999}})]
    with pytest.raises(DrillError) as shown:
        azure.evict(VM)
    assert str(shown.value).isprintable()
    assert len(str(shown.value)) < 1000
