"""Every call of `az` in the repository: in pages, workflows, messages and code.

`python -m tests.azure_cli.calls` prints each command with the options that are used of it, for `record.py`.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kubeflow_aks.local_aks.azure_cli.__main__ import COMMANDS, parser
from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import command_lines, fenced_in
from tests.tracked import tracked

_NAMED: Final = re.compile(r"[`\[]az ([a-z][^`\]]*)[`\]]")
_LINE: Final = re.compile(r"(?:^|\$\()az (?=[a-z])")
_CLIENTS: Final = {"az", "self.az", "self._az"}
"""How code calls a `kubeflow_aks.clients.az.Az`."""
_VALUE: Final = "x"
"""A word that is known only when the code runs."""


class Call(NamedTuple):
    """One call.

    Attributes:
        words: what follows `az`.
        whole: whether it can be run as it is; a text may name a command without its options, or an option without its
            value.
    """

    file: str
    words: tuple[str, ...]
    whole: bool

    @property
    def command(self) -> str:
        """The words before the first option."""
        end = next((number for number, word in enumerate(self.words) if not word.islower()), len(self.words))
        return " ".join(word for word in self.words[:end] if re.fullmatch(r"[a-z-]+", word)).partition(" -")[
            0
        ]


def calls() -> Iterator[Call]:
    """Every call in the files of the repository, its tests apart."""
    for path in tracked("*.md", "*.py", "*.sh", "*.tf", "*.yml", "*.yaml", "*.csv"):
        file = path.relative_to(PROJECT_ROOT).as_posix()
        if "tests/" not in file:
            text = path.read_text(encoding="utf-8")
            for words, whole in _of_code(text) if path.suffix == ".py" else _of_text(text):
                yield Call(file, tuple(words), whole)


def _of_text(text: str) -> Iterator[tuple[list[str], bool]]:
    for named in _NAMED.findall(text):
        yield _words(named), False
    blocks = [block for language, block in fenced_in(text) if language == "sh"]
    for line in [line for block in blocks for line in command_lines(block)] or text.splitlines():
        for start in _LINE.finditer(line.strip().removeprefix("run: ")):
            yield _words(line.strip().removeprefix("run: ")[start.end() :]), True


def _words(text: str) -> list[str]:
    """The words of a shell command up to the end of the command or of the substitution that it is in."""
    lexer = shlex.shlex(re.sub(r"<(\w+)>", _VALUE, text), posix=True, punctuation_chars="|>;)")
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set("|>;)"):
                break
            words.append(word)
    except ValueError:  # a quotation mark of the text around it
        pass
    return words


def _of_code(text: str) -> Iterator[tuple[list[str], bool]]:
    tree = ast.parse(text)
    for literal in _literals(tree):
        for named in _NAMED.findall(literal):
            yield _words(named), False
    values = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=client, attr="run" | "json")) if (
                ast.unparse(client) in _CLIENTS
            ):
                yield [word for argument in node.args for word in _resolved(argument, values)], True
            case _:
                pass


def _resolved(node: ast.expr, values: dict[str, ast.expr]) -> Iterator[str]:
    """The words of an argument of a call; `_VALUE` for one that is worked out."""
    match node:
        case ast.Constant(value=str(word)):
            yield word
        case ast.Starred(value=ast.Name(id=name)):
            yield from _resolved(ast.Starred(values[name]), values)
        case ast.Starred(value=ast.Tuple(elts=elements)):
            for element in elements:
                yield from _resolved(element, values)
        case ast.Starred():
            raise AssertionError(f"{ast.unparse(node)}: not a tuple of the module")
        case _:
            yield _VALUE


def _literals(tree: ast.AST) -> Iterator[str]:
    """Texts with `{}` for what is put in."""
    parts: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            yield node.value


def _used(commands: Sequence[Call]) -> dict[str, set[str]]:
    used = {
        name: {option for action in parser(name)._actions[1:] for option in action.option_strings}
        for name in COMMANDS
    }
    for call in commands:
        options = {word.partition("=")[0] for word in call.words if word.startswith("-")}
        used.setdefault(call.command, set()).update(options)
    return used


if __name__ == "__main__":
    for command, options in sorted(_used([*calls()]).items()):
        print(command, *sorted(options), sep="\t")
