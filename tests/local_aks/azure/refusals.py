"""Azure's rules by name, and what their refusals look like."""

from typing import Any

from local_aks.azure.admission import TABLES
from local_aks.azure.arm import ArmError
from local_aks.azure.rules.rule import Rule

RULES: dict[str, Rule[Any]] = {rule.id: rule for table in TABLES.values() for rule in table}


def refusal(rule_id: str, error: ArmError, words: str = "") -> None:
    """The error is the one of a rule, and says so in the rule's words."""
    rule = RULES[rule_id]
    assert (error.status, error.code) == (rule.status, rule.code), error
    assert rule.message.split("{")[0] in error.message
    assert words in error.message
