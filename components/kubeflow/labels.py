"""The labels that name the purpose and the owner of our objects."""

from typing import Final

OURS: Final = "kubeflow-aks"


def labels(component: str, *, app: str = OURS, version: str | None = None) -> dict[str, str]:
    """Kubernetes's recommended labels ("Recommended Labels").

    A version only where an application has one of its own: ours would change every object with every release.

    Args:
        component: what the object is for, in the cluster's terms.
        app: the application; a daemon selects its pods by it, so it never changes.
        version: the application's version.
    """
    return {
        "app.kubernetes.io/name": app,
        "app.kubernetes.io/part-of": OURS,
        "app.kubernetes.io/managed-by": "pulumi",
        "app.kubernetes.io/component": component,
    } | ({"app.kubernetes.io/version": version} if version else {})


def selector(app: str) -> dict[str, str]:
    """The labels by which a daemon finds its pods; the API server lets nobody change them."""
    return {"app.kubernetes.io/name": app}
