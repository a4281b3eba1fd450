"""`python -m kubeflow_aks.local_aks.engine up --stack dev …`: one engine operation in a process of its own."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from kubeflow_aks import tools
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.recorder.project_file import StackFileError

_OPERATIONS = ("preview", "up", "refresh", "destroy")


def main() -> int:
    """Runs the command line and returns its exit code."""
    options = _arguments()
    built = tools.find()
    if isinstance(built, tools.Missing):
        print(built, file=sys.stderr)
        return 1
    engine = Engine(
        run=RunDirectory.at(options.run_dir),
        tools=built,
        providers={name: int(port) for name, port in options.provider},
        project_root=options.project_root.resolve(),
        stack=options.stack,
        extra_config=dict(options.config),
    )
    try:
        getattr(engine, options.operation)(on_output=partial(print, flush=True))
    except (EngineError, StackFileError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m kubeflow_aks.local_aks.engine", description=__doc__)
    parser.add_argument("operation", choices=_OPERATIONS)
    parser.add_argument("--stack", required=True)
    parser.add_argument("--run-dir", type=Path, required=True)
    parser.add_argument("--project-root", type=Path, default=Path.cwd())
    for name, metavar in (("--provider", "NAME=PORT"), ("--config", "KEY=VALUE")):
        parser.add_argument(name, metavar=metavar, action="append", default=[], type=_pair)
    return parser.parse_args()


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text!r}: expected name=value")
    return key, value


if __name__ == "__main__":
    sys.exit(main())
