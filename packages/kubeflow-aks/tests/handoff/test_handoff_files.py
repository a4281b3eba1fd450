"""What is in the files of a hand-off."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
import yaml

from aks_facts import charmed_kubeflow_releases
from ckf_spot import contract
from ckf_spot.generated.spawner import jupyter_ui_config
from ckf_spot.pools import Pools
from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.handoff.files import CHARMS, VARIABLES, files
from tests.handoff.made_up_outputs import CERTIFICATE, TOKEN, outputs, values, with_basis

SECRET = {"credentials.yaml", "kubeconfig"}


def variables_of(release: str, **changed: Any) -> dict[str, Any]:
    raw_outputs = with_basis(kubeflow={"release": release})
    basis = {**raw_outputs["clusterBasis"], **changed.pop("basis", {})}
    return json.loads(files(outputs({**raw_outputs, "clusterBasis": basis, **changed}))[VARIABLES])


def modules(**changed: Any) -> dict[str, Any]:
    return variables_of("1.11", **changed)


def products(**changed: Any) -> dict[str, Any]:
    return variables_of("1.11-ubuntu2", **changed)


def test_the_cloud_is_the_cluster_with_its_storage() -> None:
    raw_outputs = values()
    clouds = yaml.safe_load(files(outputs())["clouds.yaml"])["clouds"]
    assert clouds == {
        "aks-dev": {
            "type": "kubernetes",
            "auth-types": ["oauth2"],
            "endpoint": raw_outputs["jujuEndpoint"],
            "ca-certificates": [CERTIFICATE],
            "host-cloud-region": "azure/westeurope",
            "regions": {"westeurope": {}},
            "config": {
                "operator-storage": raw_outputs["storageClass"],
                "workload-storage": raw_outputs["storageClass"],
            },
        }
    }


def test_the_credential_is_for_that_cloud() -> None:
    credentials = yaml.safe_load(files(outputs())["credentials.yaml"])
    assert credentials == {"credentials": {"aks-dev": {"aks-dev": {"auth-type": "oauth2", "Token": TOKEN}}}}


def test_the_kubeconfig_runs_no_program() -> None:
    text = files(outputs())["kubeconfig"]
    target = kubeconfig.active(kubeconfig.parse(text))
    assert target.user == {"token": TOKEN}
    [cluster] = yaml.safe_load(text)["clusters"]
    assert base64.b64decode(cluster["cluster"]["certificate-authority-data"]).decode() == CERTIFICATE
    assert "exec" not in text


def test_the_token_is_in_no_other_file() -> None:
    assert {name for name, text in files(outputs()).items() if TOKEN in text} == SECRET


def test_modules_kubeflow_gets_what_the_cluster_has() -> None:
    variables = modules()
    annotations = dict(
        annotation.split("=") for annotation in variables["istio_ingressgateway_annotations"].split(",")
    )
    assert annotations == values()["ingressAnnotations"]
    assert variables["minio_mode"] == "server"
    assert (
        variables["argo_controller_bucket"] == variables["kfp_api_object_store_bucket_name"] == "mlpipeline"
    )
    assert variables["kubeflow_dashboard_registration_flow"] == "true"
    sizes = {key: value for key, value in variables.items() if key.endswith("_size")}
    assert set(sizes) == {"minio_size", "kfp_db_size", "katib_db_size", "mlmd_size"}
    assert "10G" not in sizes.values()


def test_the_order_of_outputs_changes_nothing_for_terraform() -> None:
    turned = dict(sorted(values()["ingressAnnotations"].items(), reverse=True))
    assert list(turned) != sorted(turned)
    assert modules(ingressAnnotations=turned) == modules()


def test_products_kubeflow_corrects_its_defaults() -> None:
    variables = products()
    assert (variables["release"], variables["risk"], variables["service_mesh_type"]) == (
        "1.11",
        "stable",
        "sidecar",
    )
    assert (variables["object_storage_mode"], variables["s3_bucket_global"]) == ("minio", "mlpipeline")
    assert variables["istio_ingressgateway_config"] == {
        "kind": "ingress",
        "annotations": modules()["istio_ingressgateway_annotations"],
    }
    assert "10G" not in (
        variables["minio_storage_size"],
        variables["mysql_storage_size"],
        variables["mlmd_storage_size"],
    )


def test_notebooks_are_offered_the_pools_of_the_outputs() -> None:
    expected = jupyter_ui_config(Pools(contract.parse(json.dumps(values()["poolContract"]), "pools")))
    assert modules()["jupyter_ui_config"] == products()["jupyter_ui_config"] == expected
    assert json.loads(expected["affinity-options"])


@pytest.mark.parametrize(
    ("policy", "directories", "profiles"),
    [
        ("none", ("/opt/cni/bin", "/etc/cni/net.d"), "baseline"),
        ("calico", ("", ""), "privileged"),
        ("cilium", ("", ""), "privileged"),
    ],
)
def test_istio_s_plug_in_is_where_canonical_tests_it(
    policy: str, directories: tuple[str, str], profiles: str
) -> None:
    network = {"network": {"policy": policy}}
    for variables in (modules(basis=network), products(basis=network)):
        assert (variables["istio_cni_bin_dir"], variables["istio_cni_conf_dir"]) == directories
        assert variables["kubeflow_profiles_security_policy"] == profiles


def test_no_variable_is_a_secret() -> None:
    names = {*modules(), *products()}
    assert not [name for name in names if "password" in name or "username" in name or "secret" in name]


@pytest.mark.parametrize(
    ("release", "root"), [("1.11", "modules-kubeflow"), ("1.11-ubuntu2", "products-kubeflow")]
)
def test_a_release_names_its_root_and_its_charms(release: str, root: str) -> None:
    texts = files(outputs(with_basis(kubeflow={"release": release})))
    assert f"RELEASE={release}\nROOT={root}\n" in texts["names.sh"]
    assert list(json.loads(texts[CHARMS])) == list(charmed_kubeflow_releases()[release].charms)


def test_a_release_without_a_root_gets_no_variables() -> None:
    texts = files(outputs(with_basis(kubeflow={"release": "1.10"})))
    assert not {VARIABLES, CHARMS} & set(texts)
    assert "RELEASE=1.10\n" in texts["names.sh"]
    assert "TFVARS=''\n" in texts["names.sh"]


@pytest.mark.parametrize(
    ("raw_outputs", "message"),
    [
        (
            values(jujuToken="[secret]"),
            "dev: output jujuToken is masked; read the outputs with --show-secrets",
        ),
        (values(jujuToken=""), "dev: output jujuToken has an unexpected value; expected a token"),
        (
            values(jujuToken=f"{TOKEN}\nuser: x"),
            "dev: output jujuToken has an unexpected value; expected a token",
        ),
        (values(jujuToken=["a"]), "dev: output jujuToken has an unexpected type; expected text"),
        (
            values(jujuEndpoint="http://aks"),
            "dev: output jujuEndpoint has an unexpected value; expected an https address",
        ),
        (
            values(jujuEndpoint="https://[aks"),
            "dev: output jujuEndpoint has an unexpected value; expected an https address",
        ),
        (
            values(jujuCaCertificate="CA"),
            "dev: output jujuCaCertificate has an unexpected value; expected a certificate in PEM",
        ),
        (
            values(storageClass="A class"),
            "dev: output storageClass has an unexpected value; expected a storage class's name",
        ),
        (
            with_basis(location="West Europe"),
            "dev: output clusterBasis: location has an unexpected value; expected a region",
        ),
        (
            with_basis(kubeflow={"release": "2.0"}),
            (
                "dev: output clusterBasis: kubeflow.release has an unexpected value; expected one of 1.10, 1.11, "
                "1.11-ubuntu2"
            ),
        ),
        (
            values(ingressAnnotations={"a": "b,c=d"}),
            "dev: output ingressAnnotations has an unexpected value; expected names and plain values",
        ),
        (
            values(poolContract={}),
            "dev: output poolContract has an unexpected type; expected a list of pools",
        ),
        (values(poolContract=[]), "dev: output poolContract: there is no pool in it"),
        (
            values(poolContract=[{"name": "general"}]),
            "dev: output poolContract: pools[general].role is missing; expected general, cpu, gpu (and 7 more)",
        ),
    ],
)
def test_outputs_that_can_t_be_handed_over_are_reported_in_one_line(
    raw_outputs: dict[str, Any], message: str
) -> None:
    with pytest.raises(StackError) as refused:
        files(outputs(raw_outputs))
    assert str(refused.value) == message
    assert TOKEN not in message


def test_a_cluster_without_a_home_for_notebooks_is_reported() -> None:
    pools = [pool for pool in values()["poolContract"] if pool["role"] != "general"]
    with pytest.raises(StackError, match="notebooks need an on-demand pool of the role 'general'"):
        files(outputs(values(poolContract=pools)))
