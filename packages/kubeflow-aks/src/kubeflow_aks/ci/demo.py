"""`kubeflow-aks ci demo NAME --hours N`: writes the file of a demo stack that ends by itself, and prints its name.

The stack has the settings of `Pulumi.demo.yaml` and the tag `expires`, which every resource carries and by which
`kubeflow-aks ci reaper` ends it. A second call with the same name prolongs it: `pulumi up` moves the tag.
"""

import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.ci import expiry
from kubeflow_aks.exit_codes import CommandError, ExitCode, UsageError

TEMPLATE: Final = "Pulumi.demo.yaml"
MOST_HOURS: Final = 72
"""Our choice: over a long weekend."""
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?")
_AMOUNT: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,2})?")
_PROJECT: Final = "kubeflow-aks"


def stack_file(template: str, until: datetime, budget: float | None = None) -> str:
    """The file of a demo stack that ends, with the settings of a template; `budget` is the most that a month may cost.

    Raises:
        CommandError: the template is protected or no stack file.
    """
    document: dict[str, Any] = yaml.safe_load(template)
    config: dict[str, Any] = document["config"]
    if config.get(f"{_PROJECT}:protect", True):
        raise CommandError(
            f"{TEMPLATE}: {_PROJECT}:protect: True is not allowed; expected False, for a demo ends"
        )
    tags: dict[str, str] = config[f"{_PROJECT}:tags"]
    config[f"{_PROJECT}:tags"] = {**tags, expiry.TAG: expiry.written(until)}
    if budget is not None:
        config[f"{_PROJECT}:budget"] = {"monthly": budget}
    return yaml.safe_dump({"config": config}, sort_keys=False)


def run(
    name: str, hours: str, root: Path, now: datetime | None = None, budget: str | None = None
) -> ExitCode:
    """Writes the file and prints `stack=demo-NAME`, as GitHub takes the output of a step.

    Raises:
        UsageError: a value is not allowed, one line for each.
        CommandError: there is such a file already, or the template can't be used.
    """
    mistakes: list[str] = []
    if not _NAME.fullmatch(name):
        mistakes.append(
            f"name: {name!a} is not allowed; expected at most 15 lower-case letters, digits and hyphens, "
            "with a letter or digit at both ends"
        )
    if not (re.fullmatch("[0-9]{1,3}", hours) and 1 <= int(hours) <= MOST_HOURS):
        mistakes.append(f"hours: {hours!a} is not allowed; expected a whole number from 1 to {MOST_HOURS}")
    if budget is not None and not (_AMOUNT.fullmatch(budget) and float(budget) > 0):
        mistakes.append(f"budget: {budget!a} is not allowed; expected an amount above 0 such as 2500")
    if mistakes:
        raise UsageError("\n".join(mistakes))
    stack = f"{expiry.PREFIX}{name}"
    file = root / f"Pulumi.{stack}.yaml"
    until = (now or datetime.now(UTC)) + timedelta(hours=int(hours))
    most = None if budget is None else float(budget)
    text = stack_file((root / TEMPLATE).read_text(encoding="utf-8"), until, most)
    try:
        with file.open("x", encoding="utf-8") as sink:
            sink.write(text)
    except FileExistsError:
        raise CommandError(f"name: {name!a} is not allowed; {file.name} is there already") from None
    print(f"stack={stack}")
    print(f"until {expiry.written(until)}", file=sys.stderr)
    return ExitCode.GOOD
