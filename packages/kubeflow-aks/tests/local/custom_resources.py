"""Custom resources of operators that no test runs: the API server's own answers on objects of these kinds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Kind
from tests.local.kubectl import Kubectl, Object, eventually
from tests.local.required import required_crds

_MANAGER: Final = "tests"
_KIND: Final = r'{.spec.group} {.spec.versions[?(@.storage==true)].name} {.spec.names.kind}{"\n"}'
"""A custom resource definition's group, version and kind, as a jsonpath template."""


@dataclass
class CustomResources:
    """Puts sets of `kubeflow_aks.tools.crds.CRDS` into a cluster, and objects of their kinds before its API server.

    Attributes:
        kubectl: commands on the cluster.
    """

    kubectl: Kubectl
    _there: dict[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def api(self) -> ApiServer:
        """The cluster's API server, without a process for each request."""
        return ApiServer.of(self.kubectl.kubeconfig)

    def install(self, *names: str) -> None:
        """Makes the kinds of these sets known, each set once; without its files the test is skipped.

        Among sets with the same kinds, such as the releases of the Trainer, the one installed last is in force,
        a moment after this returns.
        """
        for name in names:
            files = {file.name: file for file in required_crds(name)}
            if all(self._there.get(file) == name for file in files):
                continue
            # Created and replaced as they are: to apply one costs the API server as much again.
            verb = "replace" if files.keys() & self._there.keys() else "create"
            options = [f"--filename={file}" for file in files.values()]
            made = self.kubectl.run(verb, "--validate=false", f"--output=jsonpath={_KIND}", *options)
            for line in made.splitlines():
                eventually(partial(self._served, Kind(*line.split())))
            self._there |= dict.fromkeys(files, name)

    def _served(self, kind: Kind) -> bool:
        try:
            self.api.served(kind)
        except NoSuchKindError:
            return False
        return True

    def accept(self, *objects: Object) -> list[Object]:
        """The objects as the API server would store them; nothing is created.

        An object's namespace need not be named, but has to exist.

        Raises:
            ApiError: it refuses one, also for a field that it would drop.
        """
        return [self.api.create(manifest, _MANAGER, dry_run=True, strict=True) for manifest in objects]
