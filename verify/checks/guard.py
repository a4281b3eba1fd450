"""The API server refuses what would be evicted with the platform, and nothing else; it was asked by dry runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deployed.outputs import Outputs
from verify.findings import Told, broken, kept, names, one_line, unseen
from verify.probes import PROBES
from verify.seen import NotSeenError, Seen

_POLICY: Final = "kubeflow-aks-keep-off-spot"
_RESTORE: Final = "run `pulumi up --refresh`, which makes ValidatingAdmissionPolicy and binding anew"


def refuses(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Each probe was answered as it should be."""
    if not outputs.basis("kubeflow", "guards"):
        yield unseen("the stack has no guard (kubeflow.guards: false)")
        return
    if not seen.guard:
        raise NotSeenError("nobody has asked")
    right: list[str] = []
    for probe in PROBES:
        if probe.name not in seen.guard:
            continue
        answer = seen.guard[probe.name]
        if answer.found is None:
            yield unseen(
                f"whether {probe.name} is {probe.expected} can't be seen here: {one_line(answer.why)}"
            )
        elif answer.found and _POLICY not in answer.found:
            yield unseen(
                f"whether {probe.name} is {probe.expected} can't be seen here, for something else refuses it: "
                f"{one_line(answer.found)}"
            )
        elif bool(answer.found) == probe.refused:
            right.append(probe.name)
        elif probe.refused:
            yield broken(f"{probe.name} is let in, so an eviction could take it", _RESTORE)
        else:
            yield broken(f"{probe.name} is refused: {one_line(answer.found)}", _RESTORE)
    if right:
        refused = [probe.name for probe in PROBES if probe.refused and probe.name in right]
        let_in = [probe.name for probe in PROBES if not probe.refused and probe.name in right]
        told = [
            f"{verb} {names(found)}" for verb, found in (("refuses", refused), ("lets in", let_in)) if found
        ]
        yield kept(f"asked by dry runs, the API server {', and '.join(told)}")
