"""The local AKS: what stands in for Azure when there is no account. Shares no code with `planning`."""
