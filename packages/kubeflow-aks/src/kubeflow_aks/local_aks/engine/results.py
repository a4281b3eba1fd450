"""What the engine did, as plain data, put together from its event stream."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pulumi.automation.events import EngineEvent, StepEventMetadata

_REFRESH: Final = "refresh"
_MOST_MESSAGES: Final = 1000
"""Kept messages of one severity; a program in a loop sends thousands."""
_UNCHANGED: Final = frozenset({"same", "read", _REFRESH})


@dataclass(frozen=True)
class Step:
    """One step on one resource; a replacement takes several.

    Attributes:
        op: the engine's name of it: same, create, update, delete, replace, create-replacement, delete-replaced, …
        replace_keys: input properties that force a replacement.
        inputs: what the resource will have been given; secrets and what only an `up` knows are placeholders.
        old_inputs: what it was given before.
        outputs: what it will have; of the stack itself, its outputs.
        differences: property path to add, delete, update, add-replace, delete-replace or update-replace.
        protect: whether the engine refuses to delete it from then on.
        done: whether it succeeded; a step that failed or was never reached is not.
    """

    urn: str
    type: str
    op: str
    replace_keys: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    old_inputs: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    differences: Mapping[str, str] = field(default_factory=dict[str, str])
    protect: bool = False
    done: bool = False

    @property
    def name(self) -> str:
        """The resource's name in the program."""
        return self.urn.rsplit("::", 1)[-1]


@dataclass(frozen=True)
class Message:
    """A message of the engine or a provider; `urn` is empty if it is about no resource."""

    severity: str
    urn: str
    text: str


@dataclass(frozen=True)
class Result:
    """One engine operation.

    Attributes:
        operation: preview, up, refresh or destroy.
        changes: op to number of resources, as the engine sums up.
        steps: in the order in which the engine began them.
        messages: warnings and errors.
        console: all that the engine printed.
        seconds: wall time.
    """

    operation: str
    changes: Mapping[str, int]
    steps: tuple[Step, ...]
    messages: tuple[Message, ...]
    console: str
    seconds: float

    def changed(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.op not in _UNCHANGED)

    def errors(self) -> tuple[str, ...]:
        """The messages of severity error, of the program, the providers and the engine."""
        return tuple(message.text for message in self.messages if message.severity == "error")


class Recording:
    """Collects one operation's events; the Automation API calls it from its own threads, one event at a time."""

    def __init__(self) -> None:
        self.changes: dict[str, int] = {}
        self.steps: list[Step] = []
        self.messages: list[Message] = []
        self._counts = Counter[str]()

    def __call__(self, event: EngineEvent) -> None:
        """Takes the next event."""
        if event.resource_pre_event:
            self.steps.append(_step(event.resource_pre_event.metadata))
        if event.res_outputs_event:
            self._finish(_step(event.res_outputs_event.metadata))
        message = event.diagnostic_event
        if message and message.severity in {"warning", "error"}:
            self._counts[message.severity] += 1
            if self._counts[message.severity] <= _MOST_MESSAGES:
                self.messages.append(Message(message.severity, message.urn or "", message.message.strip()))
        if event.summary_event:
            self.changes = {_text(op): count for op, count in event.summary_event.resource_changes.items()}

    def _finish(self, finished: Step) -> None:
        """Marks a begun step as done; what a refresh found is known only then. Components finish twice."""
        for index, step in enumerate(self.steps):
            if step.urn == finished.urn and step.op in {finished.op, _REFRESH}:
                self.steps[index] = replace(finished, done=True)
                return


def _step(metadata: StepEventMetadata) -> Step:
    new, old = metadata.new, metadata.old
    return Step(
        urn=metadata.urn,
        type=metadata.type,
        op=_text(metadata.op),
        replace_keys=tuple(metadata.keys or ()),
        inputs=(new.inputs if new else None) or {},
        old_inputs=(old.inputs if old else None) or {},
        outputs=(new.outputs if new else None) or {},
        protect=bool(new and new.protect),
        differences={path: _text(diff.diff_kind) for path, diff in (metadata.detailed_diff or {}).items()},
    )


def _text(value: str) -> str:
    """The engine's name for an operation or a difference; the Automation API gives some of them as enums."""
    return str(getattr(value, "value", value))
