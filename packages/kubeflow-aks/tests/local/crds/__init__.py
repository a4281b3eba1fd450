"""A package, so that pytest ends its control plane, slow with so many kinds, with the last of these tests."""
