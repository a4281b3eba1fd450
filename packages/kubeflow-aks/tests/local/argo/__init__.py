"""A package, so that pytest ends Argo's workflow controller and its control plane with the last of these tests."""
