"""`python -m handoff STACK`: writes what Juju and Terraform need to deploy Charmed Kubeflow into a stack's cluster."""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Until `main` takes it, Ctrl-C ends the process: in the middle of imports it would be a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deployed import outputs as stack_outputs
from deployed.errors import StackError
from deployed.names import stack_name
from deployed.outputs import Outputs
from handoff.files import MODULES, files
from handoff.folder import write
from story.console import handle_interrupts
from writing import output

_PROJECT: Final = Path(__file__).parents[1]
_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes `build/<stack>/handoff`, or all of it to stdout as one JSON object.

    Returns:
        0; 1 where it can't be done, told in one line on stderr; 130 after a signal to stop.
    """
    options = _arguments(arguments)
    try:
        handle_interrupts()
        stack = stack_name(options.stack)
        given = (
            stack_outputs.of_file(stack, options.outputs)
            if options.outputs
            else stack_outputs.of_stack(stack, project=_PROJECT)
        )
        made = files(given)
        if options.stdout:
            print(json.dumps(made))
        else:
            folder: Path = options.build.absolute() / stack / "handoff"
            write(folder, made)
            print(*_told(given, folder, made), sep="\n")
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted; what was there before is as it was", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="handoff", description="Hands a stack's cluster over to Juju.")
    parser.add_argument("stack", help="a stack that is deployed")
    parser.add_argument(
        "--outputs", type=Path, help="file with what `pulumi stack output --json --show-secrets` says"
    )
    parser.add_argument(
        "--stdout", action="store_true", help="write no file, but all of them to stdout, secrets included"
    )
    parser.add_argument(
        "--build", type=Path, default=_PROJECT / "build", help="where build/<stack>/handoff goes"
    )
    return parser.parse_args(arguments)


def _told(given: Outputs, folder: Path, made: dict[str, str]) -> list[str]:
    """What was written, and what comes next."""
    # A hint of the second stage belongs here: nobody would look for it in a page.
    second = (
        "kubeflow.argoRetries is on: take it out until Charmed Kubeflow is there, or `pulumi up` fails"
        if given.basis("kubeflow", "argoRetries")
        else "When it is there: kubeflow.argoRetries, so that retries survive evictions; `make verify` says when"
    )
    release = given.basis("kubeflow", "release")
    after = (
        "About 40 minutes: controller 5, Terraform 5, charms 20 to 30; run it again whenever it stops"
        if MODULES in made
        else f"It ends with Juju's controller: deploy/ has Charmed Kubeflow 1.11, and this stack has {release}"
    )
    return [
        f"Written to {folder}, for your eyes only: {', '.join(sorted(made))}",
        "Secrets are in credentials.yaml and kubeconfig; they give away the whole cluster",
        f"Next: {folder / 'bootstrap.sh'}",
        after,
        second,
    ]


if __name__ == "__main__":
    os._exit(output.run(main))  # Python would flush once more, and complain about a reader that has gone
