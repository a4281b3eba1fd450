"""Rules of the cluster autoscaler's profile: every value is text, and each has its form.

Whole minutes, whole seconds and the rest: managedClusters.json 2025-09-01, ManagedClusterProperties.autoScalerProfile;
`0m` is one of the values in cluster-autoscaler.md, "aggressive scale down".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, Rule, invalid, when

_EXPANDERS: Final = ("random", "least-waste", "most-pods", "priority")
_MINUTES: Final = r"\d+m"
_NUMBER: Final = r"\d+"
_BOOLEAN: Final = "true|false"
_FORMS: Final[Mapping[str, str]] = {
    "scanInterval": r"\d+s?",
    "newPodScaleUpDelay": r"\d+(ms|s|m|h)",
    "maxNodeProvisionTime": _MINUTES,
    "scaleDownDelayAfterAdd": _MINUTES,
    "scaleDownDelayAfterDelete": rf"{_MINUTES}|\d+s",  # the default is the scan interval, which has seconds
    "scaleDownDelayAfterFailure": _MINUTES,
    "scaleDownUnneededTime": _MINUTES,
    "scaleDownUnreadyTime": _MINUTES,
    "maxEmptyBulkDelete": r"[1-9]\d*",
    "maxGracefulTerminationSec": _NUMBER,
    "maxTotalUnreadyPercentage": r"100|\d{1,2}",
    "okTotalUnreadyCount": _NUMBER,
    "scaleDownUtilizationThreshold": r"\d+(\.\d+)?",
    "balanceSimilarNodeGroups": _BOOLEAN,
    "skipNodesWithLocalStorage": _BOOLEAN,
    "skipNodesWithSystemPods": _BOOLEAN,
}


def _malformed(request: ClusterRequest) -> Mapping[str, object] | None:
    for name, form in _FORMS.items():
        value = request.get(f"autoScalerProfile.{name}")
        if value is not None and not re.fullmatch(form, str(value)):
            return {"parameter": re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)}
    return None


AUTOSCALER_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="autoscaler-form",
        message="Invalid value specified for the cluster-autoscaler parameter '{parameter}'. Please refer to "
        "https://aka.ms/cluster-autoscaler for more details.",
        broken=_malformed,
        quotes="Azure/azure-sdk-for-go#14311, MicrosoftDocs/azure-docs#123289, MicrosoftDocs/azure-docs#121999",
    ),
    Rule(
        id="autoscaler-expander",
        message=invalid("autoScalerProfile.expander", "'{expander}' is not one of the expanders of AKS."),
        broken=lambda r: when(
            (expander := r.get("autoScalerProfile.expander")) not in (None, *_EXPANDERS), expander=expander
        ),
        source="cluster-autoscaler.md (docs/facts/aks.md#autoscaler-profile)",
    ),
)
