"""Pulumi's provider protocol, as both stand-ins speak it."""
