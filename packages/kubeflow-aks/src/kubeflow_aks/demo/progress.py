"""An `up` as a line for each component and each slow resource, made from the engine's output."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.text.numbers import counted

_DONE: Final = re.compile(r"^ *[+~-]+ +(?P<type>\S+) (?P<name>\S+) (?:created|updated|deleted|replaced) \(")
_SLOW: Final = {
    "azure-native:containerservice:ManagedCluster": "AKS cluster",
    "azure-native:containerservice:AgentPool": "agent pool",
}


@dataclass(frozen=True)
class Planned:
    """One resource of the plan."""

    urn: str
    type: str
    name: str

    @property
    def component(self) -> str:
        """The component that it belongs to, or its own type without one."""
        chain = self.urn.split("::")[2].split("$")
        return chain[0].rpartition(":")[2]

    @property
    def is_component(self) -> bool:
        """Whether it only groups other resources."""
        return ":index:" in self.type


class Progress:
    """Reads the engine's lines and reports completed components."""

    def __init__(self, plan: Iterable[Planned], report: Callable[[str], object]) -> None:
        self._report = report
        self._waiting = {
            (resource.type, resource.name): resource for resource in plan if not resource.is_component
        }
        self._totals = Counter(resource.component for resource in self._waiting.values())
        self._left = Counter(self._totals)

    def __call__(self, line: str) -> None:
        """Takes one line."""
        match = _DONE.match(line)
        done = self._waiting.pop((match["type"], match["name"]), None) if match else None
        if done is None:
            return
        self._left[done.component] -= 1
        if done.type in _SLOW:
            self._report(f"{_SLOW[done.type]} {done.name}")
        if not self._left[done.component]:
            self._report(f"{done.component}: {counted(self._totals[done.component], 'resource')}")
