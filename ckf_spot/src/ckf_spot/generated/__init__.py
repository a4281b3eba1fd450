"""What an administrator takes over into Charmed Kubeflow, made from the pools."""
