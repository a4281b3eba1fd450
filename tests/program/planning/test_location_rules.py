"""Rules of the region."""

import pytest

import aks_facts
from program.planning.rules.location import location_problems, location_warnings
from tests.program.planning.small_stack import planned, settings


def refusals(location: str) -> list[str]:
    """What is expected instead of a region."""
    return [problem.expected for problem in location_problems(settings(location=location))]


@pytest.mark.parametrize("name", aks_facts.regions())
def test_every_region_is_taken(name: str) -> None:
    assert refusals(name) == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("West Europe", "westeurope"),
        ("WestEurope", "westeurope"),
        ("west-europe", "westeurope"),
        ("europewest", "westeurope"),
        ("us-east-2", "eastus2"),
        ("useast", "eastus"),
        ("US Gov Virginia", "usgovvirginia"),
        ("ChinaNorth3", "chinanorth3"),
    ],
)
def test_another_spelling_of_a_region_is_refused_with_the_right_one(name: str, meant: str) -> None:
    assert refusals(name) == [f"the spelling {meant}"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("westeruope", "westeurope"), ("weteurope", "westeurope"), ("swedencenral", "swedencentral")],
)
def test_a_misspelt_region_is_refused_with_what_was_meant(name: str, meant: str) -> None:
    assert refusals(name) == [f"an Azure region; did you mean {meant}?"]


@pytest.mark.parametrize("name", ["Europa!", "my region", "../etc/passwd", "5", "2026"])
def test_what_is_no_name_of_a_region_is_refused(name: str) -> None:
    assert refusals(name) == ["the name of an Azure region in lower-case letters and digits, like westeurope"]


@pytest.mark.parametrize("name", ["weu", "we", "eu", "europe", "us", "uk", "global", "false", "null"])
def test_a_name_without_a_direction_is_no_region(name: str) -> None:
    assert refusals(name) == [
        "the name of an Azure region, like westeurope; each has north, south, east, west or central in it"
    ]


@pytest.mark.parametrize("name", ["eastus3", "canadawest", "australiawest", "saudiarabiaeast", "taiwannorth"])
def test_a_region_newer_than_the_catalogue_is_taken_with_a_warning(name: str) -> None:
    assert refusals(name) == []
    [warning] = location_warnings(settings(location=name))
    assert warning.startswith(f"location is {name}: not in the catalogue")
    assert warning in planned(location=name).warnings


@pytest.mark.parametrize("name", aks_facts.clouds())
def test_a_region_of_another_cloud_is_taken_with_a_warning(name: str) -> None:
    assert refusals(name) == []
    [warning] = location_warnings(settings(location=name))
    environment, az_cloud = (
        ("china", "AzureChinaCloud") if "china" in name else ("usgovernment", "AzureUSGovernment")
    )
    assert f"set azure-native:environment to {environment} and `az cloud set --name {az_cloud}`" in warning


def test_a_region_on_request_warns() -> None:
    [warning] = location_warnings(settings(location="norwaywest"))
    assert "request access" in warning
    assert list(location_warnings(settings(location="norwayeast"))) == []
