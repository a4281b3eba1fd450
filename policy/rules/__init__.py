"""This product's own promises as rules, one module a subject.

They are written from the documents that they name and share no code with `planning`, so that a mistake there is found
here. A value that is not known leaves a rule undecided, unless the rule says something else.
"""

from typing import Final

from policy.rule import Rule
from policy.rules import expander, guard, pools, protection, secrets, spot, tags

RULES: Final[tuple[Rule, ...]] = (
    *spot.RULES,
    *pools.RULES,
    *expander.RULES,
    *guard.RULES,
    *protection.RULES,
    *tags.RULES,
    *secrets.RULES,
)
