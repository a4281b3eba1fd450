"""Prices of VMs, disks and services, and eviction rates: from settings, from Azure, from a snapshot."""

from kubeflow_aks.cost.prices.bands import rate
from kubeflow_aks.cost.prices.market import Market
from kubeflow_aks.cost.prices.opening import market_of, open_market

__all__ = ["Market", "market_of", "open_market", "rate"]
