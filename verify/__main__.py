"""`python -m verify STACK [--outputs FILE] [--format text|json]`: whether a cluster keeps this product's promises."""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Until `main` takes it, Ctrl-C ends the process: in the middle of imports it would be a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deployed.cluster import api_by_token, api_of, told
from deployed.errors import StackError
from deployed.names import stack_name
from deployed.outputs import Outputs, of_file, of_stack
from kube.errors import KubeError
from story.console import handle_interrupts
from verify.asking import Asking
from verify.checks import CHECKS
from verify.findings import judged
from verify.report import document, is_broken, lines
from verify.seen import Seen
from writing import output

_PROJECT: Final = Path(__file__).parents[1]
_WIDTH: Final = 110


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the cluster and tells what became of each promise; changes nothing.

    Returns:
        0; 1 where a promise is broken, or nothing can be read, which is one line on stderr; 130 after a signal to stop.
    """
    parser = argparse.ArgumentParser(
        prog="verify", description="Whether a cluster keeps this product's promises."
    )
    parser.add_argument("stack", help="a stack that is deployed")
    parser.add_argument("--outputs", type=Path, help="file with `pulumi stack output --json --show-secrets`")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    try:
        handle_interrupts()
        stack = stack_name(options.stack)
        outputs = of_file(stack, options.outputs) if options.outputs else of_stack(stack, project=_PROJECT)
        findings = list(judged(CHECKS, _look(outputs), outputs))
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted; nothing was changed", file=sys.stderr)
        return 130
    if options.format == "json":
        print(json.dumps(document(outputs.stack, findings), indent=2))
    else:
        width = shutil.get_terminal_size((_WIDTH, 24)).columns
        print(*lines(outputs.stack, findings, width), sep="\n")
    return 1 if is_broken(findings) else 0


def _look(outputs: Outputs) -> Seen:
    """What can be read.

    Raises:
        StackError: the cluster can't be reached, or takes no sign-in.
    """
    token = outputs.values.get("jujuToken")
    juju = api_by_token(outputs, token) if isinstance(token, str) else None
    try:
        return Asking(api_of(outputs), juju, lambda line: print(line, file=sys.stderr, flush=True)).look()
    except KubeError as error:
        raise told(error, outputs) from None


if __name__ == "__main__":
    os._exit(output.run(main))  # no waiting for what is still open
