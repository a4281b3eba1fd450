"""`python -m drill`: have Azure take spot nodes of a stack's cluster, and watch what becomes of the work."""

from __future__ import annotations

import argparse
import getpass
import os
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deployed.cluster import api_of
from deployed.cluster import told as told_of
from deployed.errors import StackError
from deployed.names import stack_name
from deployed.outputs import Outputs, of_file, of_stack
from drill.azure import ResourceManager
from drill.errors import DrillError
from drill.plan import FEWEST_MINUTES, MINUTES, NODES, plan, told
from drill.play import Drill, price, write
from drill.sight import Sight
from drill.sign_in import SignIn
from kube.errors import KubeError
from kube.objects import at
from story.console import Console, handle_interrupts
from story.contract_pools import POOL_LABEL
from story.observations import Where
from story.promises import judge, summary
from story.report import terminal
from writing import output
from writing.terminal import wrapped

_PROJECT_ROOT: Final = Path(__file__).parent.parent
_MOST_NODES: Final = 10
_MOST_MINUTES: Final = 240
_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays a drill, if whoever calls agrees to it.

    Returns:
        0; 1 when something failed, was refused, or a promise was not kept; 2 when the command line is wrong; 130 after
        Ctrl-C or SIGTERM.
    """
    options = _parser().parse_args(arguments)
    handle_interrupts()
    try:
        return _drill(options)
    except (DrillError, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"error: {options.build}: can't be written: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return _INTERRUPTED


def _drill(options: argparse.Namespace) -> int:
    stack = stack_name(options.stack)
    outputs = of_file(stack, options.outputs) if options.outputs else of_stack(stack, project=_PROJECT_ROOT)
    try:
        return _on_cluster(options, outputs)
    except KubeError as error:
        raise told_of(error, outputs) from None


def _on_cluster(options: argparse.Namespace, outputs: Outputs) -> int:
    console, width = Console(), shutil.get_terminal_size().columns
    sign_in, api = SignIn(), api_of(outputs)
    sight = Sight(api)
    try:
        present = Counter(str(at(node, "metadata", "labels", POOL_LABEL)) for node in sight.nodes())
        drill_plan = plan(outputs, present, nodes=options.nodes, minutes=options.minutes)
        where = Where.LOCAL if sign_in.local else Where.AZURE
        console.block(
            [f"A drill on stack {outputs.stack}, cluster {outputs.text('clusterName')} on {_PLACES[where]}:"]
        )
        console.block(line for text in told(drill_plan, outputs) for line in wrapped(text, width, "- "))
        if not (options.yes or _agreed()):
            print("nothing was started")
            return 1
        azure = ResourceManager(sign_in)
        drill = Drill(outputs, api, azure, where, sight, drill_plan, console, options.any_node)
        try:
            seen = drill.play(f"{getpass.getuser()}@{os.uname().nodename}")
        finally:
            for problem in drill.problems:
                print(f"error: {problem}", file=sys.stderr)
    finally:
        sight.close()
    verdicts = judge(seen)
    console.block(["", *terminal.lines(seen, verdicts, width)])
    cost = price(seen, outputs)
    console.block(terminal.cost_lines(cost, width) if cost else [])
    page = write(options.build / outputs.stack, seen, verdicts, outputs)
    console.line(f"{summary(verdicts)}; the page with the picture is {page}")
    kept = [verdict.kept for verdict in verdicts if verdict.kept is not None]
    return 0 if kept and all(kept) and not drill.problems else 1


_PLACES: Final = {Where.LOCAL: "a local AKS", Where.AZURE: "Azure"}


def _agreed() -> bool:
    """Whether somebody at a terminal says yes.

    Raises:
        DrillError: nobody can.
    """
    if not sys.stdin.isatty():
        raise DrillError(
            "nobody can be asked here, for input is no terminal; say --yes (YES=1) to agree beforehand"
        )
    try:
        return input("Start? [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="drill",
        description="Has Azure take spot nodes of a stack's cluster, and watches what becomes of work.",
    )
    parser.add_argument("stack", help="a stack that is up")
    parser.add_argument(
        "--outputs", type=Path, help="file that `pulumi stack output --json --show-secrets` wrote"
    )
    parser.add_argument("--yes", action="store_true", help="agree beforehand to what it does and costs")
    parser.add_argument("--any-node", action="store_true", help="take nodes also where others' pods run")
    parser.add_argument(
        "--nodes",
        type=_between(1, _MOST_NODES),
        default=NODES,
        help=f"the most nodes at a time (default {NODES})",
    )
    parser.add_argument(
        "--minutes",
        type=_between(FEWEST_MINUTES, _MOST_MINUTES),
        default=MINUTES,
        help=f"when it ends at the latest (default {MINUTES})",
    )
    parser.add_argument(
        "--build", type=Path, default=_PROJECT_ROOT / "build", help="where results are written"
    )
    return parser


class _between:  # noqa: N801 - argparse shows its name
    """A whole number within limits, for argparse."""

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def __call__(self, text: str) -> int:
        """The number.

        Raises:
            ArgumentTypeError: it is none, or outside.
        """
        if not text.isascii() or not text.isdecimal() or not self._least <= int(text[:6]) <= self._most:
            raise argparse.ArgumentTypeError(
                f"{text} is not allowed; expected a whole number from {self._least} to {self._most}"
            )
        return int(text)


if __name__ == "__main__":
    sys.exit(output.run(main))
