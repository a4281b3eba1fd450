"""The pulumi-kubernetes stand-in: the engine's provider for Kubernetes objects, on a real API server.

For the preview of a change it does without one and keeps the objects itself (`kept.py`).

Behaves as pulumi-kubernetes 4.32 to 4.34 does in server-side apply mode; held against a recording of the real one
(tests/local_aks/kubernetes_provider/test_kubernetes_recording.py) and against observations of it
(tests/local/kubernetes/test_kubernetes_as_measured.py). What it does not do, it refuses by name: Helm, kustomize,
manifests in files, YAML rendering, client-side apply, `pulumi.com/waitFor` and `pulumi.com/replaceUnready`, and any
cluster but its own.
"""

from kubeflow_aks.local_aks.kubernetes_provider.server import serve, servers_of

__all__ = ["serve", "servers_of"]
