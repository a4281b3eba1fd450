"""Pulumi's provider protocol, as both stand-ins speak it.

`wire` turns the protocol's values into plain ones and back, `server` serves a provider to this user's programs (found
by `peers`), `provider` has the calls that both stand-ins answer alike, `sessions` keeps the configuration of each
connection, `diff` and `failures` build the answers to Diff and to failed calls.
"""
