"""Custom resources of operators that no test runs: the API server's own answers on objects of these kinds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import yaml

from tests.local.kubectl import Kubectl, Object, eventually
from tests.local.required import required_crds


@dataclass
class CustomResources:
    """Puts sets of `kubeflow_aks.tools.crds.CRDS` into a cluster, and objects of their kinds before its API server.

    Attributes:
        kubectl: commands on the cluster.
    """

    kubectl: Kubectl
    _there: set[str] = field(default_factory=set[str])

    def install(self, *names: str) -> None:
        """Makes the kinds of these sets known, each set once; without its files the test is skipped.

        Of sets with the same kinds, such as the releases of the Trainer, the one installed last is in force, a moment
        after this returns.
        """
        for name in names:
            if name in self._there:
                continue
            found = required_crds(name)
            replaced = {file.name for file in found}
            self._there = {
                each for each in self._there if replaced.isdisjoint(f.name for f in required_crds(each))
            }
            files = [f"--filename={file}" for file in found]
            # Server-side: most of them are longer than the annotation that `kubectl apply` would keep.
            self.kubectl.run("apply", "--server-side", "--force-conflicts", *files)
            eventually(lambda given=files: self._established(given))
            self._there.add(name)

    def _established(self, files: list[str]) -> bool:
        """Not by `kubectl wait`, which stops at one that has no conditions yet."""
        found = self.kubectl.get(*files)
        return all(
            any(
                condition["type"] == "Established" and condition["status"] == "True"
                for condition in each.get("status", {}).get("conditions") or ()
            )
            for each in found.get("items", [found])
        )

    def accept(self, *objects: Object) -> list[Object]:
        """The objects as the API server would store them; a field that it would drop fails the test.

        Nothing is created. An object's namespace need not be named, but has to exist.
        """
        given = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        command = ("create", "--dry-run=server", "--validate=strict", "--output=yaml", "--filename=-")
        return list(yaml.safe_load_all(self.kubectl.run(*command, given=given)))
