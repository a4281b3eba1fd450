"""What `kubeflow-aks policy` does: shows the verdict of each rule for a stack."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import Accepted, expired, load, stale
from kubeflow_aks.policy.plan import everything, read
from kubeflow_aks.policy.report import as_json, as_text
from kubeflow_aks.policy.results import fails, rule_results
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.text.colour import show


def today() -> date:
    """The day for which exceptions are judged."""
    return datetime.now(UTC).date()


def of_stack(stack: str, root: Path, form: str) -> ExitCode:
    """Judges a stack of a project by its program; as `of_plan`.

    Raises:
        RefusedError: the settings have mistakes.
        CommandError: the stack or the exceptions can't be read, or the program fails.
    """
    rows = load(root, rules={rule.name for rule in RULES})
    return _judge(plan_document(record(stack, root=root, preview=True)), rows, form)


def of_plan(plan: Path, root: Path | None, form: str) -> ExitCode:
    """Judges a `plan.json`, and prints the verdicts.

    Args:
        plan: the file.
        root: the folder of the project whose exceptions apply, if any.
        form: `text` or `json`.

    Returns:
        FINDING where a mandatory rule is violated, or an exception is stale or past its last day.

    Raises:
        CommandError: the plan or the exceptions can't be read.
    """
    rows = load(root, rules={rule.name for rule in RULES})
    return _judge(read(plan), rows, form)


def _judge(plan: Any, rows: Sequence[Accepted], form: str) -> ExitCode:
    stack: str = plan["stack"]
    results = rule_results(stack, everything(plan), rows)
    all_ = [it for result in results for it in result.all]
    left, ended = list(stale(rows, stack, all_)), list(expired(rows, stack, all_, today()))
    if form == "json":
        print(json.dumps(as_json(stack, results, left, ended), indent=2, ensure_ascii=False))
    else:
        show(as_text(stack, results, left, ended))
    return ExitCode.FINDING if left or ended or fails(results) else ExitCode.GOOD
