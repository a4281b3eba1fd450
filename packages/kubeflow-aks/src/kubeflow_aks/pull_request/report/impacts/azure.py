"""What Azure, or the cluster's API server, refuses of a change, in its own words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kubeflow_aks.pull_request.observed import Refusal
from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact, listed, quoted

_ALIAS: Final = "An alias keeps a renamed resource; page `docs/how-to/use-the-components.md` shows how."
_PAGES: Final[Mapping[str, str]] = {
    "NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged": (
        "Page `docs/how-to/upgrade-kubernetes.md` shows how to upgrade."
    ),
    "PropertyChangeNotAllowed": "Page `docs/how-to/move-a-pool.md` shows how another pool takes over.",
    "AlreadyExists": _ALIAS,
    "": _ALIAS,
}
"""By code of Azure or the API server: the page that helps. Without a code azure-native found the resource there."""


def refused(refusals: Sequence[Refusal]) -> Iterator[Impact]:
    """One impact for all resources of one type that are refused with one code."""
    groups: dict[tuple[str, str], list[Refusal]] = {}
    for refusal in refusals:
        groups.setdefault((refusal.type, refusal.code), []).append(refusal)
    for (type_token, code), alike in groups.items():
        names = listed([refusal.name for refusal in alike])
        words = f"{quoted(code)}: {alike[0].message}" if code else alike[0].message
        page = _PAGES.get(code)
        in_cluster = type_token.startswith("kubernetes:")
        who = "The cluster's API server" if in_cluster else "Azure"
        text = (
            f"{who} refuses this change, so `pulumi up` fails at {type_token.rpartition(':')[2]} {names}: "
            f"{words.rstrip('.')}.{f' {page}' if page else ''}"
        )
        yield impact("cluster-refuses" if in_cluster else "azure-refuses", "danger", alike[0].name, text)
