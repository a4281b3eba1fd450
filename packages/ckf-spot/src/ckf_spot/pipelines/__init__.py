"""Kubeflow Pipelines on spot nodes: single tasks, whole pipelines, and compiled files, which need no kfp."""
