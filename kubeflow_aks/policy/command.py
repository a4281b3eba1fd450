"""What `kubeflow-aks policy` does: shows the verdict of each rule for a stack."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import Accepted, load, stale
from kubeflow_aks.policy.plan import everything, read
from kubeflow_aks.policy.report import as_json, as_text
from kubeflow_aks.policy.results import fails, rule_results
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.text.colour import show


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
        FINDING where a mandatory rule is violated or an exception is stale.

    Raises:
        CommandError: the plan or the exceptions can't be read.
    """
    rows = load(root, rules={rule.name for rule in RULES})
    return _judge(read(plan), rows, form)


def _judge(plan: Any, rows: Sequence[Accepted], form: str) -> ExitCode:
    stack: str = plan["stack"]
    found = rule_results(stack, everything(plan), rows)
    left = list(stale(rows, stack, [it for result in found for it in result.all]))
    if form == "json":
        print(json.dumps(as_json(stack, found, left), indent=2, ensure_ascii=False))
    else:
        show(as_text(stack, found, left))
    return ExitCode.FINDING if left or fails(found) else ExitCode.GOOD
