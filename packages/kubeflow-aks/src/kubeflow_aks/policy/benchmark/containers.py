"""Images, users, capabilities and resources of containers."""

import re
from collections.abc import Iterator
from typing import Any, Final

from kubeflow_aks.policy.benchmark.pods import Container, container_inputs, every_container
from kubeflow_aks.policy.benchmark.values import (
    Inputs,
    at,
    is_set,
    items,
    must_be,
    must_be_set,
    must_not_be,
    shown,
)
from kubeflow_aks.policy.table import rules

_LEAST_USER: Final = 10_000
_TAG: Final = re.compile(r".+:(?P<tag>[\w.-]+)")


def _context(container: Container, key: str) -> Any:
    """A setting of the security context; the container's overrides the pod's."""
    setting = at(container.inputs, f"securityContext.{key}")
    return at(container.pod, f"securityContext.{key}") if setting is None else setting


def _not_root(container: Container) -> Iterator[str]:
    user = _context(container, "runAsUser")
    if user is None and not _context(container, "runAsNonRoot"):
        yield "neither securityContext.runAsNonRoot nor runAsUser is set; expected a user that is not root"
    elif user is None:
        yield f"securityContext.runAsUser is not set; expected {_LEAST_USER} or more, which no user of a node has"
    elif user < _LEAST_USER:
        yield f"securityContext.runAsUser is {user}; expected {_LEAST_USER} or more, which no user of a node has"


def _no_capabilities(container: Container) -> Iterator[str]:
    """A privileged container has all capabilities in any case."""
    if at(container.inputs, "securityContext.privileged"):
        return
    dropped = items(container.inputs, "securityContext.capabilities.drop")
    if "ALL" not in [str(name).upper() for name in dropped]:
        yield f"securityContext.capabilities.drop is {', '.join(dropped) or 'not set'}; expected ALL"


def _sandboxed(container: Container) -> Iterator[str]:
    profile = _context(container, "seccompProfile")
    if at(profile, "type") not in ("RuntimeDefault", "Localhost"):
        yield f"securityContext.seccompProfile.type is {shown(at(profile, 'type'))}; expected RuntimeDefault"


def _image(inputs: Inputs) -> str:
    image = at(inputs, "image")
    return "" if image is None else str(image)


def _fixed(inputs: Inputs) -> bool:
    """Whether an image is given by digest."""
    return "@sha256:" in _image(inputs)


def _by_digest(inputs: Inputs) -> Iterator[str]:
    if not _fixed(inputs):
        yield f"image is {shown(_image(inputs))}; expected one with a digest"


def _tagged(inputs: Inputs) -> Iterator[str]:
    tag = _TAG.fullmatch(_image(inputs).rpartition("/")[2])
    if not _fixed(inputs) and (tag is None or tag["tag"] == "latest"):
        yield f"image is {shown(_image(inputs))}; expected a tag that is not latest"


def _pulled(inputs: Inputs) -> Iterator[str]:
    """An image by digest is the same whenever it was pulled."""
    if not _fixed(inputs):
        yield from must_be("imagePullPolicy", "Always")(inputs)


def _probed(container: Container) -> Iterator[str]:
    if not (container.init or container.ends):
        for probe in ("livenessProbe", "readinessProbe"):
            yield from must_be_set(probe)(container.inputs)


def _no_host_ports(inputs: Inputs) -> Iterator[str]:
    for port in items(inputs, "ports"):
        if at(port, "hostPort"):
            yield f"ports has hostPort {shown(at(port, 'hostPort'))}; expected none"


def _no_added_capabilities(inputs: Inputs) -> Iterator[str]:
    if added := items(inputs, "securityContext.capabilities.add"):
        yield f"securityContext.capabilities.add is {', '.join(map(str, added))}; expected none"


def _no_secret_variables(inputs: Inputs) -> Iterator[str]:
    for variable in items(inputs, "env"):
        if is_set(at(variable, "valueFrom.secretKeyRef")):
            yield f"env.{at(variable, 'name')} comes from a Secret; expected a mounted file"
    if any(is_set(at(source, "secretRef")) for source in items(inputs, "envFrom")):
        yield "envFrom has a Secret; expected a mounted file"


RULES: Final = rules(
    {
        "container-requests": container_inputs(
            must_be_set("resources.requests.cpu"), must_be_set("resources.requests.memory")
        ),
        "container-memory-limits": container_inputs(must_be_set("resources.limits.memory")),
        "container-cpu-limits": container_inputs(must_be_set("resources.limits.cpu")),
        "container-pulls-always": container_inputs(_pulled),
        "container-not-privileged": container_inputs(
            must_not_be("securityContext.privileged", "true", instead="false")
        ),
        "container-gains-no-rights": container_inputs(
            must_be("securityContext.allowPrivilegeEscalation", "false")
        ),
        "container-read-only": container_inputs(must_be("securityContext.readOnlyRootFilesystem", "true")),
        "container-not-root": every_container(_not_root),
        "container-drops-capabilities": every_container(_no_capabilities),
        "container-security-context": container_inputs(must_be_set("securityContext")),
        "container-seccomp": every_container(_sandboxed),
        "container-image-by-digest": container_inputs(_by_digest),
        "container-probes": every_container(_probed),
        "container-image-tag": container_inputs(_tagged),
        "container-no-host-ports": container_inputs(_no_host_ports),
        "container-no-added-capabilities": container_inputs(_no_added_capabilities),
        "container-no-secret-variables": container_inputs(_no_secret_variables),
    }
)
