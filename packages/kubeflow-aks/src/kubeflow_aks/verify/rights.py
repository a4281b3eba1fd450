"""Rights of the program's service accounts, as its roles and their bindings grant them.

They are read from what the program registered, so a program in the cluster that gets another right is checked for it.
"""

from collections.abc import Iterable, Iterator
from itertools import product

from kubeflow_aks.clients.kubernetes.objects import Object, at, items, name_of, namespace_of
from kubeflow_aks.verify.snapshot import text


def registered_rights(objects: Iterable[Object]) -> Iterator[tuple[str, Object]]:
    """Service account as `namespace/name`, and what it may do, as an access review takes it.

    Rights of a role that the program did not register, such as `cluster-admin`, are left out, and those on addresses
    that are no resource.
    """
    registered = list(objects)
    roles = {
        (text(obj, "kind"), namespace_of(obj), name_of(obj)): items(obj.get("rules"))
        for obj in registered
        if text(obj, "kind") in ("Role", "ClusterRole")
    }
    for binding in registered:
        if text(binding, "kind") not in ("RoleBinding", "ClusterRoleBinding"):
            continue
        where, kind = namespace_of(binding), text(binding, "roleRef", "kind")
        role = (kind, where if kind == "Role" else "", text(binding, "roleRef", "name"))
        for subject, rule in product(items(binding.get("subjects")), roles.get(role, ())):
            if text(subject, "kind") == "ServiceAccount":
                account = f"{text(subject, 'namespace')}/{text(subject, 'name')}"
                yield from ((account, attributes) for attributes in _attributes(rule, where))


def _attributes(rule: object, namespace: str) -> Iterator[Object]:
    """Each action of a rule by itself; `namespace` is empty for all."""
    keys = ("apiGroups", "resources", "resourceNames", "verbs")
    groups, resources, names, verbs = (items(at(rule, key)) for key in keys)
    for group, resource, name, verb in product(groups, resources, names or [""], verbs):
        whole, _, subresource = str(resource).partition("/")
        attributes = {
            "namespace": namespace,
            "verb": verb,
            "group": group,
            "resource": whole,
            "subresource": subresource,
            "name": name,
        }
        yield {key: value for key, value in attributes.items() if value}
