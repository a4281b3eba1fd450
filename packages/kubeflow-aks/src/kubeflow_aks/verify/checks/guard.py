"""The API server refuses platform pods that tolerate spot, and nothing else; tested with dry runs."""

from collections.abc import Iterator

from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import RESTORE, CheckResult, failed, passed, unknown, will_break
from kubeflow_aks.verify.probes import GUARD, PROBES
from kubeflow_aks.verify.snapshot import ClusterSnapshot, UnknownError


def refuses(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Each probe was refused or admitted as expected."""
    if not outputs.basis("kubeflow", "guards"):
        yield unknown("the stack has no guard (kubeflow.guards: false)")
        return
    if not snapshot.guard:
        raise UnknownError("no dry run was made")
    right: list[str] = []
    for probe in PROBES:
        if probe.name not in snapshot.guard:
            continue
        answer = snapshot.guard[probe.name]
        if answer.value is None:
            yield unknown(
                f"whether {probe.name} is {probe.expected} cannot be checked here: {one_line(answer.reason)}"
            )
        elif answer.value and GUARD not in answer.value:
            yield unknown(
                f"whether {probe.name} is {probe.expected} cannot be checked here, because something else refuses it: "
                f"{one_line(answer.value)}"
            )
        elif bool(answer.value) == probe.refused:
            right.append(probe.name)
        elif probe.refused:
            yield will_break(f"{probe.name} is admitted, so an eviction could hit it", RESTORE)
        else:
            yield failed(f"{probe.name} is refused: {one_line(answer.value)}", RESTORE)
    if right:
        refused = [probe.name for probe in PROBES if probe.refused and probe.name in right]
        admitted = [probe.name for probe in PROBES if not probe.refused and probe.name in right]
        answers = [
            f"{verb} {listed(names)}" for verb, names in (("refuses", refused), ("admits", admitted)) if names
        ]
        yield passed(f"in dry runs, the API server {', and '.join(answers)}")
