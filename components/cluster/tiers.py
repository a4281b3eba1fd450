"""What the tier of a control plane excludes, and what needs a tier. Pure."""

from collections.abc import Iterator

from ..arguments.mistakes import Mistake


def cost_analysis_mistakes(tier: str, enabled: bool | None) -> Iterator[Mistake]:  # noqa: FBT001 - called by `rule`
    """The tier Free has no cost analysis (cost-analysis.md, "Prerequisites", 2026-07-29)."""
    if enabled and tier == "Free":
        expected = "false, or the tier Standard or Premium, because Free has no cost analysis"
        yield Mistake("costAnalysis", enabled, expected)


def long_term_support_mistakes(tier: str, plan: str) -> Iterator[Mistake]:
    """Long-term support needs the tier Premium (long-term-support.md)."""
    if plan == "AKSLongTermSupport" and tier != "Premium":
        yield Mistake("tier", tier, "Premium, because long-term support needs that tier")
