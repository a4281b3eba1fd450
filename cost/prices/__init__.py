"""What a VM, a disk, an address costs, and how often spot VMs are taken: from settings, from Azure, from a snapshot."""

from cost.prices.bands import rate
from cost.prices.market import Market
from cost.prices.opening import market_of, open_market

__all__ = ["Market", "market_of", "open_market", "rate"]
