"""The promises of this product, group by group, each judged from what was read and from nothing else."""

from typing import Final

from verify.checks import access, autoscaler, gpus, guard, kubeflow, pools, storage, versions, work
from verify.findings import Check

CHECKS: Final = (
    Check("nodes-ready", "Nodes are ready", pools.ready),
    Check("contract", "Nodes carry the labels and taints of the pool contract", pools.carried),
    Check("known-pools", "Each node is of a pool of the stack, or of AKS's own", pools.known),
    Check("one-open-pool", "One pool is without a taint, and it is Kubeflow's home", pools.one_open),
    Check("system-nodes", "System nodes let in only what belongs to AKS", pools.system),
    Check("gpus", "GPU nodes offer their GPUs", gpus.offered),
    Check("autoscaler", "The autoscaler is at work and holds the cluster for healthy", autoscaler.at_work),
    Check("autoscaler-pools", "The autoscaler looks after each pool", autoscaler.looks_after),
    Check(
        "priority-map",
        "The priority map names each pool, and spot before its fallback",
        autoscaler.map_is_ours,
    ),
    Check(
        "priority-map-taken", "The autoscaler has not complained of the priority map", autoscaler.map_is_taken
    ),
    Check("pending", "Pods get a node in time", work.placed),
    Check("default-storage", "There is one default storage class", storage.one_default),
    Check("storage", "The stack's storage classes exist", storage.ours),
    Check("guard", "The API server keeps Kubeflow's parts and notebooks off spot nodes", guard.refuses),
    Check("kubeflow-namespace", "The namespace kubeflow is Juju's or nobody's", kubeflow.namespace),
    Check("kubeflow-home", "Kubeflow's parts run on its home", kubeflow.at_home),
    Check("kernel-limits", "Kernel limits are high enough for Kubeflow", kubeflow.limits),
    Check("argo-retries", "Pipeline steps whose pod was evicted are tried again", kubeflow.retries),
    Check("registry", "Nodes pull from the stack's registry", work.pulled),
    Check("kubeconfig", "The kubeconfig's sign-in is taken", access.ours),
    Check("juju-token", "Juju's token is taken", access.juju),
    Check("version", "The cluster runs the stack's Kubernetes", versions.as_said),
    Check("kubelets", "Nodes run a Kubernetes that goes with the API server's", versions.kubelets),
    Check("validated", "Charmed Kubeflow is validated on that Kubernetes", versions.validated),
    Check("supported", "AKS supports that Kubernetes", versions.supported),
)
