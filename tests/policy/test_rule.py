"""What a rule says of resources, one by one and all together."""

from policy.rule import Resource, Rule

_POOL = Resource("urn:pool", "pool", "a", {"size": 3})
_OTHER = Resource("urn:other", "other", "b", {"size": 3})


def test_a_rule_of_one_type_looks_at_no_other() -> None:
    rule = Rule(
        "small", "Pools are small.", "our own test", type="pool", each=lambda one: [one.inputs["size"]]
    )
    assert [(it.urn, it.message) for it in rule.violations([_POOL, _OTHER])] == [("urn:pool", 3)]


def test_a_rule_of_the_stack_sees_all_resources_at_once() -> None:
    rule = Rule(
        "few", "There are few.", "our own test", every=lambda all_: [("", f"{len(all_)} are too many")]
    )
    assert [(it.urn, it.message) for it in rule.violations([_POOL, _OTHER])] == [("", "2 are too many")]
