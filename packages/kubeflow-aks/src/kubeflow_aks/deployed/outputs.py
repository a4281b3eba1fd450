"""A stack's outputs: read with the Pulumi CLI or from a file, and validated."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from kubeflow_aks.clients.kubernetes.objects import is_object
from kubeflow_aks.clients.pulumi import Pulumi, PulumiError
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.exit_codes import MissingProgramError, UsageError
from kubeflow_aks.project import project_root
from kubeflow_aks.text.sentences import shown

_STACK: Final = re.compile(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?")
"""The only names under which the program deploys anything (program/planning/rules/names.py)."""


def stack_name(text: str) -> str:
    """The name of a stack, looked at before it becomes part of a command or a path.

    Raises:
        UsageError: no stack of this program has such a name.
    """
    if _STACK.fullmatch(text):
        return text
    raise UsageError(
        f"stack: {shown(text)} is not allowed; expected a name of 1 to 20 lower-case letters, digits and inner "
        "hyphens, a letter first"
    )


_LONGEST_NAME: Final = 80
_MASK: Final = "[secret]"
"""What Pulumi prints for a secret without `--show-secrets`."""


@dataclass(frozen=True)
class Outputs:
    """The outputs of one stack; secrets among them show up in no `repr`.

    Attributes:
        values: every output by name, JSON types, secrets in plain text.
    """

    stack: str
    values: Mapping[str, Any] = field(repr=False)

    def text(self, name: str) -> str:
        """An output that is text.

        Raises:
            StackError: it is missing, or of another type.
        """
        value = self._value(name)
        if not isinstance(value, str):
            raise self._unexpected(name, "text")
        if value == _MASK:
            raise StackError(f"{self.stack}: output {name} is masked; read the outputs with --show-secrets")
        return value

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An output that is an object.

        Raises:
            StackError: it is missing, or of another type.
        """
        value = self._value(name)
        if not is_object(value):
            raise self._unexpected(name, "an object")
        return value

    def pools(self) -> Sequence[Mapping[str, Any]]:
        """The output `poolContract`: the agent pools that take work.

        Raises:
            StackError: it is missing, or not a list of objects with names.
        """
        value: Any = self._value("poolContract")
        listed = cast("list[object]", value) if isinstance(value, list) else [None]
        pools = [pool for pool in listed if is_object(pool) and isinstance(pool.get("name"), str)]
        if len(pools) != len(listed):
            raise self._unexpected("poolContract", "a list of pools")
        return pools

    def basis(self, *path: str) -> Any:
        """A value of the output `clusterBasis`, by the keys of the settings.

        Raises:
            StackError: it is missing.
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
                f"{self.stack}: the output {name} is missing; run `pulumi up` with this version of the program"
            )
        return self.values[name]

    def _unexpected(self, name: str, expected: str) -> StackError:
        return StackError(f"{self.stack}: output {name} has an unexpected type; expected {expected}")


def read(stack: str, file: Path | None, root: Path | None) -> Outputs:
    """The outputs of a stack that the user named, from a file or by the CLI.

    Raises:
        UsageError: no stack has such a name, or there is no project.
        StackError: they cannot be read, or are of another stack.
    """
    name = stack_name(stack)
    return of_file(name, file) if file else of_stack(name, project=project_root(root))


def of_stack(stack: str, *, project: Path, command: str = "pulumi") -> Outputs:
    """The outputs of a deployed stack, from the backend that the environment names.

    Raises:
        StackError: they cannot be read, or are of another stack.
        MissingProgramError: the CLI is missing.
    """
    engine = Pulumi(project, command)
    if not engine.installed:
        raise MissingProgramError(command, "pass the stack's outputs with --outputs FILE")
    try:
        text = engine.outputs(stack)
    except PulumiError as error:
        raise StackError(f"{stack}: {error}") from None
    return parse(stack, text, f"{stack}: `pulumi stack output --json`")


def of_file(stack: str, path: Path) -> Outputs:
    """The outputs that `pulumi stack output --json --show-secrets` wrote into a file.

    Raises:
        StackError: it cannot be read, or has the outputs of another stack.
    """
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a zero byte is the latter
        reason = error.strerror if isinstance(error, OSError) else "it is not a path"
        raise StackError(f"{path}: cannot be read: {reason}") from None
    return parse(stack, data, str(path))


def parse(stack: str, text: str | bytes, source: str) -> Outputs:
    """Outputs from a JSON text; the encoding of bytes is detected, because PowerShell writes UTF-16.

    Raises:
        StackError: it is something else; the message quotes nothing of the text.
    """
    try:
        values: Any = json.loads(text, parse_constant=_no_json)
        json.dumps(values, ensure_ascii=False).encode()  # a lone surrogate, as \\ud800, cannot be encoded
    except (ValueError, RecursionError):
        raise StackError(f"{source}: not JSON; expected a stack's outputs") from None
    if not is_object(values):
        raise StackError(f"{source}: not a JSON object; expected a stack's outputs by name")
    if not values:
        raise StackError(f"{source}: there are no outputs; run `pulumi up --stack {stack}` first")
    outputs = Outputs(stack, values)
    if (name := outputs.basis("stack")) != stack:
        shown = name if isinstance(name, str) else json.dumps(name)
        raise StackError(
            f"{source}: these are the outputs of stack {shown[:_LONGEST_NAME]}; expected those of {stack}"
        )
    return outputs


def _no_json(word: str) -> None:
    """Refuses `NaN` and `Infinity`, which Python would accept."""
    raise ValueError(word)
