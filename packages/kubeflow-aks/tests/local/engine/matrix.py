"""`docs/change-matrix.md`: what the engine and Azure answer to each edit, as rows of a table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pulumi.runtime import rpc

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import EngineError, Result, Step
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.pull_request.refusals import goals_of, trial
from tests.local.engine.deployment import TODAY, Deployment
from tests.local.engine.edits import STACK, Edit
from tests.local.engine.grouping import merged, together

FILE: Final = PROJECT_ROOT / "docs" / "change-matrix.md"
CLUSTER_REPLACED: Final = "**replaces the cluster**"
REFUSED_BY_PROGRAM: Final = "refused by the program"
_ENGINES_OWN: Final = "Preview failed"
"""How a sentence begins with which the engine stops a program that accepts the settings."""
_REFUSED_BY_AZURE: Final = "**refused by Azure**"
_REPLACING: Final = frozenset({"replace", "create-replacement", "delete-replaced"})
_CLUSTER, _POOL = (kind.rpartition(":")[2] for kind in (MANAGED_CLUSTER, AGENT_POOL))
_HEAD: Final = f"""\
# What an edit of a stack file changes

<!-- Written by the tests, which also fail when an answer differs from this file:
CHANGE_MATRIX=write pytest --local packages/kubeflow-aks/tests/local/engine/test_change_matrix.py -->

At least one row for each setting, computed by the real Pulumi engine: the `{STACK}` stack is deployed on the local AKS,
and `pulumi preview` runs with the edit. Its steps are then put to the simulated Azure, which knows AKS's rules about
what may change, as `./kubeflow-aks diff` does.

* **nothing**: no resource changes.
* **update**: in place.
* **replaces pools**: deleted, then made anew; the nodes of these pools go, all others stay.
* **adds or removes pools**: all others stay as they are.
* **other resources only**: objects in the cluster or small resources beside it are added, removed or replaced.
* {CLUSTER_REPLACED}: the cluster and all in it are lost. On a protected stack (`protect: true`, the default)
  the engine refuses these edits and deletes nothing; what the new cluster would need may have been made by then.
  Azure itself can change `network.policy` and `network.outboundType` in place, past Pulumi: see
  [engines](how-to/choose-a-network-policy-engine.md#a-running-cluster) and
  [outbound routing](how-to/change-outbound-routing.md).
* **refused by the program**: before anything is created, with the sentence given here.
* {_REFUSED_BY_AZURE}: Azure does not change that; `pulumi up` fails with Azure's words and leaves things as they are.
  So it does with the range of any subnet once there are nodes in it; the two for batch work have none here.

A preview also shows role assignments as replaced whenever the cluster or its identity is updated, for it cannot know
that their principals stay. `pulumi up` finds them unchanged; they are left out here.
"""


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    edit: str
    outcome: str
    details: str

    def __str__(self) -> str:
        return f"| `{self.edit}` | {self.outcome} | {self.details} |".replace("\n", " ")


@dataclass(frozen=True)
class Change:
    """One property of one resource that changes, or the resource as a whole.

    Attributes:
        op: `create`, `update`, `replace` or `delete`.
        kind: the last part of the resource's type.
        name: as rows show it.
        path: the property; empty for the resource as a whole.
    """

    op: str
    kind: str
    name: str
    path: str


LISTED: Final = re.compile(r"^\| `(.*)` \| (.*?) \| (.*) \|$", re.MULTILINE)
_CHANGE: Final = re.compile(r"(create|update|replace|delete) (\w+)(?: ([^()]+))?(?: \((.*)\))?")


def listed(document: str) -> dict[str, Row]:
    """The rows of edits in the document, by the edit's text; upgrades are left out."""
    edits = document.partition(_UPGRADES)[0]
    return {row[1]: Row(*row.groups()) for row in LISTED.finditer(edits)}


@cache
def parts(row: Row) -> frozenset[Change | str]:
    """What the details of a row state one by one: changes, or sentences of a refusal."""
    return frozenset(part for sentence in row.details.split("; ") if sentence for part in _parts(sentence))


def _parts(sentence: str) -> Iterable[Change | str]:
    if not (match := _CHANGE.fullmatch(sentence)):
        return [sentence]
    op, kind, names, paths = match.groups(default="")
    pairs = itertools.product(names.split(", "), paths.split(", "))
    return [Change(op, kind, name, path) for name, path in pairs]


@cache
def several_at_once(row: Row) -> bool:
    """Whether the row of several edits at once has the parts of this one, and the outcome follows from its parts."""
    if row.outcome == REFUSED_BY_PROGRAM:
        return not row.details.startswith(_ENGINES_OWN)
    changes = [part for part in parts(row) if isinstance(part, Change)]
    outcome = _outcome({(change.op, change.kind) for change in changes})
    return len(changes) == len(parts(row)) and row.outcome == outcome


def hidden(one: Row, other: Row) -> bool:
    """Whether a row of both edits at once could hide a part of one."""
    ours, theirs = parts(one), parts(other)
    of_its_own = (REFUSED_BY_PROGRAM, CLUSTER_REPLACED)
    if not (several_at_once(one) and several_at_once(other)):
        return True
    if ours & theirs or any((one.outcome == it) != (other.outcome == it) for it in of_its_own):
        return True
    if _changes_contract(ours) != _changes_contract(theirs):
        return True
    return any(
        (left.kind, left.name) == (right.kind, right.name) and left.op != right.op
        for left, right in itertools.product(ours, theirs)
        if isinstance(left, Change) and isinstance(right, Change)
    )


def _changes_contract(changes: Collection[object]) -> bool:
    """Whether the contract's ConfigMap changes, which most settings of pools could change beside what a row states."""
    return any(
        isinstance(it, Change) and (it.kind, it.name) == ("ConfigMap", "agent-pools") for it in changes
    )


def row(edit: Edit, deployed: Deployment) -> Row:
    """What happens to a deployed stack at an edit; nothing changes by asking."""
    with TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        try:
            preview = deployed.engine(**edit.config()).preview(plan=plan)
        except EngineError as refusal:
            return Row(edit.text, REFUSED_BY_PROGRAM, _reasons(str(refusal)))
        refusals = trial(preview.steps, goals_of(plan), deployed.run.azure, TODAY).refused
    steps = _changing(preview)
    outcome = _outcome({(_op(step), _kind(step)) for step in steps})
    if outcome != CLUSTER_REPLACED and refusals:
        return Row(edit.text, _REFUSED_BY_AZURE, f"{refusals[0].code}: {refusals[0].message}")
    return Row(edit.text, outcome, _details(steps, all_of_them=outcome != CLUSTER_REPLACED))


def confirmed(edits: Iterable[Edit], deployed: Deployment) -> dict[Edit, Row]:
    """The document's rows that previews of several edits at once confirm.

    Edits are tried at once if they have no setting and their rows no change in common, for then none can hide another.
    """
    document = listed(FILE.read_text(encoding="utf-8"))
    rows = {edit: document[edit.text] for edit in edits if edit.text in document}
    rows = {edit: stated for edit, stated in rows.items() if several_at_once(stated)}

    def confirm(group: Sequence[Edit]) -> Iterable[Edit]:
        expected = frozenset[object]().union(*(parts(rows[edit]) for edit in group))
        if parts(row(merged(group), deployed)) == expected:
            return group
        half = len(group) // 2
        return [*confirm(group[:half]), *confirm(group[half:])] if half else ()

    groups = together(rows, lambda one, other: hidden(rows[one], rows[other]))
    return {edit: rows[edit] for group in groups for edit in confirm(group)}


_UPGRADES: Final = """
## Upgrades of Kubernetes

The same stack on older minors, with long-term support, and between the edits [upgraded](how-to/upgrade-kubernetes.md).
A patch that AKS's channel has applied changes nothing in a preview.

| the stack has | edit | outcome | what changes |
|---|---|---|---|"""


def document(rows: Mapping[Edit, Row], upgrades: Sequence[tuple[Edit, Row]]) -> str:
    """The whole file; of the upgrades each edit's row with the stack's settings before it."""
    replacing = [f"* `{row.edit}`" for row in rows.values() if row.outcome == CLUSTER_REPLACED]
    parts = [_HEAD, "Edits that replace the cluster:\n", *replacing]
    for section, edits in itertools.groupby(rows, lambda edit: edit.path.split(".")[0]):
        lines = [str(rows[edit]) for edit in edits]
        parts += [f"\n## {section}\n", "| edit | outcome | what changes |", "|---|---|---|", *lines]
    parts += [_UPGRADES, *(f"| `{before.text}` {row}" for before, row in upgrades)]
    return "\n".join(parts) + "\n"


def _changing(preview: Result) -> list[Step]:
    """The most telling step of each resource that changes, in a fixed order."""
    steps: dict[str, Step] = {}
    for step in preview.changed():
        if step.urn not in steps or step.differences:
            steps[step.urn] = step
    certain_steps = (step for step in steps.values() if not _only_perhaps(step))
    return sorted(certain_steps, key=lambda step: (_op(step), step.type, step.urn))


def _only_perhaps(step: Step) -> bool:
    """Whether a resource is replaced only if a value that the preview does not know is another one."""
    forcing = _because(step)
    return (
        _op(step) == "replace"
        and bool(forcing)
        and all(step.inputs.get(path) == rpc.UNKNOWN for path in forcing)
    )


def _op(step: Step) -> str:
    return "replace" if step.op in _REPLACING else step.op


def _kind(step: Step) -> str:
    return step.type.rpartition(":")[2]


def _because(step: Step) -> Sequence[str]:
    """The properties that change; of a replacement, those that force it."""
    replaced = _op(step) == "replace"
    return sorted(
        path for path, kind in step.differences.items() if not replaced or kind.endswith("-replace")
    )


def _outcome(changes: Collection[tuple[str, str]]) -> str:
    """The outcome of steps and kinds of resources."""
    if ("replace", _CLUSTER) in changes:
        return CLUSTER_REPLACED
    if ("replace", _POOL) in changes:
        return "replaces pools"
    if not changes:
        return "nothing"
    if ("create", _POOL) in changes or ("delete", _POOL) in changes:
        return "adds or removes pools"
    return "update" if {op for op, _ in changes} == {"update"} else "other resources only"


def _details(steps: Sequence[Step], *, all_of_them: bool) -> str:
    """What happens to which resources and why; of a replaced cluster only what began it."""
    if not all_of_them:
        steps = [step for step in steps if _op(step) == "replace" and _because(step)]
    groups = itertools.groupby(steps, lambda step: (_op(step), _kind(step), _because(step)))
    return "; ".join(_sentence(*key, [_name(step) for step in group]) for key, group in groups)


def _sentence(op: str, kind: str, because: Sequence[str], names: Sequence[str]) -> str:
    of = f" {', '.join(filter(None, names))}" if any(names) else ""
    return f"{op} {kind}{of}" + (f" ({', '.join(because)})" if because else "")


def _name(step: Step) -> str:
    """A resource's name without what all have in common."""
    return step.name.removeprefix(f"kubeflow-aks-{STACK}").lstrip("-")


def _reasons(refusal: str) -> str:
    """The program's sentences, or the engine's where it stopped the program, without those that frame them."""
    _, its_own, message = refusal.partition("nothing was created:\n")
    if not its_own:
        _, _, message = refusal.partition("failed:\n")
    frame = ("an unhandled error", "preview failed")
    return "; ".join(itertools.takewhile(lambda line: not line.startswith(frame), message.splitlines()))
