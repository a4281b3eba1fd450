"""Which tools the local AKS needs and how each is built (docs/facts/engine.md#what-can-be-built).

What stands here of a group's tools and the group's `go.mod`, `go.sum` and Go files decide what the binaries do:
`installed.store`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

PULUMI_VERSION: Final = "3.274.1"
"""The engine's."""
KUBERNETES_VERSION: Final = "1.34.12"
"""The control plane's."""
_STRIP: Final = "-s -w"


@dataclass(frozen=True)
class Tool:
    """One program.

    Attributes:
        name: file name of the binary.
        group: folder beside this file whose `go.mod` and `go.sum` pin the tool and all it is made of.
        package: import path of its main package.
        version: exact version, without the leading "v".
        minutes: measured time of a cold build on 2 cores, download included.
        version_arguments: options that print the version; empty if the program has none.
        ldflags: linker flags, version stamps among them.
        tags: build tags.
        manifests: files of the tool's module that are kept beside the binary, as patterns: custom resources, webhooks.
        extra: value of `--with` by which it is built; empty for a tool that every local AKS needs.
        pin: version of its module where that has another one than the program.
        module: path of the tool's module where the main package is one of ours.
    """

    name: str
    group: str
    package: str
    version: str
    minutes: float
    version_arguments: tuple[str, ...] = ("--version",)
    ldflags: str = _STRIP
    tags: str = ""
    manifests: str = ""
    extra: str = ""
    pin: str = ""
    module: str = ""

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"

    @property
    def build_flags(self) -> tuple[str, ...]:
        """Flags of `go build`: reproducible paths, and nothing that `go.sum` does not vouch for."""
        tags = ("-tags", self.tags) if self.tags else ()
        return ("-mod=readonly", "-trimpath", *tags, "-ldflags", self.ldflags)


def _kubernetes(name: str, *, minutes: float, version_arguments: tuple[str, ...] = ("--version",)) -> Tool:
    """A program of Kubernetes itself; unstamped it would call itself v0.0.0 and confuse its clients."""
    stamp = {
        "gitVersion": f"v{KUBERNETES_VERSION}",
        "gitMajor": "1",
        "gitMinor": "34",
        "gitTreeState": "clean",
        "gitCommit": "0",
        "buildDate": "1970-01-01T00:00:00Z",
    }
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    stamps = (f"-X {package}.{key}={value}" for package in packages for key, value in stamp.items())
    return Tool(
        name=name,
        group="kubernetes",
        package=f"k8s.io/kubernetes/cmd/{name}",
        version=KUBERNETES_VERSION,
        minutes=minutes,
        version_arguments=version_arguments,
        ldflags=" ".join((_STRIP, *stamps)),
    )


def _kwok(name: str, *, minutes: float) -> Tool:
    return Tool(name, "kwok", f"sigs.k8s.io/kwok/cmd/{name}", "0.8.0", minutes)


def _pulumi_kubernetes(version: str, *, pin: str, minutes: float) -> Tool:
    """Pulumi's provider of Kubernetes, which shows the engine the version that it is stamped with."""
    module = "github.com/pulumi/pulumi-kubernetes/provider/v4"
    return Tool(
        name="pulumi-resource-kubernetes",
        group="provider",
        package="tools.local/provider",  # `provider/main.go`
        version=version,
        minutes=minutes,
        version_arguments=(),
        ldflags=f"{_STRIP} -X {module}/pkg/version.Version={version}",
        manifests="cmd/pulumi-resource-kubernetes/*.json",
        extra="kubernetes-provider",
        pin=pin,  # of its tags the proxy has none
        module=module,
    )


TOOLS: Final = (
    _kubernetes("kube-apiserver", minutes=6.5),
    _kubernetes("kube-controller-manager", minutes=2.5),
    _kubernetes("kubectl", minutes=1, version_arguments=("version", "--client")),
    _kubernetes("kube-scheduler", minutes=0.3),
    Tool(
        name="pulumi",
        group="engine",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        version=PULUMI_VERSION,
        minutes=7.5,
        version_arguments=("version",),
        # Without the stamp `pulumi version` prints nothing and the Automation API refuses it.
        ldflags=f"{_STRIP} -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{PULUMI_VERSION}",
        tags="osusergo",
    ),
    _kwok("kwokctl", minutes=2.5),
    _kwok("kwok", minutes=0.7),
    Tool("etcd", "etcd", "go.etcd.io/etcd/server/v3", "3.6.16", minutes=1.5),
    Tool(
        name="workflow-controller",
        group="argo",
        package="github.com/argoproj/argo-workflows/v3/cmd/workflow-controller",
        version="3.7.3",
        minutes=6.5,
        version_arguments=(),
        manifests="manifests/base/crds/minimal/argoproj.io_*.yaml",
        extra="argo",
    ),
    Tool(
        name="training-operator.v1",
        group="training",
        package="github.com/kubeflow/training-operator/cmd/training-operator.v1",
        version="1.9.2",
        minutes=2.5,
        version_arguments=(),
        manifests="manifests/base/crds/kubeflow.org_*.yaml",
        extra="training",
    ),
    Tool(
        name="tofu",
        group="tofu",
        package="github.com/opentofu/opentofu/cmd/tofu",
        version="1.12.6",
        minutes=3,
        version_arguments=("version",),
        # Without it every version calls itself a development one.
        ldflags=f"{_STRIP} -X github.com/opentofu/opentofu/version.dev=no",
        extra="tofu",
    ),
    Tool(
        name="juju",
        group="juju",
        package="github.com/juju/juju/cmd/juju",
        version="3.6.25",
        minutes=3,
        version_arguments=("version",),
        tags="minimal,provider_kubernetes",  # of all clouds only Kubernetes
        extra="juju",
        pin="0.0.0-20260624121659-3cabf69373cf",  # its tags are of no major version that Go knows
    ),
    Tool(
        name="sdk-generator",
        group="languages",
        package="tools.local/languages",  # `languages/main.go`
        version=PULUMI_VERSION,
        minutes=1,
        version_arguments=(),
        extra="sdks",
    ),
    Tool(
        name="pulumi-language-yaml",
        group="yaml",  # its release needs an older engine's modules
        package="github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
        version="1.25.0",
        minutes=2,
        version_arguments=(),
        extra="yaml",
    ),
    Tool(
        name="trainer-runtime",
        group="trainer",
        package="tools.local/trainer",  # `trainer/main.go`
        version="2.3.0",
        minutes=2,
        version_arguments=(),
        extra="trainer",
    ),
    Tool(
        name="katib-controller",
        group="katib",
        package="tools.local/katib",  # `katib/main.go`
        version="0.19.0",
        minutes=2,
        version_arguments=(),
        manifests="manifests/v1beta1/components/crd/[!k]*.yaml manifests/v1beta1/components/webhook/webhooks.yaml",
        extra="katib",
        module="github.com/kubeflow/katib",
    ),
    Tool(
        name="ray-operator",
        group="ray",
        package="github.com/ray-project/kuberay/ray-operator",
        version="1.5.0",
        minutes=2,
        version_arguments=(),
        manifests="config/crd/bases/ray.io_*.yaml",
        extra="ray",
    ),
    Tool(
        name="kueue",
        group="kueue",
        package="tools.local/kueue",  # `kueue/main.go`
        version="0.17.0",
        minutes=2,
        version_arguments=(),
        manifests="config/components/crd/bases/*.yaml config/components/webhook/manifests.yaml",
        extra="kueue",
        module="sigs.k8s.io/kueue",
    ),
    Tool(
        name="alert-rules",
        group="alerts",
        package="tools.local/alerts",  # `alerts/main.go`
        version="0.315.1",
        minutes=2,
        version_arguments=(),
        extra="alerts",
    ),
    _pulumi_kubernetes("4.25.0", pin="4.0.0-20260115033456-f47bc2d6f199", minutes=6),
)
"""Every tool; within a group in build order, groups with the longest build first."""

OPTIONAL: Final = {tool.extra: tool.name for tool in TOOLS if tool.extra}
"""Values of `--with`, and the tool that each adds."""


def selected(extras: tuple[str, ...] = ()) -> tuple[Tool, ...]:
    """All tools that are not optional, and those that `extras` (keys of `OPTIONAL`) name."""
    added = {OPTIONAL[extra] for extra in extras}
    return tuple(tool for tool in TOOLS if not tool.extra or tool.name in added)


def only(names: Collection[str]) -> tuple[Tool, ...]:
    """The tools of these names."""
    return tuple(tool for tool in TOOLS if tool.name in names)
