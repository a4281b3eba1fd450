"""What is wrong with one argument. Pure data: `errors` makes an exception of it."""

import json
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Mistake:
    """One argument that cannot be used."""

    key: str
    """Path of the argument as Pulumi's schema names it, for instance `pools[1].maxPrice`."""
    value: object
    """The value of the argument; None where it is missing."""
    expected: str
    """What is allowed, in words that follow "expected"."""

    @property
    def reason(self) -> str:
        """The mistake without its key."""
        found = "missing" if self.value is None else f"{json.dumps(self.value, default=repr)} is not allowed"
        return f"{found}; expected {self.expected}"

    def within(self, path: str) -> "Mistake":
        """The mistake of an argument that is part of another one, whose path is this."""
        return replace(self, key=f"{path}.{self.key}")

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}"
