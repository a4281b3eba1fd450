"""The promises of this product, group by group, each judged from what was read and from nothing else."""

from typing import Final

from kubeflow_aks.verify.checks import (
    access,
    autoscaler,
    gpus,
    guard,
    kubeflow,
    nodes,
    objects,
    platform,
    pools,
    storage,
    versions,
    webhooks,
    work,
)
from kubeflow_aks.verify.findings import Check

CHECKS: Final = (
    Check("nodes-ready", "Nodes are ready", pools.ready),
    Check("node-health", "Nodes report no problem", nodes.healthy),
    Check("home-pool", "Kubeflow's own pool takes new pods", nodes.home_takes_pods),
    Check("contract", "Nodes carry the labels and taints of the pool contract", pools.carried),
    Check("known-pools", "Each node belongs to a pool of the stack or to an AKS system pool", pools.known),
    Check("one-open-pool", "Exactly one pool has no taint: the one that Kubeflow runs on", pools.one_open),
    Check("system-nodes", "System nodes accept only AKS's own pods", pools.system),
    Check("gpus", "GPU nodes offer their GPUs and report no fault", gpus.offered),
    Check(
        "autoscaler", "The autoscaler is running and reports the cluster as healthy", autoscaler.is_running
    ),
    Check("autoscaler-pools", "The autoscaler manages each pool", autoscaler.manages_pools),
    Check(
        "priority-map",
        "The priority map lists each pool, and spot before its fallback",
        autoscaler.map_is_complete,
    ),
    Check("priority-map-accepted", "The autoscaler accepts the priority map", autoscaler.map_is_accepted),
    Check("pending", "Pods get a node in time", work.placed),
    Check("default-storage", "There is one default storage class", storage.one_default),
    Check("storage", "The stack's storage classes are as it made them", storage.ours),
    Check("pool-contract", "Tools in the cluster can read the pool contract", objects.contract),
    Check("daemon-sets", "The stack's DaemonSets exist and reach their nodes", objects.daemon_sets),
    Check("eviction-handler", "The eviction handler runs", objects.eviction_handler),
    Check("return-to-spot", "Work returns to spot where the stack asks for it", objects.return_to_spot),
    Check("priority-classes", "Batch work yields to interactive work", objects.priority_classes),
    Check("guard", "The API server keeps Kubeflow's platform and notebooks off spot nodes", guard.refuses),
    Check("webhooks", "Admission webhooks that requests depend on are up", webhooks.answer),
    Check("apis", "Every API of the cluster is available", platform.apis),
    Check("dns", "The cluster's DNS answers", platform.dns),
    Check("platform-pods", "Pods of Kubeflow's platform and of AKS run", platform.pods_run),
    Check("namespaces", "No namespace is stuck in deletion", platform.namespaces),
    Check("kubeflow-namespace", "The namespace kubeflow is Juju's or does not exist yet", kubeflow.namespace),
    Check("kubeflow-home", "Kubeflow's platform runs on its own pool", kubeflow.on_own_pool),
    Check("kernel-limits", "Kernel limits are high enough for Kubeflow", kubeflow.limits),
    Check("argo-retries", "Pipeline steps are retried after an eviction", kubeflow.retries),
    Check("registry", "Nodes pull from the stack's registry", work.pulled),
    Check("kubeconfig", "The API server accepts the kubeconfig's credentials", access.ours),
    Check("juju-token", "The API server accepts Juju's token", access.juju),
    Check("juju-rights", "Juju's account has the rights of a cluster administrator", access.juju_rights),
    Check("clock", "This machine's clock agrees with the API server's", access.clock),
    Check("version", "The cluster runs the stack's Kubernetes version", versions.matches_stack),
    Check("kubelets", "Kubelets are within the API server's version skew", versions.kubelets),
    Check("validated", "Charmed Kubeflow is validated on that Kubernetes version", versions.validated),
    Check("supported", "AKS supports that Kubernetes version", versions.supported),
)
