"""A package, so that pytest ends Juju's real client and its control plane with the last of these tests."""
