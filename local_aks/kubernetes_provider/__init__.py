"""The pulumi-kubernetes stand-in: the engine's provider for Kubernetes objects, on a real API server.

Behaves as pulumi-kubernetes 4.32 to 4.34 does in server-side apply mode; held against a recording of the real one
(tests/local_aks/kubernetes_provider/data). What it does not do, it refuses: Helm, YAML rendering, client-side apply,
invokes, `pulumi.com/waitFor` and `pulumi.com/replaceUnready`, and any cluster that is not on this machine.
"""

from local_aks.kubernetes_provider.server import serve, servers_of

__all__ = ["serve", "servers_of"]
