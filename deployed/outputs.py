"""A stack's outputs: read from the engine or from a file, looked through at once, and kept as what they mean."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from deployed.errors import StackError
from kube.objects import is_object

_LAST_LINES: Final = 2
_LONGEST_NAME: Final = 80
_MASK: Final = "[secret]"
"""What the engine writes for a secret that nobody asked to see."""


@dataclass(frozen=True)
class Outputs:
    """The outputs of one stack; secrets among them show up in no `repr`.

    Attributes:
        stack: its name.
        values: every output by name, JSON types, secrets in plain text.
    """

    stack: str
    values: Mapping[str, Any] = field(repr=False)

    def text(self, name: str) -> str:
        """An output that is text.

        Raises:
            StackError: it is not there, or something else.
        """
        value = self._value(name)
        if not isinstance(value, str):
            raise self._form(name, "text")
        if value == _MASK:
            raise StackError(f"{self.stack}: output {name} is masked; read the outputs with --show-secrets")
        return value

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An output that is an object.

        Raises:
            StackError: it is not there, or something else.
        """
        value = self._value(name)
        if not is_object(value):
            raise self._form(name, "an object")
        return value

    def pools(self) -> Sequence[Mapping[str, Any]]:
        """The output `poolContract`: the agent pools that take work.

        Raises:
            StackError: it is not there, or not a list of objects with names.
        """
        value: Any = self._value("poolContract")
        listed = cast("list[object]", value) if isinstance(value, list) else [None]
        pools = [pool for pool in listed if is_object(pool) and isinstance(pool.get("name"), str)]
        if len(pools) != len(listed):
            raise self._form("poolContract", "a list of pools")
        return pools

    def basis(self, *path: str) -> Any:
        """A value of the output `clusterBasis`, by the keys of the settings.

        Raises:
            StackError: it is not there.
        """
        value: Any = self.mapping("clusterBasis")
        for step in path:
            if not is_object(value) or step not in value:
                raise StackError(
                    f"{self.stack}: output clusterBasis has no {'.'.join(path)}; run `pulumi up` with this version "
                    "of the program"
                )
            value = value[step]
        return value

    def _value(self, name: str) -> Any:
        if name not in self.values:
            raise StackError(
                f"{self.stack}: it has no output {name}; run `pulumi up` with this version of the program"
            )
        return self.values[name]

    def _form(self, name: str, expected: str) -> StackError:
        return StackError(f"{self.stack}: output {name} has another form; expected {expected}")


def of_stack(stack: str, *, project: Path, command: str = "pulumi") -> Outputs:
    """The outputs of a stack as the engine knows them; where its state is, the environment says.

    Args:
        stack: name of the stack.
        project: folder of the program.
        command: the engine's.

    Raises:
        StackError: they can't be had, or are of another stack.
    """
    words = [command, "stack", "output", "--json", "--show-secrets", "--stack", stack]
    words += ["--non-interactive", "--color", "never"]
    try:
        done = subprocess.run(  # noqa: S603 - the engine's command, and a name that was looked at
            words, cwd=project, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError:
        raise StackError(
            f"{stack}: {command} can't be run; install the Pulumi CLI, or name a file with the outputs "
            "(OUTPUTS=outputs.json)"
        ) from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        said = [line.strip() for line in lines if line.strip()] or [f"exit code {done.returncode}"]
        raise StackError(f"{stack}: `pulumi stack output` failed: {' | '.join(said[-_LAST_LINES:])}")
    return parse(stack, done.stdout, f"{stack}: `pulumi stack output --json`")


def of_file(stack: str, path: Path) -> Outputs:
    """The outputs that `pulumi stack output --json --show-secrets` wrote into a file.

    Raises:
        StackError: it can't be read, or has the outputs of another stack.
    """
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a zero byte is the latter
        reason = error.strerror if isinstance(error, OSError) else "it is no path"
        raise StackError(f"{path}: can't be read: {reason}") from None
    return parse(stack, data, str(path))


def parse(stack: str, text: str | bytes, source: str) -> Outputs:
    """Outputs from the text of a JSON object; of bytes its encoding is found, for PowerShell writes UTF-16.

    Args:
        stack: the stack that they must be of.
        text: JSON.
        source: where it comes from, for errors.

    Raises:
        StackError: it is something else; the message has nothing of the text.
    """
    try:
        values: Any = json.loads(text, parse_constant=_no_json)
        json.dumps(values, ensure_ascii=False).encode()  # half a letter, as \\ud800, can be written nowhere
    except (ValueError, RecursionError):
        raise StackError(f"{source}: is not allowed; expected the JSON of a stack's outputs") from None
    if not is_object(values):
        raise StackError(f"{source}: is not allowed; expected a JSON object, output by output")
    if not values:
        raise StackError(f"{source}: there are no outputs; run `pulumi up --stack {stack}` first")
    outputs = Outputs(stack, values)
    if (found := outputs.basis("stack")) != stack:
        shown = found if isinstance(found, str) else json.dumps(found)
        raise StackError(
            f"{source}: these are the outputs of stack {shown[:_LONGEST_NAME]}; expected those of {stack}"
        )
    return outputs


def _no_json(word: str) -> None:
    """`NaN` and `Infinity`, which Python would read."""
    raise ValueError(word)
