"""`ckf-spot place`: places what is in a YAML file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ckf_spot import install, yaml_text
from ckf_spot.commands import output
from ckf_spot.errors import together
from ckf_spot.kinds import manifests, table
from ckf_spot.kinds.kind import Wish
from ckf_spot.placement import check_wish
from ckf_spot.pods import strict_schema
from ckf_spot.pools import Pools


def add_to(commands: Any) -> None:
    """Adds the command to the program's parser."""
    command: argparse.ArgumentParser = commands.add_parser(
        "place",
        help="place the work in a YAML file",
        description=f"Places {', '.join(table.KINDS)}; other objects in the file stay as they are.",
    )
    command.add_argument(
        "-f", "--file", required=True, help="YAML, one document or many; - is standard input"
    )
    command.add_argument("--pool", required=True, help="a workload such as cpu or gpu, or the name of a pool")
    command.add_argument(
        "--prefer", help="spot: spot nodes if there are any, on-demand ones instead (the default)"
    )
    command.add_argument("--require", help="spot or on-demand: nothing else, however long that takes")
    command.add_argument(
        "--also", action="append", default=[], metavar="ROLE", help="a role besides Worker that may vanish"
    )
    command.add_argument("--trainer-api", metavar="2.N", help="release of Kubeflow Trainer, for a TrainJob")
    command.add_argument(
        "--pools", help="file with the pool contract; left out: CKF_SPOT_POOLS, or the cluster"
    )
    command.add_argument(
        "-o", "--output", default=output.STANDARD, help="file to write; left out: standard output"
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    origin = "standard input" if options.file == output.STANDARD else options.file
    group, stream, _ = together(
        lambda: Pools.load(options.pools)[options.pool],
        lambda: yaml_text.load(output.read(options.file), origin),
        lambda: check_wish(options.prefer, options.require),
    )
    wish = Wish(
        prefer=options.prefer,
        require=options.require,
        also=tuple(options.also),
        trainer_api=options.trainer_api,
    )
    placed = manifests.place(stream.documents, group, wish, origin)
    sys.stderr.writelines(f"ckf-spot: {note}\n" for note in placed.notes)
    if not strict_schema.available():
        sys.stderr.write(
            f"ckf-spot: the pods' own fields were not checked: {install.hint('validate')} checks them\n"
        )
    output.write(stream.changed(placed.documents), options.output)
    return 0
