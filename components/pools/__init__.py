"""Agent pools: system, on-demand, spot and GPU."""
