"""`ckf-spot where`: which pod runs on which pool, how often it was evicted, and what is wrong."""

import argparse
import dataclasses
import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NoReturn

from ckf_spot import durations, sources
from ckf_spot.agent_pool import AgentPool
from ckf_spot.cluster import Cluster
from ckf_spot.commands import output
from ckf_spot.errors import ABSENT, ContractError, Mistake, Mistakes
from ckf_spot.pools import Pools
from ckf_spot.where.look import look
from ckf_spot.where.observations import Look
from ckf_spot.where.record import Recorder, read
from ckf_spot.where.report import Report, as_dict, report
from ckf_spot.where.svg import svg
from ckf_spot.where.table import table
from ckf_spot.where.watching import Watching

_FORMS: Final = ("table", "json", "svg")
_VIOLATED: Final = 1
"""Exit code of `--check` where there are violations."""
_PATIENCE: Final = "5m"
"""Time after which the program's autoscaler gives up on a spot node and asks for an on-demand one
(`autoscaler.maxNodeProvisionTime` of its settings)."""


def add_to(commands: Any) -> None:
    """Adds the command to the program's parser."""
    command: argparse.ArgumentParser = commands.add_parser(
        "where",
        help="show where pods run and how often they were evicted",
        description="Shows which pod runs on which pool, how often it was evicted, and what is wrong.",
    )
    scope = command.add_mutually_exclusive_group()
    scope.add_argument("-n", "--namespace", help="left out: the kubeconfig's, or the one that this runs in")
    scope.add_argument("-A", "--all-namespaces", action="store_true", help="all of them; for administrators")
    scope.add_argument("--from", dest="source", metavar="FILE", help="a record instead of the cluster")
    command.add_argument(
        "-o", "--output", choices=_FORMS, default=_FORMS[0], help="form; the default is table"
    )
    command.add_argument("--record", metavar="FILE", help="watch, and add what happens to a record")
    command.add_argument(
        "--for", dest="length", metavar="TIME", help="with --record: 10m, 2h; left out: until Ctrl-C"
    )
    command.add_argument(
        "--patience",
        default=_PATIENCE,
        metavar="TIME",
        help="so long may work wait for spot; the default is 5m",
    )
    command.add_argument("--check", action="store_true", help="exit with 1 where something should not be so")
    command.add_argument(
        "--pools", help="file with the pool contract; left out: CKF_SPOT_POOLS, or the cluster"
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    patience, length = _checked(options)
    if options.record is not None:
        return _record(options, length)
    pools, note = _pools(options)
    result = report(_look(options, pools), patience)
    if note:
        result = dataclasses.replace(result, notes=(note, *result.notes))
    output.write(_text(result, options.output), output.STANDARD)
    return _VIOLATED if options.check and result.violations else 0


def _checked(options: argparse.Namespace) -> tuple[timedelta, int | None]:
    """Patience, and length of a record in seconds; PlacementError where the options contradict each other."""
    mistakes = Mistakes()
    patience = mistakes.catch(lambda: durations.seconds("--patience", options.patience))
    length = (
        None if options.length is None else mistakes.catch(lambda: durations.seconds("--for", options.length))
    )
    if options.record is None and options.length is not None:
        mistakes.add([Mistake("--for", options.length, "expected --record FILE --for 10m", "needs --record")])
    if options.record is not None:
        refused = {
            "--from": options.source,
            "--check": ABSENT if options.check else None,
            "-o": None if options.output == _FORMS[0] else options.output,
        }
        mistakes.add(
            Mistake(name, value, "look at the record with --from FILE", "is not allowed with --record")
            for name, value in refused.items()
            if value is not None
        )
    mistakes.raise_all()
    return timedelta(seconds=patience or 0), length


def _look(options: argparse.Namespace, pools: Mapping[str, AgentPool] | None) -> Look:
    if options.source is not None:
        return read(Path(options.source)).look(pools)
    cluster = Cluster()
    return look(cluster, _namespace(options, cluster), pools)


def _text(result: Report, form: str) -> str:
    if form == "json":
        return json.dumps(as_dict(result), indent=1, ensure_ascii=False) + "\n"
    return svg(result.look) if form == "svg" else table(result, _terminal_width())


def _terminal_width() -> int | None:
    """Width of the terminal; None where the output goes to a file or another program and COLUMNS is not set."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return shutil.get_terminal_size().columns
    return None


def _pools(options: argparse.Namespace) -> tuple[Mapping[str, AgentPool] | None, str]:
    """The contract by name, or None and why; a file that was named must be right."""
    try:
        contract = Pools.load(options.pools)
    except ContractError as error:
        if options.pools or os.environ.get(sources.ENVIRONMENT):
            raise
        return None, f"the pool contract can't be read: {dataclasses.replace(error.mistakes[0], expected='')}"
    return {pool.name: pool for pool in contract.all}, ""


def _namespace(options: argparse.Namespace, cluster: Cluster) -> str | None:
    return None if options.all_namespaces else options.namespace or cluster.own_namespace()


def _record(options: argparse.Namespace, length: int | None) -> int:
    cluster = Cluster()
    namespace = _namespace(options, cluster)
    cluster.pods(namespace)  # what can't be read leaves no file behind
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with Recorder(Path(options.record), namespace) as recorder:
            _tell(f"recording {namespace or 'all namespaces'} in {options.record}; Ctrl-C ends it")
            Watching(cluster, recorder, namespace, _tell).run(length)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
    _tell(f"recorded; ckf-spot where --from {options.record} -o svg draws it")
    return 0


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _tell(line: str) -> None:
    sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {line}\n")
    sys.stderr.flush()
