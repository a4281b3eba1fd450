"""A small `az` for the local AKS: the commands on agent pools that the how-tos use, against the simulated Azure."""
