"""Images, users, capabilities and resources of containers."""

import re
from collections.abc import Iterator
from typing import Any, Final

from kubeflow_aks.policy.benchmark.pods import Container, container_inputs, every_container
from kubeflow_aks.policy.benchmark.table import checkov, high, low, medium
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


RULES: Final = (
    medium(
        "container-requests",
        "Containers request CPU and memory, so that the scheduler knows where they fit.",
        container_inputs(must_be_set("resources.requests.cpu"), must_be_set("resources.requests.memory")),
        checkov(
            "CPURequests.py",
            "CKV_K8S_10, CKV_K8S_12, kube-linter unset-cpu-requirements, "
            "kube-linter unset-memory-requirements, Kyverno require-pod-requests-limits, "
            "AzPolicy 03a4ecdb, kube-score container-resources",
        ),
    ),
    medium(
        "container-memory-limits",
        "Containers have a memory limit.",
        container_inputs(must_be_set("resources.limits.memory")),
        checkov("MemoryLimits.py", "CKV_K8S_13, kubescape C-0271"),
    ),
    low(
        "container-cpu-limits",
        "Containers have a CPU limit.",
        container_inputs(must_be_set("resources.limits.cpu")),
        checkov("CPULimits.py", "CKV_K8S_11, kubescape C-0270, AzPolicy e345eecc"),
    ),
    low(
        "container-pulls-always",
        "An image whose tag may move is pulled each time.",
        container_inputs(_pulled),
        checkov("ImagePullPolicyAlways.py", "CKV_K8S_15, Kyverno always-pull-images, AzPolicy 50c83470"),
    ),
    high(
        "container-not-privileged",
        "No container is privileged.",
        container_inputs(must_not_be("securityContext.privileged", "true", instead="false")),
        checkov(
            "PrivilegedContainers.py",
            "CKV_K8S_16, kube-linter privileged-container, Kyverno disallow-privileged-containers, "
            "kubescape C-0057, AzPolicy 95edb821",
        ),
    ),
    medium(
        "container-gains-no-rights",
        "No process gets more privileges than its parent.",
        container_inputs(must_be("securityContext.allowPrivilegeEscalation", "false")),
        checkov(
            "AllowPrivilegeEscalation.py",
            "CKV_K8S_20, kube-linter privilege-escalation-container, "
            "Kyverno disallow-privilege-escalation, kubescape C-0016, AzPolicy 1c6e92c9",
        ),
    ),
    low(
        "container-read-only",
        "Containers have a read-only root filesystem.",
        container_inputs(must_be("securityContext.readOnlyRootFilesystem", "true")),
        checkov(
            "ReadOnlyFilesystem.py",
            "CKV_K8S_22, kube-linter no-read-only-root-fs, Kyverno require-ro-rootfs, "
            "Pulumi DaemonSet enableReadOnlyRootFilesystem, kubescape C-0017, AzPolicy df49d893",
        ),
    ),
    medium(
        "container-not-root",
        "Containers run as a user that is neither root nor a user of the node.",
        every_container(_not_root),
        checkov(
            "RootContainers.py",
            "CKV_K8S_23, CKV_K8S_40, kube-linter run-as-non-root, Kyverno require-run-as-nonroot, "
            "kubescape C-0013, AzPolicy f06ddb64",
        ),
    ),
    medium(
        "container-drops-capabilities",
        "Containers drop the default capabilities.",
        every_container(_no_capabilities),
        checkov(
            "MinimizeCapabilities.py",
            "CKV_K8S_28, CKV_K8S_37, kube-linter drop-net-raw-capability, Kyverno require-drop-all, "
            "kubescape C-0046",
        ),
    ),
    low(
        "container-security-context",
        "Every container has a security context.",
        container_inputs(must_be_set("securityContext")),
        checkov(
            "ContainerSecurityContext.py",
            "CKV_K8S_29, CKV_K8S_30, kubescape C-0211, kube-score container-security-context-user-group-id",
        ),
    ),
    medium(
        "container-seccomp",
        "The runtime's seccomp profile applies to every container.",
        every_container(_sandboxed),
        checkov("Seccomp.py", "CKV_K8S_31, Kyverno restrict-seccomp-strict, AzPolicy 975ce327"),
    ),
    low(
        "container-image-by-digest",
        "Images are given by digest.",
        container_inputs(_by_digest),
        checkov("ImageDigest.py", "CKV_K8S_43, Kyverno require-image-checksum"),
    ),
    low(
        "container-probes",
        "Containers have liveness and readiness probes.",
        every_container(_probed),
        checkov(
            "LivenessProbe.py",
            "CKV_K8S_8, CKV_K8S_9, kube-linter no-liveness-probe, Kyverno require-probes, AzPolicy b1a9997f",
        ),
    ),
    medium(
        "container-image-tag",
        "Images have a fixed tag, not latest.",
        container_inputs(_tagged),
        checkov(
            "ImageTagFixed.py",
            "CKV_K8S_14, kube-linter latest-tag, Kyverno disallow-latest-tag, AzPolicy 021f8078",
        ),
    ),
    medium(
        "container-no-host-ports",
        "Containers use no host ports.",
        container_inputs(_no_host_ports),
        checkov("HostPort.py", "CKV_K8S_26, Kyverno disallow-host-ports, kubescape C-0044"),
    ),
    high(
        "container-no-added-capabilities",
        "Containers add no capabilities to the default ones.",
        container_inputs(_no_added_capabilities),
        checkov(
            "AllowedCapabilities.py",
            "CKV_K8S_25, CKV_K8S_39, Kyverno disallow-capabilities, AzPolicy d2e7ea85",
        ),
    ),
    medium(
        "container-no-secret-variables",
        "Secrets are mounted as files, not passed in variables.",
        container_inputs(_no_secret_variables),
        checkov("Secrets.py", "CKV_K8S_35, Kyverno disallow-secrets-from-env-vars, kubescape C-0207"),
    ),
)
