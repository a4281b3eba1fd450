"""`python -m delivery.demo NAME --hours N`: writes the file of a demo stack that ends by itself, and prints its name.

The stack has the settings of `Pulumi.demo.yaml` and the tag `expires`, which every resource carries and by which
`python -m delivery.reaper` ends it. Asked again, it lasts longer: `pulumi up` moves the tag.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import yaml

from delivery import expiry

TEMPLATE: Final = "Pulumi.demo.yaml"
MOST_HOURS: Final = 72
"""Our choice: over a long weekend."""
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?")
_PROJECT: Final = "kubeflow-aks"


class DemoError(Exception):
    """A demo can't be made; the text is meant for the user."""


def stack_file(template: str, until: datetime) -> str:
    """The file of a demo stack.

    Args:
        template: text of the file that it has its settings from.
        until: when it ends.

    Raises:
        DemoError: the template is protected or no stack file.
    """
    document: dict[str, Any] = yaml.safe_load(template)
    config: dict[str, Any] = document["config"]
    if config.get(f"{_PROJECT}:protect", True):
        raise DemoError(
            f"{TEMPLATE}: {_PROJECT}:protect: True is not allowed; expected False, for a demo ends"
        )
    tags: dict[str, str] = config[f"{_PROJECT}:tags"]
    config[f"{_PROJECT}:tags"] = {**tags, expiry.TAG: expiry.written(until)}
    return yaml.safe_dump({"config": config}, sort_keys=False)


def main(
    arguments: Sequence[str] | None = None, root: Path | None = None, now: datetime | None = None
) -> int:
    """Writes the file and prints `stack=demo-NAME`, as GitHub takes the output of a step.

    Returns:
        0; 1 where a value is not allowed, one line for each.
    """
    parser = argparse.ArgumentParser(prog="python -m delivery.demo", description="The file of a demo stack.")
    parser.add_argument("name", help="lower-case letters, digits and hyphens, at most 15")
    parser.add_argument("--hours", required=True, help=f"how long it lasts, 1 to {MOST_HOURS}")
    options = parser.parse_args(arguments)
    folder = root or Path.cwd()
    mistakes: list[str] = []
    if not _NAME.fullmatch(options.name):
        mistakes.append(
            f"name: {options.name!a} is not allowed; expected at most 15 lower-case letters, digits and hyphens, "
            "with a letter or digit at both ends"
        )
    if not (re.fullmatch("[0-9]{1,3}", options.hours) and 1 <= int(options.hours) <= MOST_HOURS):
        mistakes.append(
            f"hours: {options.hours!a} is not allowed; expected a whole number from 1 to {MOST_HOURS}"
        )
    if not mistakes:
        stack = f"{expiry.PREFIX}{options.name}"
        file = folder / f"Pulumi.{stack}.yaml"
        until = (now or datetime.now(UTC)) + timedelta(hours=int(options.hours))
        try:
            text = stack_file((folder / TEMPLATE).read_text(encoding="utf-8"), until)
            with file.open("x", encoding="utf-8") as sink:
                sink.write(text)
        except FileExistsError:
            mistakes.append(f"name: {options.name!a} is not allowed; {file.name} is there already")
        except DemoError as error:
            mistakes.append(str(error))
        else:
            print(f"stack={stack}")
            print(f"until {expiry.written(until)}", file=sys.stderr)
    for mistake in mistakes:
        print(f"error: {mistake}", file=sys.stderr)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
