"""Stacks that come and go as a whole: a file that is removed or renamed, a project with another name."""

from collections.abc import Iterator

from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact, listed, quoted
from kubeflow_aks.pull_request.report.impacts.pools import pools
from kubeflow_aks.text.numbers import counted

_STILL = "Names begin with project and stack, so `pulumi up` would then still replace what has such a name."
"""What renaming a stack does not do (pulumi.com/docs/iac/cli/commands/pulumi_stack_rename, 2026-11-24)."""


def removed(observed: Observed) -> Iterator[Impact]:
    """A stack whose file is removed, which deletes none of its resources, and how to delete or keep them."""
    base = observed.base
    if base is None or base.failure:
        return
    protected = sum(resource.protect for resource in base.resources.values())
    names = listed([pool.name for pool in pools(base)])
    among = f", among them the pools {names}," if names else ""
    after = observed.other_name
    what_to_do = (
        f"Stack {quoted(after)} is new and has the same settings: if this one is only renamed, "
        f"`pulumi stack rename {after} --stack {observed.stack}` keeps its state. {_STILL}"
        if after
        else "`pulumi destroy` needs the file, so run it first."
    )
    text = (
        f"The file of stack {quoted(observed.stack)} is removed, which deletes nothing: its "
        f"{counted(len(base.resources), 'resource')} ({protected} of them protected){among} "
        f"stay and cost money. {what_to_do}"
    )
    yield impact("stack-removed", "caution", observed.stack, text)


def beside_another(observed: Observed) -> Iterator[Impact]:
    """A stack that is made beside one that stays, because its name or its project's has changed."""
    if former := observed.former_project:
        text = (
            f"The project is no longer called {quoted(former)}: for Pulumi it is another project, whose stack has "
            "nothing yet, so `pulumi up` makes a second cluster beside the first, which stays and costs the same "
            "again. Before the merge, `pulumi stack rename <organization>/<new project>/"
            f"{observed.stack}` keeps the first one's state. {_STILL}"
        )
    elif (former := observed.other_name) and observed.base is None:
        text = (
            f"Stack {quoted(former)}, whose file is removed, has the same settings: `pulumi up` makes a second cluster "
            f"beside its own, which stays and costs the same again. If it is only renamed, `pulumi stack rename "
            f"{observed.stack} --stack {former}` keeps its state. {_STILL}"
        )
    else:
        return
    yield impact("second-cluster", "caution", observed.stack, text)


def not_judged(observed: Observed) -> Iterator[Impact]:
    """What decides about the next `up` and is not known here."""
    for text in observed.not_judged:
        yield impact("not-judged", "danger", observed.stack, f"Not judged: {text.rstrip('.')}.")
