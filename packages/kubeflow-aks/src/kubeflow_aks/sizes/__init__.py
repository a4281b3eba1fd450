"""VM sizes side by side, to choose one before there is a pool: `kubeflow-aks sizes`."""
