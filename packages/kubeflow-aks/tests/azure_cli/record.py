"""Writes what the real Azure CLI accepts of our calls; it needs no account and no network.

The CLI is far too large for the lock files, so this is run by hand in `packages/kubeflow-aks`:

    uv venv /tmp/real && uv pip install --python /tmp/real azure-cli==2.91.0
    ../../.venv/bin/python -m tests.azure_cli.calls | /tmp/real/bin/python tests/azure_cli/record.py tests/azure_cli
"""
# pyright: basic, reportMissingImports=false

import csv
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from azure.cli.core import __version__, get_default_cli
from azure.cli.core.file_util import create_invoker_and_load_cmds_and_args
from azure.cli.core.util import to_camel_case
from azure.core.serialization import attribute_list, get_backcompat_attr_name
from azure.mgmt.containerservice import models

Row = tuple[str, ...]
TO = Path(sys.argv[1])
COLUMNS = ("command", "option", "required", "nargs", "choices")
GLOBAL = ("_jmespath_query", "_output_format")


def write(table: str, what: str, columns: Row, rows: Iterable[Row]) -> None:
    """Writes a table with a comment that says what is in it."""
    with (TO / table).open("w", encoding="utf-8", newline="") as sink:
        sink.write(
            f"# {what}; azure-cli {__version__}, {datetime.now(UTC):%Y-%m-%d}, by tests/azure_cli/record.py\n"
        )
        csv.writer(sink, lineterminator="\n").writerows([columns, *rows])


def options(parsers: dict[str, Any], used: Iterable[list[str]]) -> Iterator[Row]:
    """The options of a command that are used or required; those of every command have none.

    A command, or a group of them, has a row for itself.
    """
    for command, *spellings in used:
        if any(f"{name} ".startswith(f"{command} ") for name in parsers):
            yield command, "", "", "", ""
        for action in parsers[command]._actions if command in parsers else ():
            if action.required or {*action.option_strings} & {*spellings}:
                choices = " ".join(action.choices or ())
                required = "yes" if action.required else ""
                name = "" if action.dest in GLOBAL else command
                yield name, " ".join(action.option_strings), required, action.nargs, choices


def names() -> Iterator[Row]:
    """The names of the API of AKS that are printed in another way."""
    for model in vars(models).values():
        if getattr(model, "_is_model", False):
            for attribute in attribute_list(model({})):
                field = model._attr_to_rest_field.get(attribute)
                printed = to_camel_case(get_backcompat_attr_name(model({}), attribute))
                if field and field._rest_name != printed:
                    yield field._rest_name, printed


if __name__ == "__main__":
    cli = get_default_cli()
    create_invoker_and_load_cmds_and_args(cli)
    rows = options(cli.invocation.parser.subparser_map, [line.rstrip("\n").split("\t") for line in sys.stdin])
    write("options.csv", "Commands, and options of ours", COLUMNS, dict.fromkeys(rows))
    write("names.csv", "Names of AKS's API, and as `az` prints them", ("name", "printed"), sorted({*names()}))
