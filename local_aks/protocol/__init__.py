"""Pulumi's provider protocol, as both stand-ins speak it.

`wire` turns the protocol's values into plain ones and back, `server` serves a provider to this user's programs (`peers`
tells which are), `provider` answers the calls that both stand-ins answer alike, `sessions` keeps what each connection
was configured with, `diff` and `failures` put together the two answers that take more than one line.
"""
