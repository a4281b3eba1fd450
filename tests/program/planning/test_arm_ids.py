"""ARM ids of registries and route tables."""

import pytest

from components.azure.arm_ids import REGISTRY, ROUTE_TABLE, arm_id_mistakes

IDS = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/net-rg/providers"
TABLE = f"{IDS}/Microsoft.Network/routeTables/to-firewall"
TEAM = f"{IDS}/Microsoft.ContainerRegistry/registries/teamimages"


def refusals(text: str, kind: str = "registry") -> list[str]:
    kind_of_resource = ROUTE_TABLE if kind == "table" else REGISTRY
    return [problem.expected for problem in arm_id_mistakes("key", text, kind_of_resource)]


@pytest.mark.parametrize(
    "text",
    [
        TEAM,
        TEAM.lower(),
        TEAM.upper(),
        TEAM.replace("net-rg", "Größe_(1).x"),
        TEAM.replace("teamimages", "a2345"),
    ],
)
def test_an_id_is_one_in_any_case(text: str) -> None:
    assert refusals(text) == []


@pytest.mark.parametrize("name", ["t", "to-firewall_1.x", "1" * 80])
def test_a_route_table_has_more_names(name: str) -> None:
    assert refusals(TABLE.replace("to-firewall", name), "table") == []


@pytest.mark.parametrize(
    "text", ["", "team", TABLE, TEAM + "/", TEAM.removeprefix("/"), f"{TEAM}/tokens/x", "team.azurecr.io"]
)
def test_what_has_another_form_is_refused_with_the_form(text: str) -> None:
    assert refusals(text) == [
        "/subscriptions/<subscription>/resourceGroups/<group>/providers/Microsoft.ContainerRegistry/registries/<name>"
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "0a1b2c3d-0000-0000-0000-000000000000",
            "production",
            "whose subscription is a GUID, not 'production'",
        ),
        ("net-rg", "", "whose group is a name that Azure allows, not ''"),
        ("net-rg", "net-rg.", "whose group is a name that Azure allows, not 'net-rg.'"),
        ("net-rg", "n" * 91, "whose group is a name that Azure allows"),
        ("teamimages", "team", "whose name has 5 to 50 letters and digits, unlike 'team'"),
        ("teamimages", "team-images", "unlike 'team-images'"),
        ("teamimages", "t" * 51, "whose name has 5 to 50 letters and digits"),
    ],
)
def test_the_part_that_is_wrong_is_named(old: str, new: str, words: str) -> None:
    [allowed] = refusals(TEAM.replace(old, new))
    assert words in allowed
