"""Our calls of `az`, and what stands in for it on the local AKS, against what the real Azure CLI takes.

`record.py` writes the tables. What no table has: the values that an option takes beyond its choices, the queries of
`--query`, and what Azure makes of a request.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Final, NoReturn

import pytest

from kubeflow_aks.local_aks.azure_cli.__main__ import COMMANDS, parser
from kubeflow_aks.local_aks.azure_cli.output import named
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.text.files import rows
from tests.azure_cli.calls import Call, calls

HERE: Final = Path(__file__).parent
EXTENSIONS: Final = {"monitor log-analytics query": "log-analytics"}
"""Commands that the CLI has only with an extension, which is to be added before."""

OPTIONS: Final = defaultdict[str, dict[tuple[str, ...], dict[str, str]]](dict)
"""What the table has of each command, by the spellings of an option."""
for row in rows(HERE / "options.csv"):
    OPTIONS[row["command"]][(*row["option"].split(),)] = row


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _refusal(call: Call) -> str:
    """What the real CLI says to a call; nothing if it takes it."""
    if call.command in EXTENSIONS:
        page = (PROJECT_ROOT / call.file).read_text(encoding="utf-8")
        return (
            "" if (add := f"az extension add --name {EXTENSIONS[call.command]}") in page else f"without {add}"
        )
    if call.command not in OPTIONS:
        return f"'{call.command}' is misspelled or not recognized"
    real = _Parser(add_help=False, allow_abbrev=False)
    for strings, row in (OPTIONS[""] | OPTIONS[call.command]).items():
        if row["nargs"] == "0":
            real.add_argument(*strings, action="store_true")
        elif strings:
            real.add_argument(
                *strings,
                required=call.whole and bool(row["required"]),
                nargs=row["nargs"] or None if call.whole else "*",  # type: ignore[arg-type]
                choices=row["choices"].split() if row["choices"] and call.whole else None,
            )
    try:
        _, left = real.parse_known_args(call.words[len(call.command.split()) :])
    except ValueError as error:
        return str(error)
    unknown = [word for word in left if call.whole or word.startswith("-")]
    return f"unrecognized arguments: {' '.join(unknown)}" if unknown else ""


def test_the_real_cli_takes_each_call() -> None:
    every = [*calls()]
    assert len({call.file for call in every if call.whole}) > 20
    assert {call: refusal for call in every if (refusal := _refusal(call))} == {}


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ("aks nodepool show -g a --cluster-name b", "arguments are required: --nodepool-name/--name/-n"),
        ("aks show -g a -n b --bogus c", "unrecognized arguments: --bogus c"),
        ("aks update -g a -n b --network-policy weave", "invalid choice: 'weave'"),
        ("aks show -g a -n", "argument --name/-n: expected one argument"),
        ("aks evict -g a -n b", "'aks evict' is misspelled or not recognized"),
    ],
)
def test_a_call_that_the_real_cli_refuses_is_a_finding(words: str, refusal: str) -> None:
    assert refusal in _refusal(Call("", tuple(words.split()), whole=True))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_stand_in_takes_nothing_that_the_real_cli_refuses(name: str) -> None:
    real = OPTIONS[""] | OPTIONS[name]
    for action in parser(name)._actions[1:]:
        row = real[(*action.option_strings,)]
        assert action.required or not row["required"]
        assert (action.nargs == 0) == (row["nargs"] == "0")
        assert {*(action.choices or ())} <= {*row["choices"].split()}
        assert bool(action.choices) == bool(row["choices"])


def test_names_are_printed_as_the_real_cli_prints_them() -> None:
    for row in rows(HERE / "names.csv"):
        if row["name"] != "type":  # of a pool, whose own type is the resource's
            assert [*named({row["name"]: 1})] == [row["printed"]]
