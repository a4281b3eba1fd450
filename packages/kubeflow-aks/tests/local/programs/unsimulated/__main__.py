"""Types and a function of Azure and Kubernetes that no stand-in has a table row for, beside one that has."""

import pulumi
import pulumi_kubernetes as k8s
from pulumi_azure_native import keyvault, resources

config = pulumi.Config()
group = resources.ResourceGroup("group", resource_group_name="group", location="swedencentral")
vault = keyvault.Vault(
    "vault",
    resource_group_name=group.name,
    location=group.location,
    vault_name="the-vault",
    properties=keyvault.VaultPropertiesArgs(
        tenant_id="00000000-0000-0000-0000-000000000000",
        sku=keyvault.SkuArgs(family="A", name=keyvault.SkuName(config.require("sku"))),
        access_policies=[],
    ),
)
other_vault = keyvault.get_vault_output(resource_group_name=group.name, vault_name="another")
resources.ResourceGroup(
    "user",
    resource_group_name="user",
    location="swedencentral",
    tags={"vault": vault.name, "type": vault.type, "another": other_vault.name},
)
provider = k8s.Provider("inside", kubeconfig=config.require("kubeconfig"))
k8s.apiextensions.CustomResource(
    "profile",
    api_version="kubeflow.org/v1",
    kind="Profile",
    metadata={"name": "team"},
    opts=pulumi.ResourceOptions(provider=provider),
)
k8s.helm.v3.Release(
    "release",
    chart="thing",
    repository_opts={"repo": "https://charts.example.com"},
    values={"sku": config.require("sku")},
    opts=pulumi.ResourceOptions(provider=provider),
)
