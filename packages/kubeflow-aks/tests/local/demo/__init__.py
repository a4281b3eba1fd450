"""A package, so that pytest ends the demo stack with the last of these tests."""
