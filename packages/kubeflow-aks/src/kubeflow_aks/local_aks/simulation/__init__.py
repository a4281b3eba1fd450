"""What Azure does to nodes: scale sets, spot market, evictions and the cluster autoscaler, on a clock of its own."""
