"""Images, users, capabilities and resources of containers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from kubeflow_aks.policy.benchmark.pods import Container, every_container, inputs_of
from kubeflow_aks.policy.benchmark.sources import checkov
from kubeflow_aks.policy.benchmark.values import (
    Inputs,
    at,
    is_set,
    items,
    must_be,
    must_be_set,
    must_not_be,
    shown,
    together,
)
from kubeflow_aks.policy.rule import Rule

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
        yield from together(must_be_set("livenessProbe"), must_be_set("readinessProbe"))(container.inputs)


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
    Rule(
        "container-requests",
        "Containers request CPU and memory, so that the scheduler knows where they fit.",
        source=checkov("CPURequests.py"),
        every=every_container(
            inputs_of(
                together(must_be_set("resources.requests.cpu"), must_be_set("resources.requests.memory"))
            )
        ),
        ids=(
            "CKV_K8S_10",
            "CKV_K8S_12",
            "kube-linter unset-cpu-requirements",
            "kube-linter unset-memory-requirements",
            "Kyverno require-pod-requests-limits",
            "AzPolicy 03a4ecdb",
            "kube-score container-resources",
        ),
    ),
    Rule(
        "container-memory-limits",
        "Containers have a memory limit.",
        source=checkov("MemoryLimits.py"),
        every=every_container(inputs_of(must_be_set("resources.limits.memory"))),
        ids=("CKV_K8S_13", "kubescape C-0271"),
    ),
    Rule(
        "container-cpu-limits",
        "Containers have a CPU limit.",
        source=checkov("CPULimits.py"),
        severity="low",
        every=every_container(inputs_of(must_be_set("resources.limits.cpu"))),
        ids=("CKV_K8S_11", "kubescape C-0270", "AzPolicy e345eecc"),
    ),
    Rule(
        "container-pulls-always",
        "An image whose tag may move is pulled each time.",
        source=checkov("ImagePullPolicyAlways.py"),
        severity="low",
        every=every_container(inputs_of(_pulled)),
        ids=("CKV_K8S_15", "Kyverno always-pull-images", "AzPolicy 50c83470"),
    ),
    Rule(
        "container-not-privileged",
        "No container is privileged.",
        source=checkov("PrivilegedContainers.py"),
        severity="high",
        every=every_container(inputs_of(must_not_be("securityContext.privileged", "true", instead="false"))),
        ids=(
            "CKV_K8S_16",
            "kube-linter privileged-container",
            "Kyverno disallow-privileged-containers",
            "kubescape C-0057",
            "AzPolicy 95edb821",
        ),
    ),
    Rule(
        "container-gains-no-rights",
        "No process gets more privileges than its parent.",
        source=checkov("AllowPrivilegeEscalation.py"),
        every=every_container(inputs_of(must_be("securityContext.allowPrivilegeEscalation", "false"))),
        ids=(
            "CKV_K8S_20",
            "kube-linter privilege-escalation-container",
            "Kyverno disallow-privilege-escalation",
            "kubescape C-0016",
            "AzPolicy 1c6e92c9",
        ),
    ),
    Rule(
        "container-read-only",
        "Containers have a read-only root filesystem.",
        source=checkov("ReadOnlyFilesystem.py"),
        severity="low",
        every=every_container(inputs_of(must_be("securityContext.readOnlyRootFilesystem", "true"))),
        ids=(
            "CKV_K8S_22",
            "kube-linter no-read-only-root-fs",
            "Kyverno require-ro-rootfs",
            "Pulumi DaemonSet enableReadOnlyRootFilesystem",
            "kubescape C-0017",
            "AzPolicy df49d893",
        ),
    ),
    Rule(
        "container-not-root",
        "Containers run as a user that is neither root nor a user of the node.",
        source=checkov("RootContainers.py"),
        every=every_container(_not_root),
        ids=(
            "CKV_K8S_23",
            "CKV_K8S_40",
            "kube-linter run-as-non-root",
            "Kyverno require-run-as-nonroot",
            "kubescape C-0013",
            "AzPolicy f06ddb64",
        ),
    ),
    Rule(
        "container-drops-capabilities",
        "Containers drop the default capabilities.",
        source=checkov("MinimizeCapabilities.py"),
        every=every_container(_no_capabilities),
        ids=(
            "CKV_K8S_28",
            "CKV_K8S_37",
            "kube-linter drop-net-raw-capability",
            "Kyverno require-drop-all",
            "kubescape C-0046",
        ),
    ),
    Rule(
        "container-security-context",
        "Every container has a security context.",
        source=checkov("ContainerSecurityContext.py"),
        severity="low",
        every=every_container(inputs_of(must_be_set("securityContext"))),
        ids=(
            "CKV_K8S_29",
            "CKV_K8S_30",
            "kubescape C-0211",
            "kube-score container-security-context-user-group-id",
        ),
    ),
    Rule(
        "container-seccomp",
        "The runtime's seccomp profile applies to every container.",
        source=checkov("Seccomp.py"),
        every=every_container(_sandboxed),
        ids=("CKV_K8S_31", "Kyverno restrict-seccomp-strict", "AzPolicy 975ce327"),
    ),
    Rule(
        "container-image-by-digest",
        "Images are given by digest.",
        source=checkov("ImageDigest.py"),
        severity="low",
        every=every_container(inputs_of(_by_digest)),
        ids=("CKV_K8S_43", "Kyverno require-image-checksum"),
    ),
    Rule(
        "container-probes",
        "Containers have liveness and readiness probes.",
        source=checkov("LivenessProbe.py"),
        severity="low",
        every=every_container(_probed),
        ids=(
            "CKV_K8S_8",
            "CKV_K8S_9",
            "kube-linter no-liveness-probe",
            "Kyverno require-probes",
            "AzPolicy b1a9997f",
        ),
    ),
    Rule(
        "container-image-tag",
        "Images have a fixed tag, not latest.",
        source=checkov("ImageTagFixed.py"),
        every=every_container(inputs_of(_tagged)),
        ids=("CKV_K8S_14", "kube-linter latest-tag", "Kyverno disallow-latest-tag", "AzPolicy 021f8078"),
    ),
    Rule(
        "container-no-host-ports",
        "Containers use no host ports.",
        source=checkov("HostPort.py"),
        every=every_container(inputs_of(_no_host_ports)),
        ids=("CKV_K8S_26", "Kyverno disallow-host-ports", "kubescape C-0044"),
    ),
    Rule(
        "container-no-added-capabilities",
        "Containers add no capabilities to the default ones.",
        source=checkov("AllowedCapabilities.py"),
        severity="high",
        every=every_container(inputs_of(_no_added_capabilities)),
        ids=("CKV_K8S_25", "CKV_K8S_39", "Kyverno disallow-capabilities", "AzPolicy d2e7ea85"),
    ),
    Rule(
        "container-no-secret-variables",
        "Secrets are mounted as files, not passed in variables.",
        source=checkov("Secrets.py"),
        every=every_container(inputs_of(_no_secret_variables)),
        ids=("CKV_K8S_35", "Kyverno disallow-secrets-from-env-vars", "kubescape C-0207"),
    ),
)
