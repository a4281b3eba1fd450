"""`python -m tools`: builds what is missing of the local AKS's tools, and prints the folder of the built ones."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from types import FrameType

from tools import crds, manifest
from tools.build import build
from tools.errors import BuildError
from tools.installed import bin_folder, locate

_INTERRUPTED = 130


def main() -> int:
    """Runs the command line and returns its exit code."""
    options = _arguments()
    wanted = manifest.only(options.only) if options.only else manifest.wanted(tuple(options.extras))
    if options.check:
        located = {tool: locate(tool) for tool in wanted}
        for tool, path in located.items():
            print(f"{tool}: {path or 'missing'}")
        missing = crds.missing() if options.crds else []
        for name in missing:
            print(f"custom resources of {crds.CRDS[name]}: missing")
        return 0 if all(located.values()) and not missing else 1
    for each in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # a shell starts what is in its background with SIGINT ignored
        signal.signal(each, _interrupt)
    try:
        build(wanted, jobs=options.jobs, report=_report)
        if options.crds:
            crds.download(_report)
    except BuildError as error:
        _report(f"error: {error}")
    except OSError as error:
        _report(f"error: {error.strerror}: {error.filename}")
    except KeyboardInterrupt:
        _report("stopped; what is finished is kept, run again to go on")
        return _INTERRUPTED
    else:
        print(bin_folder())
        return 0
    return 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools", description=main.__doc__)
    parser.add_argument(
        "--check", action="store_true", help="say what is there and what is missing, build nothing"
    )
    parser.add_argument(
        "--with",
        dest="extras",
        action="append",
        default=[],
        choices=sorted(manifest.OPTIONAL),
        help="also build this",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=[tool.name for tool in manifest.TOOLS],
        metavar="TOOL",
        help="look for and build this one and no others",
    )
    parser.add_argument(
        "--crds", action="store_true", help="also download custom resources that tests hold objects against"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=min(2, os.cpu_count() or 1),
        choices=range(1, 9),
        metavar="1-8",
        help="builds at once",
    )
    return parser.parse_args()


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
