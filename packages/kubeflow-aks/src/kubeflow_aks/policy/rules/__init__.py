"""This product's own rules, one module for each subject.

They are written from the documents that they cite and share no code with `planning`, so that they find its mistakes. An
unknown value makes a rule undecided, unless the rule handles it.
"""

from typing import Final

from kubeflow_aks.policy.rule import Rule
from kubeflow_aks.policy.rules import expander, guard, pools, protection, secrets, spot, tags

RULES: Final[tuple[Rule, ...]] = (
    *spot.RULES,
    *pools.RULES,
    *expander.RULES,
    *guard.RULES,
    *protection.RULES,
    *tags.RULES,
    *secrets.RULES,
)
