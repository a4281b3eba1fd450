"""How our pictures are drawn: SVG of matplotlib that is the same every time, with its text as text.

White ground of its own, so that it can be read on a dark page; title and description for screen readers.
"""

import os
import secrets
import shutil
import tempfile
import textwrap
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from kubeflow_aks.cost.formatting import money
from kubeflow_aks.text.palette import FAINT, INK, SOFT

WIDTH: Final = 480
"""Pixels: few, so that letters are as high as those of a page where a phone shows it on 390."""
MARGIN: Final = 20
SMALL: Final = 13
"""Pixels of the smallest letters; with the width they are 10.5 on a phone."""
LETTER: Final = 7.7
"""Pixels of one small letter, roughly."""
LINE: Final = 20
_TITLE: Final = 16
_TITLE_LETTER: Final = 10.0
_INCH: Final = 72
"""Pixels of the picture in one inch: a font size is in pixels then."""
_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_STYLE: Final[dict[str, Any]] = {
    "svg.fonttype": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: text is measured alike everywhere
    "font.size": SMALL,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "grid.color": FAINT,
    "text.parse_math": False,  # a dollar sign is a dollar sign
}


LegendEntry = tuple[dict[str, Any], str]
"""How a box or a line is painted, in matplotlib's words, and what it means."""
_SAMPLE: Final = 32


def heading_height(title: str, subtitle: str) -> int:
    """Pixels of a title and a subtitle with the margin above and below."""
    return MARGIN * 2 + LINE * (len(_wrapped(title, _TITLE_LETTER)) + len(_wrapped(subtitle, LETTER)) - 1)


def legend_height(entries: Sequence[LegendEntry]) -> int:
    """Pixels of a legend with the margin below."""
    return MARGIN + LINE * sum(len(_wrapped(words, LETTER, _SAMPLE)) for _, words in entries)


def _wrapped(words: str, letter: float, indent: int = 0) -> list[str]:
    return textwrap.wrap(words, int((WIDTH - 2 * MARGIN - indent) / letter)) or [""]


class Drawing:
    """One picture while it is drawn; of matplotlib's types a strict check knows too little."""

    def __init__(self, height: int, margins: tuple[int, int, int, int]) -> None:
        """`margins` are pixels: left, right, top, bottom."""
        from matplotlib.figure import Figure  # noqa: PLC0415 - half a second that only pictures need

        left, right, top, bottom = margins
        self.height = height
        self.figure: Any = Figure(figsize=(WIDTH / _INCH, height / _INCH), dpi=_INCH)
        self.figure.subplots_adjust(left / WIDTH, bottom / height, 1 - right / WIDTH, 1 - top / height)
        self.axes: Any = self.figure.add_subplot()

    def text(self, x: float, y: float, words: str, **style: Any) -> None:
        """Words at so many pixels from the left and the top."""
        self.figure.text(x / WIDTH, 1 - y / self.height, words, va="center", **style)

    def heading(self, title: str, subtitle: str) -> None:
        """Both at the top, as high as `heading_height` says."""
        lines = [(words, {"size": _TITLE, "weight": "bold"}) for words in _wrapped(title, _TITLE_LETTER)]
        lines += [(words, {"color": SOFT}) for words in _wrapped(subtitle, LETTER)]
        for number, (words, style) in enumerate(lines):
            self.text(MARGIN, MARGIN + number * LINE, words, **style)

    def legend(self, top: float, entries: Sequence[LegendEntry]) -> None:
        """Entries one below the other from so many pixels below the top on, as high as `legend_height` says."""
        from matplotlib.lines import Line2D  # noqa: PLC0415 - half a second that only pictures need
        from matplotlib.patches import Rectangle  # noqa: PLC0415

        y = top + LINE / 2
        for paint, words in entries:
            at = 1 - y / self.height
            if "facecolor" in paint:
                place = MARGIN / WIDTH, at - 6 / self.height
                self.figure.add_artist(Rectangle(place, 18 / WIDTH, 12 / self.height, **paint))
            else:
                self.figure.add_artist(Line2D([MARGIN / WIDTH, (MARGIN + 24) / WIDTH], [at, at], **paint))
            for line in _wrapped(words, LETTER, _SAMPLE):
                self.text(MARGIN + _SAMPLE, y, line, color=SOFT)
                y += LINE

    def svg(self, title: str, description: str) -> str:
        """The picture as a document of its own."""
        sink = StringIO()
        self.figure.savefig(sink, format="svg", metadata={"Date": None, "Creator": None})
        return _described(sink.getvalue(), title, description)


@contextmanager
def style(salt: str) -> Generator[None]:
    """The style of every picture; `salt` makes the ids of two pictures on one page differ."""
    with ExitStack() as undone:
        if "MPLCONFIGDIR" not in os.environ:  # without it matplotlib writes a font cache into the user's home
            folder = Path(tempfile.gettempdir(), f"pictures-{secrets.token_hex(16)}")
            # Before matplotlib makes it: a signal may come between the two.
            undone.callback(shutil.rmtree, folder, ignore_errors=True)
            os.environ["MPLCONFIGDIR"] = str(folder)
            undone.callback(os.environ.pop, "MPLCONFIGDIR")
        import matplotlib  # noqa: PLC0415 - half a second that only pictures need

        settings: dict[Any, Any] = {**_STYLE, "svg.hashsalt": salt}
        undone.enter_context(matplotlib.rc_context(settings))  # pyright: ignore[reportUnknownMemberType]
        yield


def round_money(currency: str) -> Callable[[float, int], str]:
    """Writes the amounts of an axis: `$0`, `$0.50`, `$200`."""

    def written(amount: float, _: int) -> str:
        return money(amount, currency).replace(".00", "")

    return written


def _described(document: str, title: str, description: str) -> str:
    """The document with a title and a description for screen readers, without the metadata of matplotlib."""
    ElementTree.register_namespace("", _NAMESPACE)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(document)  # noqa: S314 - we have just written it
    for child in [element for element in root if element.tag == f"{{{_NAMESPACE}}}metadata"]:
        root.remove(child)
    for side in ("width", "height"):
        root.set(side, root.get(side, "").removesuffix("pt"))  # points would be drawn a third larger
    root.set("role", "img")
    root.set("aria-labelledby", "title description")
    for place, (tag, words) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(f"{{{_NAMESPACE}}}{tag}", id={"desc": "description"}.get(tag, tag))
        element.text = words
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
