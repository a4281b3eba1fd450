"""What the program does with a kubeconfig."""

import base64
from typing import Any

import yaml

from components.cluster.kubeconfig import api_endpoint, with_kubelogin_mode

AUTHORITY = "-----BEGIN CERTIFICATE-----\n"


def kubeconfig(user: dict[str, Any]) -> str:
    cluster = {
        "server": "https://aks:443",
        "certificate-authority-data": base64.b64encode(AUTHORITY.encode()).decode(),
    }
    return yaml.safe_dump(
        {"clusters": [{"name": "aks", "cluster": cluster}], "users": [{"name": "me", "user": user}]}
    )


def user_of(text: str) -> dict[str, Any]:
    return yaml.safe_load(text)["users"][0]["user"]


def test_the_api_server_is_that_of_the_first_cluster() -> None:
    endpoint = api_endpoint(kubeconfig({}))
    assert (endpoint.server, endpoint.ca_certificate) == ("https://aks:443", AUTHORITY)


def test_a_kubeconfig_without_an_authority_has_an_empty_one() -> None:
    assert api_endpoint(yaml.safe_dump({"clusters": [{"cluster": {"server": "x"}}]})).ca_certificate == ""


def test_kubelogin_signs_in_by_the_mode_and_keeps_the_server() -> None:
    args = [
        "get-token",
        "--environment",
        "AzurePublicCloud",
        "--server-id",
        "6dae",
        "--client-id",
        "80fa",
        "--login",
        "devicecode",
    ]
    converted = with_kubelogin_mode(kubeconfig({"exec": {"command": "kubelogin", "args": args}}), "azurecli")
    assert user_of(converted)["exec"] == {
        "command": "kubelogin",
        "args": ["get-token", "--login", "azurecli", "--server-id", "6dae"],
    }


def test_a_user_with_a_token_stays() -> None:
    assert user_of(with_kubelogin_mode(kubeconfig({"token": "t"}), "msi")) == {"token": "t"}


def test_another_plugin_stays() -> None:
    plugin = {"exec": {"command": "aws", "args": ["eks", "get-token"]}}
    assert user_of(with_kubelogin_mode(kubeconfig(plugin), "msi")) == plugin
