"""Runs Checkov's own engine in its own environment, and says on stderr what it tried to reach on a network."""

import runpy
import sys

_REACHES = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _REACHES:
        print("refused:", event, *arguments, file=sys.stderr)
        raise OSError("no network here")


if __name__ == "__main__":
    sys.addaudithook(_refuse)
    sys.argv[0] = "checkov"
    runpy.run_module("checkov.main", run_name="__main__")
