"""The page: promises, timeline, tables. One file; the browser needs nothing else."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from local_aks.demo.observations import Observations
from local_aks.demo.promises import Verdict
from local_aks.demo.report import table
from local_aks.demo.report.svg import svg

_STYLE: Final = Path(__file__).parent / "style.css"

_LEGEND: Final = (
    ('<rect class="node" x="1" y="2" width="24" height="12"/>', "spot", "spot node"),
    ('<rect class="node" x="1" y="2" width="24" height="12"/>', "ondemand", "on-demand node"),
    ('<rect class="booting" x="1" y="2" width="24" height="12"/>', "ondemand", "VM booting"),
    ('<rect class="pod" x="1" y="3" width="24" height="10"/>', "", "pod running (faint: DaemonSet)"),
    ('<rect class="pending" x="1" y="3" width="24" height="10"/>', "", "pod waiting"),
    ('<path class="evicted" d="M13 13l6 -9h-12z"/>', "", "eviction"),
    ('<rect class="soldout" x="1" y="2" width="24" height="12"/>', "", "sold out"),
    ('<rect class="pause" x="1" y="3" width="24" height="10"/>', "", "controller's pause"),
    ('<path class="refused" d="M9 4l8 8M17 4l-8 8"/>', "", "VM refused"),
    ('<line class="backoff" x1="2" x2="25" y1="8" y2="8"/>', "", "autoscaler's back-off"),
    ('<path class="fallback" d="M2 8H22"/>', "", "fallback to on-demand"),
)
"""Shape, class and words."""

_REAL: Final = (
    "Real: the Pulumi engine and the program; etcd, kube-apiserver, kube-controller-manager, kube-scheduler; "
    "Argo's workflow controller and the training operator. "
    "Simulated: Azure, the nodes and what runs on them, the cluster autoscaler, the spot market, and their clock."
)


def page(seen: Observations, verdicts: Sequence[Verdict]) -> str:
    """The whole page as HTML."""
    kept = sum(verdict.kept for verdict in verdicts)
    title = f"{kept} of {len(verdicts)} promises kept"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}: stack {escape(seen.stack)} on a local AKS</title>",
            f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style></head><body>",
            f"<h1>{title}</h1>",
            f'<p class="lead">Stack <b>{escape(seen.stack)}</b> on a local AKS, without Azure. {_REAL}</p>',
            '<ul class="promises">',
            *(_promise(verdict) for verdict in verdicts),
            "</ul>",
            "<h2>What happened</h2>",
            "<figure>",
            svg(seen),
            '<ul class="legend">',
            *(_legend(*entry) for entry in _LEGEND),
            "</ul>",
            f"<figcaption>{_CAPTION}</figcaption></figure>",
            "<h2>Steps</h2>",
            *_table(("", *table.STEP_HEADER), _numbered(table.step_rows(seen))),
            "<h2>Where everything ran</h2>",
            *_table(table.WORK_HEADER, table.work_rows(seen)),
            f"<footer>{_FOOTER}</footer>",
            "</body></html>",
            "",
        ]
    )


_CAPTION: Final = (
    "Numbers on top are the steps below. Nodes, evictions, shortages and scaling are simulated; where each pod went "
    "was decided by the real scheduler. Hover over a bar for its name."
)
_FOOTER: Final = (
    "Everything on this page was computed from what the API server and the simulation's journal showed; it is all in "
    "demo.json beside this file. Created → running is in simulated seconds. The real controllers keep wall time: a "
    "Job waits 10 s before it starts an evicted task again, which is why that takes long here."
)


def _promise(verdict: Verdict) -> str:
    style, mark = ("kept", "✔") if verdict.kept else ("broken", "✘")
    return (
        f'<li class="{style}"><b>{mark}</b><span>{_sentence(verdict.promise)}'
        f"<small>{escape(verdict.seen)}</small></span></li>"
    )


def _sentence(text: str) -> str:
    """Text with a capital and with `code` as HTML."""
    return _code(text[0].upper() + text[1:])


def _code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _legend(shape: str, style: str, words: str) -> str:
    return f'<li class="{style}"><svg viewBox="0 0 26 16" aria-hidden="true">{shape}</svg>{words}</li>'


def _numbered(rows: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    return [(str(number), *row) for number, row in enumerate(rows, start=1)]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield '<div class="scroll"><table><thead><tr>'
    yield "".join(f"<th>{escape(cell)}</th>" for cell in header)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{_code(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"
