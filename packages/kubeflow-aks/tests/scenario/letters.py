"""How large the letters of a picture are on a page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def smallest_letters(drawn: str, width: float) -> float:
    """Height in pixels of a picture's smallest letters when the picture has a width."""
    [natural] = set(re.findall(r'<svg [^>]*viewBox="0 0 (\d{3,4}) ', drawn))
    sizes = re.findall(r"font(?:-size)?: ([\d.]+)px", drawn)
    return min(map(float, sizes)) * width / float(natural)


def letters_on_a_phone(drawn: str) -> dict[str, float]:
    """Height in pixels of a picture's letters by their class, when it is 390 wide."""
    root = ElementTree.fromstring(drawn)  # noqa: S314 - our own
    sizes: dict[str, float] = {}
    for selectors, rules in re.findall(r"([^{}]+)\{([^{}]*)\}", root.findtext(f"{SVG}style") or ""):
        if size := re.search(r"font(?:-size)?: ([\d.]+)px", rules):
            sizes |= {part.split()[-1].lstrip("."): float(size[1]) for part in selectors.split(",")}
    scale = 390 / float(root.attrib["viewBox"].split()[2])
    styles = {element.get("class", "") for element in root.iter(f"{SVG}text")}
    return {style: sizes.get(style, sizes["text"]) * scale for style in styles}
