"""Rules of spot agent pools (docs/facts/aks.md#spot-pools and #spot-label-and-taint)."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from kubeflow_aks.local_aks.azure.rules.rule import SPOT_TAINT, PoolRequest, Rule, invalid, when

_DECIMALS: Final = 5
_PROMO: Final = re.compile(r".*_Promo", re.IGNORECASE)


def _upgrade(request: PoolRequest, setting: str) -> Mapping[str, object] | None:
    return when(request.spot and setting in (request.body.get("upgradeSettings") or {}))


def _price(request: PoolRequest) -> Mapping[str, object] | None:
    price = request.body.get("spotMaxPrice")
    if price is None or price == -1:
        return None
    exponent = Decimal(str(price)).normalize().as_tuple().exponent
    too_fine = isinstance(exponent, int) and -exponent > _DECIMALS
    return when(price <= 0 or too_fine, price=price)


def _never_spot(request: PoolRequest) -> bool:
    size = request.size
    return bool(_PROMO.fullmatch(str(request.body.get("vmSize")))) or (
        size is not None and size.spot is False
    )


def _drops_taint(request: PoolRequest) -> Mapping[str, object] | None:
    had = SPOT_TAINT in ((request.existing or {}).get("nodeTaints") or [])
    return when(had and SPOT_TAINT not in request.taints)


SPOT_RULES: Final[tuple[Rule[PoolRequest], ...]] = (
    Rule(
        id="spot-user-mode",
        message=invalid("agentPoolProfile.mode", "Spot node pools must be of mode User."),
        broken=lambda r: when(r.spot and r.body.get("mode", "User") != "User"),
        source='spot-node-pool.md, "Limitations", use-system-pools.md (docs/facts/aks.md#spot-pools)',
    ),
    Rule(
        id="spot-scale-set",
        message=invalid("agentPoolProfile.type", "Spot node pools must use VirtualMachineScaleSets."),
        broken=lambda r: when(
            r.spot and r.body.get("type", "VirtualMachineScaleSets") != "VirtualMachineScaleSets"
        ),
        source='spot-node-pool.md, "Limitations" (docs/facts/aks.md#spot-pools)',
    ),
    Rule(
        id="spot-max-surge",
        message=invalid("agentPoolProfile.upgrade.maxSurge", "Spot pools can't set max surge."),
        broken=lambda r: _upgrade(r, "maxSurge"),
        quotes="XenitAB/terraform-modules#755, jenkins-infra/azure#730",
    ),
    Rule(
        id="spot-max-unavailable",
        message="The value of parameter agentPoolProfile.upgradeSettings.maxUnavailable is invalid. "
        "Error details: Spot pools can't set maxUnavailable.",
        broken=lambda r: _upgrade(r, "maxUnavailable"),
        quotes="hashicorp/terraform-provider-azurerm#31129",
    ),
    Rule(
        id="eviction-policy-needs-spot",
        message=invalid(
            "agentPoolProfile.scaleSetEvictionPolicy",
            "It cannot be specified unless the scaleSetPriority is 'Spot'.",
        ),
        broken=lambda r: when(not r.spot and "scaleSetEvictionPolicy" in r.body),
        source="managedClusters.json 2025-09-01, scaleSetEvictionPolicy",
    ),
    Rule(
        id="max-price-needs-spot",
        message=invalid(
            "agentPoolProfile.spotMaxPrice", "It cannot be specified unless the scaleSetPriority is 'Spot'."
        ),
        broken=lambda r: when(not r.spot and "spotMaxPrice" in r.body),
        source="spot-node-pool.md (docs/facts/aks.md#spot-pools)",
    ),
    Rule(
        id="max-price-value",
        message=invalid(
            "agentPoolProfile.spotMaxPrice",
            "{price} is neither -1 nor a price greater than zero with at most 5 decimals.",
        ),
        broken=_price,
        source='managedClusters.json 2025-09-01, spotMaxPrice; spot-node-pool.md, "Max price"',
    ),
    Rule(
        id="spot-vm-size",
        message=invalid("agentPoolProfile.vmSize", "VM size {size} cannot be used for Spot."),
        broken=lambda r: when(r.spot and _never_spot(r), size=r.body.get("vmSize")),
        source='spot-vms.md, "Limitations"; sizes: catalogue',
    ),
    Rule(
        id="spot-reservation",
        message=invalid(
            "agentPoolProfile.capacityReservationGroupID", "Spot VMs cannot use a capacity reservation group."
        ),
        broken=lambda r: when(r.spot and "capacityReservationGroupID" in r.body),
        source='capacity-reservation-overview.md, "Limitations and restrictions" (2026-02-17)',
    ),
    Rule(
        id="spot-taint-stays",
        code="PropertyChangeNotAllowed",
        message="Changing property 'properties.nodeTaints' is not allowed.",
        broken=_drops_taint,
        quotes="Azure/AKS#3152, pulumi/pulumi-azure-native#959",
    ),
)
