"""What `kubeflow-aks preview` does: shows what `pulumi up` would create, without an account and without the CLI."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import load
from kubeflow_aks.policy.plan import everything
from kubeflow_aks.policy.results import fails, reported, rule_results
from kubeflow_aks.preview.mermaid import mermaid
from kubeflow_aks.preview.report import report
from kubeflow_aks.preview.svg import svg
from kubeflow_aks.recorder.document import PlanDocument, plan_document, to_json
from kubeflow_aks.recorder.run import Record, record
from kubeflow_aks.text.colour import show
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.text.terminal import terminal_width

_ALERTING: Final = "kubeflow-aks:index:Alerting"
_DASHBOARD: Final = "dashboard.json"


def preview(stack: str, root: Path) -> ExitCode:
    """Prints the preview and writes `build/<stack>/`.

    The run is recorded in preview mode: nothing exists yet, so what only Azure can say stays unknown, where an
    up-mode run would show made-up ids and addresses as if they were a promise.

    Returns:
        FINDING where a mandatory rule of policy is violated.

    Raises:
        RefusedError: the settings have mistakes; nothing is written.
        CommandError: the stack or the policy's exceptions can't be read, or the program fails.
    """
    recorded = record(stack, root=root, preview=True)
    document = plan_document(recorded)
    folder = root / "build" / recorded.stack
    rows = load(root, rules={rule.name for rule in RULES})
    results = rule_results(recorded.stack, everything(document), rows)
    names = write(document, folder, dashboard(recorded))
    show(report(document, recorded.messages, terminal_width(), datetime.now(UTC).date(), reported(results)))
    print(f"Written to {folder.relative_to(root)}: {', '.join(names)}")
    return ExitCode.FINDING if fails(results) else ExitCode.GOOD


def dashboard(recorded: Record) -> str | None:
    """JSON of the Grafana dashboard that the program made; None without one."""
    made = [resource.urn for resource in recorded.of(_ALERTING)]
    return next((recorded.component_outputs[urn]["dashboard"] for urn in made), None)


def write(document: PlanDocument, folder: Path, dashboard: str | None = None) -> list[str]:
    """Writes the plan, the pictures of its pools and a dashboard into a folder; returns the names of the files."""
    open_folder(folder.parent, folder.name)
    texts = {"plan.json": to_json(document)}
    if document["pools"]:
        texts |= {"pools.svg": svg(document), "pools.mmd": mermaid(document)}
    if dashboard:
        texts[_DASHBOARD] = dashboard
    else:
        (folder / _DASHBOARD).unlink(missing_ok=True)  # of an earlier plan
    for name, text in texts.items():
        write_whole(folder / name, text)
    return list(texts)
