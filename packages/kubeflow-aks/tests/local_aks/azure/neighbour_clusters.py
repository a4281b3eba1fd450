"""New clusters that Azure refuses, each beside the nearest one that it takes."""

import base64

from azure_bodies import Json, cluster, system_pool


def ssh_key(kind: str, *fields: bytes) -> str:
    """A public key in OpenSSH's form."""
    parts = [kind.encode(), *fields]
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return f"{kind} {base64.b64encode(blob).decode()} somebody@example"


def rsa_key(bits: int) -> str:
    """An RSA key of a length; the numbers are of no use."""
    return ssh_key("ssh-rsa", b"\x01\x00\x01", b"\x00" + (1 << (bits - 1)).to_bytes(bits // 8, "big"))


def _autoscaler(**profile: str) -> Json:
    return cluster(autoScalerProfile=profile)


def _ssh(key: str = rsa_key(2048), user: str = "azureuser") -> Json:
    return cluster(linuxProfile={"adminUsername": user, "ssh": {"publicKeys": [{"keyData": key}]}})


def _network(**profile: str) -> Json:
    return cluster(networkProfile={"networkPlugin": "azure", "networkPluginMode": "overlay", **profile})


def _ranges(*ranges: str) -> Json:
    return cluster(apiServerAccessProfile={"authorizedIPRanges": list(ranges)})


def _tier(tier: str, **more: Json) -> Json:
    return cluster(sku={"name": "Base", "tier": tier}, **more)


def _system(version: str, os_sku: str) -> Json:
    return cluster(kubernetesVersion=version, agentPoolProfiles=[system_pool(osSKU=os_sku)])


def _server_in_subnet(location: str) -> Json:
    return cluster(location=location, apiServerAccessProfile={"enableVnetIntegration": True})


_COST_ANALYSIS: Json = {"metricsProfile": {"costAnalysis": {"enabled": True}}}
ED25519 = ssh_key("ssh-ed25519", b"k" * 32)
CLUSTERS: list[tuple[str, Json, str, Json]] = [
    ("autoscaler-form", _autoscaler(scanInterval="1m"), "'scan-interval'", _autoscaler(scanInterval="60s")),
    (
        "autoscaler-form",
        _autoscaler(maxNodeProvisionTime="900s"),
        "'max-node-provision-time'",
        _autoscaler(maxNodeProvisionTime="15m"),
    ),
    (
        "autoscaler-form",
        _autoscaler(scaleDownDelayAfterAdd="0s"),
        "'scale-down-delay-after-add'",
        _autoscaler(scaleDownDelayAfterAdd="0m"),
    ),
    (
        "autoscaler-form",
        _autoscaler(scaleDownUnneededTime="1.5m"),
        "'scale-down-unneeded-time'",
        _autoscaler(scaleDownUnneededTime="2m"),
    ),
    (
        "autoscaler-form",
        _autoscaler(newPodScaleUpDelay="30"),
        "'new-pod-scale-up-delay'",
        _autoscaler(newPodScaleUpDelay="30s"),
    ),
    (
        "autoscaler-form",
        _autoscaler(maxTotalUnreadyPercentage="101"),
        "'max-total-unready-percentage'",
        _autoscaler(maxTotalUnreadyPercentage="100"),
    ),
    (
        "autoscaler-form",
        _autoscaler(maxEmptyBulkDelete="0"),
        "'max-empty-bulk-delete'",
        _autoscaler(maxEmptyBulkDelete="1"),
    ),
    (
        "autoscaler-form",
        _autoscaler(skipNodesWithLocalStorage="no"),
        "'skip-nodes-with-local-storage'",
        _autoscaler(skipNodesWithLocalStorage="false"),
    ),
    ("ssh-key", _ssh(rsa_key(1024)), "keyData is invalid", _ssh(rsa_key(2048))),
    ("ssh-key", _ssh(ssh_key("ecdsa-sha2-nistp256", b"nistp256", b"k" * 65)), "keyData", _ssh(ED25519)),
    ("ssh-key", _ssh("ssh-rsa AAAA"), "keyData", _ssh(rsa_key(4096))),
    ("ssh-key", _ssh(rsa_key(2048)[:80]), "keyData", _ssh(rsa_key(2048).rpartition(" ")[0])),
    ("ssh-key", _ssh(ED25519.replace("ssh-ed25519", "ssh-rsa")), "keyData", _ssh(ED25519)),
    ("ssh-user-name", _ssh(user="Admin"), "'Admin'", _ssh(user="admins")),
    ("ssh-user-name", _ssh(user="a" * 65), "64 characters", _ssh(user="a" * 64)),
    ("authorised-ranges-form", _ranges("2001:db8::/32"), "'2001:db8::/32'", _ranges("198.51.100.7")),
    (
        "authorised-ranges-closed",
        _ranges("198.51.100.7/32", "0.0.0.0/32"),
        "0.0.0.0/32 is not allowed with other",
        _ranges("0.0.0.0/32"),
    ),
    (
        "reserved-range",
        _network(serviceCidr="172.30.8.0/22", dnsServiceIP="172.30.8.10"),
        "172.30.8.0/22 overlaps with 172.30.0.0/16",
        _network(serviceCidr="172.29.8.0/22", dnsServiceIP="172.29.8.10"),
    ),
    (
        "reserved-range",
        _network(podCidr="172.16.0.0/12"),
        "networkProfile.podCidr is invalid. Error details: 172.16.0.0/12 overlaps with 172.30.0.0/16",
        _network(podCidr="172.16.0.0/13"),
    ),
    ("reserved-range", _network(podCidr="192.0.0.0/16"), "192.0.2.0/24", _network(podCidr="192.1.0.0/16")),
    ("service-range-size", _network(serviceCidr="10.0.0.0/12"), "/12", _network(serviceCidr="10.0.0.0/13")),
    (
        "dns-service-address",
        _network(dnsServiceIP="10.0.0.1"),
        "not be its first address",
        _network(dnsServiceIP="10.0.0.2"),
    ),
    (
        "node-group-name",
        cluster(nodeResourceGroup="n" * 81),
        "maximum length is 80 and the length of the value provided is 81",
        cluster(nodeResourceGroup="n" * 80),
    ),
    ("dns-prefix", cluster(dnsPrefix="d" * 55), "1 to 54", cluster(dnsPrefix="d" * 54)),
    ("dns-prefix", cluster(dnsPrefix="kubeflow-"), "1 to 54", cluster(dnsPrefix="kubeflow-2")),
    (
        "cilium-needs-cilium-policy",
        _network(networkDataplane="cilium"),
        "requires network policy cilium",
        _network(networkDataplane="cilium", networkPolicy="cilium"),
    ),
    (
        "cost-analysis-tier",
        _tier("Free", **_COST_ANALYSIS),
        "Standard or Premium tier",
        _tier("Standard", **_COST_ANALYSIS),
    ),
    (
        "server-in-subnet-region",
        _server_in_subnet("qatarcentral"),
        "in qatarcentral",
        _server_in_subnet("uaenorth"),
    ),
    ("os-sku-version", _system("1.37", "Ubuntu2204"), "with Kubernetes 1.37", _system("1.36", "Ubuntu2204")),
]
"""Rule, a new cluster that it refuses, words of the answer, and the nearest cluster that Azure takes."""
