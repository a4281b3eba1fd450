"""Runs Checkov's own engine in its own environment, and says on stderr what it tried to reach on a network.

`offline.py FOLDER…`: the report on each folder is `<folder>.json`, its stderr `<folder>.txt`. Checkov is imported once,
which takes longer than a report, and every folder has a process of its own.
"""

import gc
import os
import runpy
import sys
from importlib import import_module

_REACHES = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
_OPTIONS = (
    *("--framework", "arm", "kubernetes", "--output", "json", "--compact"),
    *("--skip-download", "--soft-fail"),
)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _REACHES:
        print("refused:", event, *arguments, file=sys.stderr)
        raise OSError("no network here")


def _report(folder: str) -> None:
    for stream, ending in ((1, "json"), (2, "txt")):
        os.dup2(os.open(f"{folder}.{ending}", os.O_WRONLY | os.O_CREAT), stream)
    os.chdir(folder)
    sys.argv = ["checkov", "--directory", folder, *_OPTIONS]
    runpy.run_module("checkov.main", run_name="__main__")


if __name__ == "__main__":
    sys.addaudithook(_refuse)
    gc.disable()  # importing makes a million objects, none of them garbage
    import_module("checkov.main")
    for program in sys.argv[1:]:
        child = os.fork()
        if not child:
            _report(program)
            sys.exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit(1)
