"""Azure's rules of tags."""

from planning.tag_rules import tag_problems
from tests.planning.given import refused, settings


def told(**tags: str) -> list[str]:
    return refused(tag_problems(settings(tags={"owner": "ml", "environment": "dev", **tags})))


def test_fifty_tags_are_taken() -> None:
    assert told(**{f"tag{index}": "x" for index in range(48)}) == []


def test_one_more_is_not() -> None:
    assert told(**{f"tag{index}": "x" for index in range(49)}) == ["tags"]


def test_a_long_name_is_refused() -> None:
    assert told(**{"n" * 512: "x"}) == []
    assert told(**{"n" * 513: "x"}) == ["tags." + "n" * 513]


def test_a_name_with_a_sign_that_azure_refuses() -> None:
    assert [told(**{f"cost{sign}centre": "x"}) for sign in "<>%&\\?/"] == [
        [f"tags.cost{sign}centre"] for sign in "<>%&\\?/"
    ]


def test_a_long_value_is_refused() -> None:
    assert told(team="v" * 256) == []
    assert told(team="v" * 257) == ["tags.team"]


def test_names_that_differ_in_case_only_are_one_to_azure() -> None:
    assert told(Owner="vision") == ["tags.Owner"]
