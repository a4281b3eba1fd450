"""Simulated answers of Azure and Kubernetes with which the program runs in process, for previews and tests."""

import base64
from typing import Any, cast

from pulumi.runtime import mocks

SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000"
KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters:
- name: aks
  cluster:
    server: https://aks.example.invalid:443
    certificate-authority-data: Q0EK
contexts:
- name: aks
  context: {cluster: aks, user: admin}
current-context: aks
users:
- name: admin
  user: {token: recorded-kubeconfig-token}
"""
JUJU_TOKEN = "recorded-juju-token"  # noqa: S105 - not a credential; tests look for it where it must not be
_NAME_INPUTS = (
    "actionGroupName",
    "agentPoolName",
    "azureMonitorWorkspaceName",
    "budgetName",
    "configName",
    "containerName",
    "definitionName",
    "dashboardName",
    "dataCollectionEndpointName",
    "dataCollectionRuleName",
    "exportName",
    "federatedIdentityCredentialResourceName",
    "registryName",
    "resourceName",
    "ruleGroupName",
    "virtualNetworkName",
    "publicIpAddressName",
    "natGatewayName",
    "workspaceName",
    "accountName",
)


class Answers(mocks.Mocks):
    """Answers in the form of real responses: ARM ids, physical names, computed properties."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        """The id and the outputs of a new resource: its inputs and what the cloud adds."""
        outputs = dict(cast(Any, args).inputs)
        if args.typ.startswith("kubernetes:"):
            return self._kubernetes(args, outputs)
        group = outputs.get("resourceGroupName", args.name)
        arm_id = f"{SUBSCRIPTION}/resourceGroups/{group}"
        if args.typ.endswith(":ResourceGroup"):
            return arm_id, outputs | {"name": group}
        name = next((outputs[key] for key in _NAME_INPUTS if key in outputs), args.name)
        arm_id += f"/providers/{args.typ.replace(':', '/')}/{name}"
        outputs |= {"name": name, **_computed(args.typ, name, outputs)}
        return arm_id, outputs

    def call(  # pyright: ignore[reportIncompatibleMethodOverride] - the SDK takes a plain dict as well
        self, args: mocks.MockCallArgs
    ) -> dict[str, Any]:
        """The answer of an invoke.

        Raises:
            NotImplementedError: the program calls a function that is unknown here.
        """
        if args.token.startswith("azure-native:containerservice:listManagedCluster"):
            return {"kubeconfigs": [{"name": "aks", "value": base64.b64encode(KUBECONFIG.encode()).decode()}]}
        if args.token.startswith("azure-native:resources:getResourceGroup"):
            name = str(cast(Any, args).args["resourceGroupName"])
            return {"id": f"{SUBSCRIPTION}/resourceGroups/{name}", "name": name, "location": ""}
        raise NotImplementedError(f"no recorded answer for {args.token}")

    @staticmethod
    def _kubernetes(args: mocks.MockResourceArgs, outputs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        metadata = outputs.get("metadata", {})
        if args.typ == "kubernetes:core/v1:Secret":
            outputs["data"] = {"token": base64.b64encode(JUJU_TOKEN.encode()).decode(), "ca.crt": "Q0EK"}
        return "/".join(filter(None, (metadata.get("namespace"), metadata.get("name", args.name)))), outputs


def _computed(type_token: str, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    location = inputs.get("location", "")
    match type_token.rpartition(":")[2]:
        case "UserAssignedIdentity":
            return {"principalId": f"{name}-principal", "clientId": f"{name}-client", "tenantId": "tenant"}
        case "Export":
            return {
                "identity": {**inputs["identity"], "principalId": f"{name}-principal", "tenantId": "tenant"}
            }
        case "PublicIPAddress":
            dns: dict[str, Any] = inputs.get("dnsSettings", {})
            if dns:
                dns = dns | {"fqdn": f"{dns['domainNameLabel']}.{location}.cloudapp.azure.com"}
            return {"ipAddress": "198.51.100.4", "dnsSettings": dns or None}
        case "ManagedCluster":
            identities = inputs["identity"]["userAssignedIdentities"]
            return {
                # ARM takes a list of ids and answers with a map (docs/facts/pulumi.md#names-and-types).
                "identity": {**inputs["identity"], "userAssignedIdentities": {i: {} for i in identities}},
                "identityProfile": {"kubeletidentity": {"objectId": f"{name}-kubelet"}},
                "fqdn": f"{name}-0a1b2c3d.hcp.{location}.azmk8s.io",
                "privateFQDN": f"{name}-0a1b2c3d.privatelink.{location}.azmk8s.io",
                "oidcIssuerProfile": {
                    "enabled": True,
                    "issuerURL": f"https://{location}.oic.example.invalid/",
                },
            }
        case _:
            return {}
