"""A package, so that pytest ends the training operator and its control plane with the last of these tests."""
