"""Colours of every picture: what is on demand, on spot, and what belongs to the cluster itself."""

from typing import Final

INK: Final = "#111827"
SOFT: Final = "#4b5563"
FAINT: Final = "#d1d5db"
SYSTEM: Final = ("#e5e7eb", "#6b7280")
ON_DEMAND: Final = ("#dbeafe", "#1d4ed8")
SPOT: Final = ("#ffedd5", "#c2410c")
"""Fill and line; what is on spot has a dashed line."""
