"""Data of Azure Resource Graph on spot VMs, queried by the Azure CLI."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.cost.figures import Range
from kubeflow_aks.cost.prices.resource_graph import ResourceGraph, subscription
from tests.cost.prices.stand_in_az import SUBSCRIPTION, Answers, history, installed, rate

VM = ("Standard_D4s_v3", "uksouth")


class FakeAz(Az):
    """Resource Graph's answers in place of the Azure CLI's."""

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self.__dict__["answers"] = answers

    def run(self, *words: str) -> str:
        """One page."""
        answers: Answers = self.__dict__["answers"]
        assert words[:4] == ("rest", "--method", "post", "--url")
        if answers.fails:
            raise AzError(answers.fails)
        return answers.answer(json.loads(words[words.index("--body") + 1]))


class Graph:
    """Resource Graph behind a stand-in, and the warnings."""

    def __init__(self, answers: Answers, currency: str = "USD") -> None:
        self.warnings: list[str] = []
        self.graph = ResourceGraph(SUBSCRIPTION, currency, self.warnings.append, FakeAz(answers))


def test_price_with_its_range_of_90_days_and_band() -> None:
    graph = Graph(Answers([[rate(), history(0.0487, "0.0612", 0.0401)]])).graph
    price, evictions = graph.spot(*VM), graph.evictions(*VM)
    assert price is not None
    assert evictions is not None
    assert price.price == Range(0.0487, 0.0401, 0.0612)
    assert evictions.rate == Range(0.10, 0.05, 0.10)
    assert "28 days" in evictions.source.name
    assert evictions.source.day


def test_many_sizes_are_one_question() -> None:
    stand_in = Answers([[rate()], [history(0.05)], [rate("standard_nc4as_t4_v3", "westeurope", "20+")]])
    graph = Graph(stand_in).graph
    graph.prefetch([VM, ("Standard_NC4as_T4_v3", "westeurope"), ("disk-P10", "uksouth")])
    assert graph.spot(*VM)
    evictions = graph.evictions("Standard_NC4as_T4_v3", "westeurope")
    assert evictions is not None
    assert evictions.rate.high == 1
    assert [body["options"].get("$skipToken") for body in stand_in.requests] == [None, "1", "2"]
    assert graph.evictions("Standard_NC4as_T4_v3", "uksouth") is None  # neither queried again nor mixed up
    query = stand_in.requests[0]["query"]
    assert "'standard_d4s_v3', 'standard_nc4as_t4_v3'" in query
    assert "disk" not in query


def test_a_subscription_is_named_only_where_nothing_is_found_without() -> None:
    stand_in = Answers([[rate()]], needs_subscription=True)
    assert Graph(stand_in).graph.evictions(*VM)
    assert [body.get("subscriptions") for body in stand_in.requests] == [None, [SUBSCRIPTION]]
    stand_in = Answers([[rate()]])
    assert Graph(stand_in).graph.evictions(*VM)
    assert len(stand_in.requests) == 1


def test_prices_are_in_dollars_and_bands_in_no_currency() -> None:
    graph = Graph(Answers([[rate(), history(0.05)]]), "EUR").graph
    assert graph.spot(*VM) is None
    assert graph.evictions(*VM)


@pytest.mark.parametrize("name", ["Standard_X') | project *", "standard_d4s_v3'", "Basic_A1", ""])
def test_nothing_but_a_name_reaches_the_query(name: str) -> None:
    stand_in = Answers([[rate()]])
    assert Graph(stand_in).graph.evictions(name, "uksouth") is None
    assert Graph(stand_in).graph.evictions("Standard_D4s_v3", f"uksouth'{name}") is None
    assert stand_in.requests == []


def test_a_failure_is_reported_once_and_nothing_is_queried_again() -> None:
    stand_in = Answers(fails="ERROR: AADSTS700082: The refresh token has expired.")
    graph = Graph(stand_in)
    assert graph.graph.spot(*VM) is graph.graph.evictions("Standard_D8s_v3", "uksouth") is None
    assert graph.warnings == [
        (
            "Azure Resource Graph does not answer (ERROR: AADSTS700082: The refresh token has expired.); "
            "eviction rates are assumed"
        )
    ]


@pytest.mark.parametrize("page", ["", "{}", "[]", "null", '{"data": 1}', "[" * 100_000, "<html>"])
def test_garbage_is_a_failure(page: str) -> None:
    graph = Graph(Answers([page]))
    assert graph.graph.evictions(*VM) is None
    assert len(graph.warnings) == 1
    assert re.search("its answer has no rows|printed something unexpected", graph.warnings[0])


def test_pages_end_somewhere() -> None:
    graph = Graph(Answers([[rate()]] * 30))
    assert graph.graph.evictions(*VM) is None
    assert "more than 20 pages" in graph.warnings[0]


def test_a_row_that_cannot_be_read_says_nothing() -> None:
    odd: list[Any] = [1, {}, rate(band="often"), history(), history(None, "x", -1, 0, float("inf"))]
    graph = Graph(Answers([odd]))
    assert graph.graph.spot(*VM) is graph.graph.evictions(*VM) is None
    assert graph.warnings == [
        "standard_d4s_v3 in uksouth: Azure's eviction rate 'often' can't be read and is not used"
    ]


def test_without_the_azure_cli_nothing_is_queried(tmp_path: Path) -> None:
    assert subscription(Az()) is None
    installed(tmp_path / "bin", [], signed_in=False)
    assert subscription(Az()) is None
    with pytest.raises(AzError, match="az login"):
        Az().run("account", "show")


def test_the_azure_cli_signs_and_no_token_comes_into_our_hands(tmp_path: Path) -> None:
    installed(tmp_path / "bin", [rate()])
    result: list[str] = []
    identifier = subscription(Az())
    assert identifier == SUBSCRIPTION
    assert ResourceGraph(identifier, "USD", result.append, Az()).evictions(*VM)
    requested = (tmp_path / "bin" / "requests").read_text(encoding="utf-8")
    assert not re.search("token|login|secret", requested.replace("$skipToken", ""), re.IGNORECASE)
    assert [json.loads(line)[0] for line in requested.splitlines()] == ["account", "rest"]
    assert result == []
