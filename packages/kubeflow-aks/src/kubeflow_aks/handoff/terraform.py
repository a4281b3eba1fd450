"""Variables for Canonical's Terraform, in each of its layouts."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from aks_facts import CharmedKubeflowRelease, kubeflow_options
from ckf_spot import contract
from ckf_spot.errors import PlacementError
from ckf_spot.generated.spawner import jupyter_ui_config
from ckf_spot.pools import Pools
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.json_values import at, texts

_BUCKET: Final = "mlpipeline"
"""Where Kubeflow Pipelines looks for its steps' outputs by default."""
_ARTIFACTS: Final = "256G"
"""MinIO holds every artifact, and its volume is one Azure disk: P15. Our choice, as are the databases'."""
_DATABASE: Final = "32G"
"""One Azure disk of the size P4; the modules' own 10G is little, and Azure bills it as 16."""


def variables(outputs: Outputs, release: CharmedKubeflowRelease) -> dict[str, Any]:
    """Variables of the layout that deploys a release, for its root in `deploy/`.

    No secret is among them: the first user's name and password go by the environment, into no file.

    Raises:
        StackError: an output is not there, or is not what is expected.
    """
    return _LAYOUTS[release.layout](outputs, release)


def _modules_kubeflow(outputs: Outputs, _: CharmedKubeflowRelease) -> dict[str, Any]:
    """Variables of `modules/kubeflow`."""
    return {
        "risk": "stable",
        "create_model": True,
        **_mesh(outputs),
        "istio_ingressgateway_annotations": ingress_annotations(outputs),
        "kubeflow_dashboard_registration_flow": "true",
        "jupyter_ui_config": notebook_options(outputs),
        "minio_mode": "server",
        "minio_size": _ARTIFACTS,
        "argo_controller_bucket": _BUCKET,
        "kfp_api_object_store_bucket_name": _BUCKET,
        "kfp_db_size": _DATABASE,
        "katib_db_size": _DATABASE,
        "mlmd_size": _DATABASE,
    }


def _products_kubeflow(outputs: Outputs, release: CharmedKubeflowRelease) -> dict[str, Any]:
    """Variables of `terraform/products/kubeflow`.

    Its own defaults are the release `latest` from the channel edge, Istio's ambient mode, and an S3 outside of the
    cluster, which Azure's Blob storage is not (`terraform/products/kubeflow/variables.tf`).
    """
    options = outputs.basis("kubeflow", "options")
    return {
        "release": release.release.partition("-")[0],
        "risk": "stable",
        "create_model": True,
        "service_mesh_type": at(options, "mesh"),
        "auth_type": at(options, "auth"),
        **_mesh(outputs, sidecar=at(options, "mesh") == "sidecar"),
        "istio_ingressgateway_config": {"kind": "ingress", "annotations": ingress_annotations(outputs)},
        "kubeflow_dashboard_config": {"registration-flow": "true"},
        "jupyter_ui_config": notebook_options(outputs),
        "object_storage_mode": "S3" if at(options, "artifactsEndpoint") else "minio",
        "s3_bucket_global": at(options, "bucket"),
        "minio_config": {"mode": "server"},
        "minio_storage_size": _ARTIFACTS,
        "mysql_storage_size": _DATABASE,
        "mlmd_storage_size": _DATABASE,
        **_options(options),
    }


def _options(options: object) -> dict[str, Any]:
    """Variables of `aks_facts/kubeflow_options.csv` whose value is another than the module's default."""
    components, made = texts(at(options, "components")), dict[str, Any]()
    for option in kubeflow_options().values():
        path, equals, _ = option.option.partition("=")
        group, _, name = path.partition(".")
        if equals:
            continue  # always written
        if group == "components":
            value = None if (name in components) == option.on else name in components
        else:
            value = at(options, *path.split("."))
            value = ",".join(texts(value)) if isinstance(value, list) else value
        if value not in (None, ""):
            made |= dict.fromkeys(option.variables, value)
    return made | ({"s3_bucket_spark": at(options, "bucket")} if at(options, "sparkEndpoint") else {})


_LAYOUTS: Final[Mapping[str, Callable[[Outputs, CharmedKubeflowRelease], dict[str, Any]]]] = {
    "modules/kubeflow": _modules_kubeflow,
    "terraform/products/kubeflow": _products_kubeflow,
}


def ingress_annotations(outputs: Outputs) -> str:
    """The ingress's annotations as the charm istio-ingressgateway takes them: `key=value`, separated by commas.

    In the order of their names, for Terraform would see a change in another order.

    Raises:
        StackError: one has a sign in it that would end it.
    """
    annotations = outputs.mapping("ingressAnnotations")
    for key, value in annotations.items():
        if not isinstance(value, str) or not value.isprintable() or set(f"{key}{value}") & set(",= \"'"):
            raise StackError(
                f"{outputs.stack}: output ingressAnnotations has an unexpected value; expected names and plain values"
            )
    return ",".join(f"{key}={value}" for key, value in sorted(annotations.items()))


def notebook_options(outputs: Outputs) -> dict[str, str]:
    """Options of the notebook form, made from the pool contract as `ckf-spot generate spawner` makes them.

    Raises:
        StackError: the contract is not one that work can be placed by.
    """
    try:
        pools = contract.parse(json.dumps(list(outputs.pools())), "output poolContract")
        return jupyter_ui_config(Pools(pools))
    except PlacementError as error:
        first, *more = map(str, error.mistakes)
        others = f" (and {len(more)} more)" if more else ""
        raise StackError(f"{outputs.stack}: {first}{others}") from None


def _mesh(outputs: Outputs, *, sidecar: bool = True) -> Mapping[str, str]:
    """How Istio gets into a pod, and with it what profiles' pods may do.

    Its CNI plug-in spares them `NET_ADMIN`, so that their namespaces can be held to Pod Security's baseline, and
    Canonical's pipeline for AKS tests the two together (`.github/workflows/deploy-to-aks.yaml`). Cilium removes other
    plug-ins' configuration by default ("Cilium: Integration with Istio"), and AKS does not expose that setting;
    Canonical's pipelines on Cilium and Calico leave the plug-in out. The ambient mode has no part in a pod.
    """
    plugin = sidecar and outputs.basis("network", "policy") == "none"
    return {
        "istio_cni_bin_dir": "/opt/cni/bin" if plugin else "",
        "istio_cni_conf_dir": "/etc/cni/net.d" if plugin else "",
        "kubeflow_profiles_security_policy": "baseline" if plugin else "privileged",
    }
