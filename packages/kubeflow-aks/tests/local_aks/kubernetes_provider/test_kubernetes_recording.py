"""The stand-in answers as the recorded real provider did, where no API server is needed."""

import json
from collections.abc import Iterator

import pytest

from tests.local_aks.kubernetes_provider import recording
from tests.local_aks.kubernetes_provider.engine import Engine, connected, provider

CALLS = recording.calls()
CONFIGURE = next(call for call in CALLS if call["method"] == "Configure")
PURE = [index for index, call in enumerate(CALLS) if call["method"] in recording.PURE]
MOVED = len(CALLS) - 1
"""The call whose kubeconfigs, old and new, were cut from the recording."""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with provider() as port, connected(port) as connection:
        connection.call("Configure", CONFIGURE["request"])
        yield connection


@pytest.mark.parametrize("index", [index for index in PURE if index != MOVED])
def test_answers_as_recorded(engine: Engine, index: int) -> None:
    call = CALLS[index]
    assert engine.call(call["method"], call["request"]) == call["response"]


def test_answers_as_recorded_when_the_server_of_the_kubeconfig_moved(engine: Engine) -> None:
    call = CALLS[MOVED]
    old, new = _kubeconfig("https://a:443"), _kubeconfig("https://b:443")
    assert "kubeconfig" not in call["request"]["news"]
    request = call["request"] | {
        "olds": call["request"]["olds"] | {"kubeconfig": old},
        "news": call["request"]["news"] | {"kubeconfig": new},
    }
    assert engine.call("DiffConfig", request) == call["response"]


def test_the_recording_is_complete() -> None:
    assert len(CALLS) == 57


def _kubeconfig(server: str) -> str:
    return json.dumps(
        {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "k"}}],
            "clusters": [{"name": "k", "cluster": {"server": server}}],
        }
    )
