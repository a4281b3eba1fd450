"""Settings and objects for Charmed Kubeflow's administrator, generated from the pools."""
