"""Clients of what is not this repository's: one each."""
