"""What long-term support of a Kubernetes version needs. Pure."""

from collections.abc import Iterator

from ..arguments.mistakes import Mistake


def long_term_support_mistakes(tier: str, plan: str) -> Iterator[Mistake]:
    """Long-term support needs the tier Premium (long-term-support.md)."""
    if plan == "AKSLongTermSupport" and tier != "Premium":
        yield Mistake("tier", tier, "Premium, because long-term support needs that tier")
