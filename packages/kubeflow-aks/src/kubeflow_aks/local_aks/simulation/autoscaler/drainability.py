"""Whether a pod may be moved off its node by scale-down (cluster-autoscaler simulator/drainability/rules).

Unlike upstream's FAQ the local-storage default is AKS's: such pods do not hold a node (Profile).
"""

from collections.abc import Iterable

from kubeflow_aks.local_aks.simulation.autoscaler.model import Controller, DisruptionBudget, Pod
from kubeflow_aks.local_aks.simulation.autoscaler.predicates import labels_match
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile


def ends_with_node(pod: Pod) -> bool:
    """Whether nobody moves the pod: a DaemonSet's, or a static pod of the kubelet."""
    return pod.controller in {Controller.DAEMON_SET, Controller.MIRROR}


def stays_behind(pod: Pod) -> bool:
    """Whether a drain leaves the pod alone: it ends with its node, or is already ending."""
    return pod.terminating or ends_with_node(pod)


def blocks(pod: Pod, profile: Profile, budgets: Iterable[DisruptionBudget]) -> bool:
    """Whether the pod holds its node."""
    if stays_behind(pod):
        return False
    mine = [budget for budget in budgets if protects(budget, pod)]
    if any(budget.allowed < 1 for budget in mine):
        return True
    if pod.safe_to_evict is not None:
        return not pod.safe_to_evict
    return (
        pod.controller in {Controller.NONE, Controller.CUSTOM}
        or (profile.skip_nodes_with_system_pods and pod.namespace == "kube-system" and not mine)
        or (profile.skip_nodes_with_local_storage and pod.local_storage)
    )


def protects(budget: DisruptionBudget, pod: Pod) -> bool:
    """Whether a PodDisruptionBudget selects the pod."""
    return (
        budget.namespace == pod.namespace
        and all(pod.labels.get(key) == value for key, value in budget.match_labels)
        and labels_match(budget.expressions, pod.labels)
    )
