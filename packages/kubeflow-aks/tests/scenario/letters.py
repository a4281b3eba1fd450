"""How large the letters of a picture are on a page."""

from __future__ import annotations

import re


def smallest_letters(drawn: str, width: float) -> float:
    """Height in pixels of a picture's smallest letters when the picture has a width."""
    [natural] = set(re.findall(r'<svg [^>]*viewBox="0 0 (\d{3,4}) ', drawn))
    sizes = re.findall(r"font(?:-size)?: ([\d.]+)px", drawn)
    return min(map(float, sizes)) * width / float(natural)
