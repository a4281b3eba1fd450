"""What Azure Resource Graph says of spot VMs, asked by the Azure CLI."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cost.figures import Range
from cost.prices.resource_graph import AzError, ResourceGraph, az, subscription
from tests.cost.prices.stand_in_az import SUBSCRIPTION, Az, history, installed, rate

VM = ("Standard_D4s_v3", "uksouth")


class Graph:
    """Resource Graph behind a stand-in, and what was told."""

    def __init__(self, stand_in: Az, currency: str = "USD") -> None:
        self.told: list[str] = []
        self.graph = ResourceGraph(SUBSCRIPTION, currency, self.told.append, self._ask)
        self._az = stand_in

    def _ask(self, arguments: Sequence[str]) -> str:
        assert list(arguments[:4]) == ["rest", "--method", "post", "--url"]
        if self._az.fails:
            raise AzError(self._az.fails)
        return self._az.answer(json.loads(arguments[arguments.index("--body") + 1]))


def test_price_with_its_range_of_90_days_and_band() -> None:
    graph = Graph(Az([[rate(), history(0.0487, "0.0612", 0.0401)]])).graph
    price, evictions = graph.spot(*VM), graph.evictions(*VM)
    assert price is not None
    assert evictions is not None
    assert price.price == Range(0.0487, 0.0401, 0.0612)
    assert evictions.rate == Range(0.10, 0.05, 0.10)
    assert "28 days" in evictions.source.name
    assert evictions.source.day


def test_many_sizes_are_one_question() -> None:
    stand_in = Az([[rate()], [history(0.05)], [rate("standard_nc4as_t4_v3", "westeurope", "20+")]])
    graph = Graph(stand_in).graph
    graph.prepare([VM, ("Standard_NC4as_T4_v3", "westeurope"), ("disk-P10", "uksouth")])
    assert graph.spot(*VM)
    found = graph.evictions("Standard_NC4as_T4_v3", "westeurope")
    assert found is not None
    assert found.rate.high == 1
    assert [body["options"].get("$skipToken") for body in stand_in.asked] == [None, "1", "2"]
    assert graph.evictions("Standard_NC4as_T4_v3", "uksouth") is None  # neither asked for again nor mixed up
    query = stand_in.asked[0]["query"]
    assert "'standard_d4s_v3', 'standard_nc4as_t4_v3'" in query
    assert "disk" not in query


def test_a_subscription_is_named_only_where_nothing_is_found_without() -> None:
    stand_in = Az([[rate()]], needs_subscription=True)
    assert Graph(stand_in).graph.evictions(*VM)
    assert [body.get("subscriptions") for body in stand_in.asked] == [None, [SUBSCRIPTION]]
    stand_in = Az([[rate()]])
    assert Graph(stand_in).graph.evictions(*VM)
    assert len(stand_in.asked) == 1


def test_prices_are_in_dollars_and_bands_in_no_currency() -> None:
    graph = Graph(Az([[rate(), history(0.05)]]), "EUR").graph
    assert graph.spot(*VM) is None
    assert graph.evictions(*VM)


@pytest.mark.parametrize("name", ["Standard_X') | project *", "standard_d4s_v3'", "Basic_A1", ""])
def test_nothing_but_a_name_reaches_the_query(name: str) -> None:
    stand_in = Az([[rate()]])
    assert Graph(stand_in).graph.evictions(name, "uksouth") is None
    assert Graph(stand_in).graph.evictions("Standard_D4s_v3", f"uksouth'{name}") is None
    assert stand_in.asked == []


def test_a_failure_is_told_once_and_nothing_is_asked_again() -> None:
    stand_in = Az(fails="ERROR: AADSTS700082: The refresh token has expired.")
    graph = Graph(stand_in)
    assert graph.graph.spot(*VM) is graph.graph.evictions("Standard_D8s_v3", "uksouth") is None
    assert graph.told == [
        (
            "Azure Resource Graph does not answer (ERROR: AADSTS700082: The refresh token has expired.); "
            "eviction rates are not asked for"
        )
    ]


@pytest.mark.parametrize("page", ["", "{}", "[]", "null", '{"data": 1}', "[" * 100_000, "<html>"])
def test_garbage_is_a_failure(page: str) -> None:
    graph = Graph(Az([page]))
    assert graph.graph.evictions(*VM) is None
    assert len(graph.told) == 1
    assert "its answer has no rows" in graph.told[0]


def test_pages_end_somewhere() -> None:
    graph = Graph(Az([[rate()]] * 30))
    assert graph.graph.evictions(*VM) is None
    assert "more than 20 pages" in graph.told[0]


def test_a_row_that_cannot_be_read_says_nothing() -> None:
    odd: list[Any] = [1, {}, rate(band="often"), history(), history(None, "x", -1, 0, float("inf"))]
    graph = Graph(Az([odd]))
    assert graph.graph.spot(*VM) is graph.graph.evictions(*VM) is None
    assert graph.told == [
        "standard_d4s_v3 in uksouth: Azure's eviction rate 'often' can't be read and is not used"
    ]


def test_without_the_azure_cli_nobody_is_asked(tmp_path: Path) -> None:
    assert subscription() is None
    installed(tmp_path / "bin", [], signed_in=False)
    assert subscription() is None
    with pytest.raises(AzError, match="az login"):
        az(["account", "show"])


def test_the_azure_cli_signs_and_no_token_comes_into_our_hands(tmp_path: Path) -> None:
    installed(tmp_path / "bin", [rate()])
    told: list[str] = []
    found = subscription()
    assert found == SUBSCRIPTION
    assert ResourceGraph(found, "USD", told.append).evictions(*VM)
    asked = (tmp_path / "bin" / "asked").read_text(encoding="utf-8")
    assert not re.search("token|login|secret", asked.replace("$skipToken", ""), re.IGNORECASE)
    assert [json.loads(line)[0] for line in asked.splitlines()] == ["account", "rest"]
    assert told == []


def test_the_azure_cli_may_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path / "bin", []).write_text("#!/bin/sh\nexec /bin/sleep 30\n", encoding="utf-8")
    monkeypatch.setattr("cost.prices.resource_graph._SECONDS", 0.1)
    with pytest.raises(AzError, match="no answer within"):
        az(["account", "show"])


@pytest.mark.parametrize(
    "secret", ["Bearer abc.def", "bearer  x", "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.e30.sig"]
)
def test_a_token_in_an_error_is_not_told(secret: str, tmp_path: Path) -> None:
    script = f"#!/bin/sh\necho 'ERROR: 407 for {secret}' >&2\nexit 1\n"
    installed(tmp_path / "bin", []).write_text(script, encoding="utf-8")
    with pytest.raises(AzError) as error:
        az(["account", "show"])
    assert str(error.value) == "ERROR: 407 for [secret]"
