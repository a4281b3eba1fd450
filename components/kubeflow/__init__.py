"""Everything Charmed Kubeflow needs in the cluster before Juju deploys it, and nothing Juju owns (ckf.md §2)."""

from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs

__all__ = ["KubeflowPrerequisites", "KubeflowPrerequisitesArgs"]
