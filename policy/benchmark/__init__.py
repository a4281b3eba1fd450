"""Public rules of others (Checkov, Azure Policy, CIS, Kyverno and more), one module a subject."""

from typing import Final

from policy.rule import Rule

RULES: Final[tuple[Rule, ...]] = ()
