"""Runs the whole program without a cloud or a CLI and records what it would create."""
