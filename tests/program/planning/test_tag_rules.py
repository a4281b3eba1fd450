"""Azure's rules of tags."""

from program.planning.rules.tags import tag_problems, tag_warnings
from program.settings import parse
from tests.program.planning.small_stack import refused, settings, stack


def refused_keys(**tags: str) -> list[str]:
    return refused(tag_problems(settings(tags={"owner": "ml", "environment": "dev", **tags})))


def test_fifty_tags_are_taken() -> None:
    assert refused_keys(**{f"tag{index}": "x" for index in range(48)}) == []


def test_one_more_is_not() -> None:
    assert refused_keys(**{f"tag{index}": "x" for index in range(49)}) == ["tags"]


def test_a_long_name_is_refused() -> None:
    assert refused_keys(**{"n" * 512: "x"}) == []
    assert refused_keys(**{"n" * 513: "x"}) == ["tags." + "n" * 513]


def test_a_storage_account_has_shorter_names() -> None:
    for letters, keys in ((128, []), (129, [f"tags.{'n' * 129}"])):
        tags = {"owner": "ml", "environment": "dev", "n" * letters: "x"}
        stack = parse({"tags": tags, "data": {"store": {}}})
        assert refused(tag_problems(stack)) == keys


def test_a_name_with_a_sign_that_azure_refuses() -> None:
    assert [refused_keys(**{f"cost{sign}centre": "x"}) for sign in "<>%&\\?/"] == [
        [f"tags.cost{sign}centre"] for sign in "<>%&\\?/"
    ]


def test_a_long_value_is_refused() -> None:
    assert refused_keys(team="v" * 256) == []
    assert refused_keys(team="v" * 257) == ["tags.team"]


def test_names_that_differ_in_case_only_are_one_to_azure() -> None:
    assert refused_keys(Owner="vision") == ["tags.Owner"]


def test_a_control_character_is_refused_in_a_name() -> None:
    assert refused_keys(**{"cost\tcentre": "x"}) == ["tags.cost\tcentre"]


def test_a_tag_has_a_name() -> None:
    assert refused_keys(**{"": "x"}) == refused_keys(**{" ": "x"}) == ["tags"]


def test_beginnings_that_azure_keeps_are_refused() -> None:
    names = ("microsoft-id", "Azure", "azure_team", "WINDOWS")
    assert [refused_keys(**{name: "x"}) for name in names] == [[f"tags.{name}"] for name in names]
    assert refused_keys(**{"azd-env-name": "x", "team.azure": "x", "my-windows": "x"}) == []


def warned(private: bool, more: int) -> list[str]:
    keys = stack(apiAccess={"privateCluster": private})
    keys["tags"] |= {f"tag{index}": "x" for index in range(more)}
    return list(tag_warnings(settings(**keys)))


def test_a_private_cluster_has_fifteen_tags() -> None:
    assert warned(private=True, more=13) == warned(private=False, more=40) == []
    assert warned(private=True, more=14) == [
        (
            "tags are 16 while apiAccess.privateCluster is true: AKS puts them on the cluster's private DNS zone, "
            "which takes 15; leave some out"
        )
    ]


def test_a_control_character_in_a_value_is_reported() -> None:
    keys = stack()
    keys["tags"] |= {"purpose": "training\n", "team": "a\tb\x1b", "plain": "Zürich – 7 % / <ok>"}
    assert list(tag_warnings(settings(**keys))) == [
        (
            f"tags.{name} has control characters ({signs}): no page of Azure says that a value may; write it in one "
            "line, without `|` before it"
        )
        for name, signs in (("purpose", "\\n"), ("team", "\\t, \\x1b"))
    ]
