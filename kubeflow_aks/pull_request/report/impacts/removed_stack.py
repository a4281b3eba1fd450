"""A stack whose file is removed, which deletes none of its resources."""

from collections.abc import Iterator

from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.report.impacts.impact import Impact, listed, quoted
from kubeflow_aks.pull_request.report.impacts.pools import pools
from kubeflow_aks.text.numbers import counted


def impacts(observed: Observed) -> Iterator[Impact]:
    """The resources that stay, and how to delete them."""
    base = observed.base
    if base is None or base.failure:
        return
    protected = sum(resource.protect for resource in base.resources.values())
    names = listed([pool.name for pool in pools(base)])
    among = f", among them the pools {names}," if names else ""
    yield {
        "kind": "stack-removed",
        "level": "caution",
        "subject": observed.stack,
        "text": f"The file of stack {quoted(observed.stack)} is removed, which deletes nothing: its "
        f"{counted(len(base.resources), 'resource')} ({protected} of them protected){among} "
        f"stay and cost money. `pulumi destroy` needs the file, so run it first.",
    }
