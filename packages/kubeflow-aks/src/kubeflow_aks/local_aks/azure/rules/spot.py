"""Rules of spot agent pools (docs/facts/aks.md#spot-pools and #spot-label-and-taint)."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from kubeflow_aks.local_aks.azure.rules.rule import SPOT_TAINT, PoolRequest, Rule, rules, when

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
    before = SPOT_TAINT in ((request.existing or {}).get("nodeTaints") or [])
    return when(before and SPOT_TAINT not in request.taints)


SPOT_RULES: Final[tuple[Rule[PoolRequest], ...]] = rules(
    {
        "spot-user-mode": lambda r: when(r.spot and r.body.get("mode", "User") != "User"),
        "spot-scale-set": lambda r: when(
            r.spot and r.body.get("type", "VirtualMachineScaleSets") != "VirtualMachineScaleSets"
        ),
        "spot-max-surge": lambda r: _upgrade(r, "maxSurge"),
        "spot-max-unavailable": lambda r: _upgrade(r, "maxUnavailable"),
        "eviction-policy-needs-spot": lambda r: when(not r.spot and "scaleSetEvictionPolicy" in r.body),
        "max-price-needs-spot": lambda r: when(not r.spot and "spotMaxPrice" in r.body),
        "max-price-value": _price,
        "spot-vm-size": lambda r: when(r.spot and _never_spot(r), size=r.body.get("vmSize")),
        "spot-reservation": lambda r: when(r.spot and "capacityReservationGroupID" in r.body),
        "spot-taint-stays": _drops_taint,
    }
)
