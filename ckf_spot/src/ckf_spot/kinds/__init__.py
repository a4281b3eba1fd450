"""What Kubeflow and Kubernetes call work (Jobs, training jobs, TrainJobs, experiments), each placed in its own form."""
