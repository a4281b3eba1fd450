"""The virtual network and its subnets."""
