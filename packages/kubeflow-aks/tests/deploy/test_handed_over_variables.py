"""What the hand-off writes for Canonical's modules is what they take."""

from __future__ import annotations

from typing import Any

import pytest

from aks_facts import kubeflow_options
from kubeflow_aks.handoff import terraform
from tests.deploy import recorded
from tests.deploy.recorded import Layout
from tests.handoff.made_up_outputs import outputs, values, with_basis, with_options

LAYOUTS = [pytest.param(recorded.layout(name), id=name) for name in recorded.RELEASES]
MODULES = recorded.layout("1.11")
STACKS = [
    pytest.param(values(), id="as-recorded"),
    pytest.param(values(ingressAnnotations={}), id="no-annotations"),
    pytest.param(with_basis(network={"policy": "cilium"}), id="cilium"),
]


@pytest.mark.parametrize("stack_outputs", STACKS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_module_takes_every_variable(layout: Layout, stack_outputs: dict[str, Any]) -> None:
    assert layout.refusals(terraform.variables(outputs(stack_outputs), layout.release)) == []


PRODUCTS = recorded.layout("1.11-ubuntu2")
AMBIENT = {
    "service_mesh_type": "ambient",
    "istio_cni_bin_dir": "",
    "istio_cni_conf_dir": "",
    "kubeflow_profiles_security_policy": "privileged",
}
OFFERS = {"ingressConfig": "admin/istio.c", "oauth": "admin/iam.o", "caCertificate": "admin/iam.a"}
COS = {"dashboards": "admin/cos.d", "logging": "admin/cos.l", "metrics": "admin/cos.m"}
OPTIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"components": ["pipelines", "mlflow"]}, {
        **dict.fromkeys(("enable_katib", "enable_kserve", "enable_notebooks"), False),
        **dict.fromkeys(("enable_tensorboard", "enable_training_v1"), False),
        "enable_mlflow": True,
    }),
    ({"mesh": "ambient"}, AMBIENT),
    ({"mesh": "ambient", "auth": "iam", "offers": OFFERS}, {
        **AMBIENT,
        "auth_type": "iam",
        "istio_ingress_config_offer_url": "admin/istio.c",
        "oauth_offer_url": "admin/iam.o",
        "send_ca_cert_offer_url": "admin/iam.a",
    }),
    ({"artifactsEndpoint": "https://s3.example.org", "bucket": "team"}, {
        "object_storage_mode": "S3",
        "s3_endpoint_global": "https://s3.example.org",
        "s3_bucket_global": "team",
    }),
    ({"sparkEndpoint": "https://s3.example.org"}, {
        "s3_endpoint_spark": "https://s3.example.org",
        "s3_bucket_spark": "mlpipeline",
    }),
    ({"proxy": "http://proxy:3128", "noProxy": ["10.0.0.0/8", ".svc"]}, {
        "http_proxy": "http://proxy:3128",
        "https_proxy": "http://proxy:3128",
        "no_proxy": "10.0.0.0/8,.svc",
    }),
    ({"offers": COS}, {
        "dashboards_offer": "admin/cos.d",
        "logging_offer": "admin/cos.l",
        "metrics_offer": "admin/cos.m",
    }),
]  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), OPTIONS, ids=" ".join)
def test_an_option_is_a_variable_of_the_module(options: dict[str, Any], expected: dict[str, Any]) -> None:
    plain = terraform.variables(outputs(), PRODUCTS.release)
    written = terraform.variables(outputs(with_options(**options)), PRODUCTS.release)
    assert PRODUCTS.refusals(written) == []
    assert {name: value for name, value in written.items() if plain.get(name) != value} == expected


def test_every_option_of_the_catalogue_is_a_variable_of_the_module() -> None:
    """A component is on by default where the module has it so."""
    for option in kubeflow_options().values():
        assert set(option.variables) <= set(PRODUCTS.variables)
        if option.option.startswith("components."):
            assert PRODUCTS.variables[option.variables[0]]["default"] == option.on


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_secret_is_written(layout: Layout) -> None:
    """But for maps that are secret because of other keys than these."""
    written = terraform.variables(outputs(), layout.release)
    assert [name for name in written if layout.variables[name]["sensitive"]] == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_root_has_exactly_what_is_written(layout: Layout) -> None:
    """OpenTofu only warns of a value for a variable that the root does not have."""
    assert set(terraform.variables(outputs(), layout.release)) == layout.required


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"minio_storage_size": "256G"}, "minio_storage_size: no such variable"),
        ({"minio_size": 256}, "minio_size: 256 is no string"),
        ({"create_model": "yes"}, 'create_model: "yes" is no bool'),
        ({"minio_revision": True}, "minio_revision: true is no number"),
        (
            {"jupyter_ui_config": {"gpus": 0}},
            'jupyter_ui_config: {"gpus": 0} is no map(string)',
        ),
    ],
)
def test_what_the_module_does_not_take_is_found(variables: dict[str, Any], reason: str) -> None:
    assert MODULES.refusals(variables) == [reason]
