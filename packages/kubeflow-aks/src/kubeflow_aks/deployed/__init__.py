"""A stack that is deployed: its outputs, and its cluster's API."""
