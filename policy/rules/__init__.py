"""This product's own promises as rules, one module a subject."""

from typing import Final

from policy.rule import Rule

RULES: Final[tuple[Rule, ...]] = ()
