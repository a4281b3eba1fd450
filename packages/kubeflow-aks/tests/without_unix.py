"""Runs commands in a process that lacks what Windows lacks: `LINE…` on stdin as JSON, a result for each on stdout.

What others wrote is imported before, for it knows Windows by itself; what is ours is imported after.
"""

# ruff: noqa: F401
# pyright: reportUnusedImport=false

import asyncio
import contextlib
import gc
import getpass
import http.client
import http.server
import importlib
import io
import json
import os
import pkgutil
import platform
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import urllib.request
from typing import Final

import click.shell_completion
import filelock
import grpc
import jinja2
import jsonschema
import matplotlib.figure
import numpy
import psutil
import pulumi
import pydantic
import scipy.optimize
import scipy.stats
import urllib3
import yaml

MODULES: Final = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
OF_OS: Final = (
    *(
        "chown",
        "fchown",
        "fork",
        "forkpty",
        "getegid",
        "geteuid",
        "getgid",
        "getgroups",
        "getloadavg",
        "getpgid",
    ),
    *(
        "getpgrp",
        "getuid",
        "killpg",
        "lchown",
        "mkfifo",
        "mknod",
        "nice",
        "setgid",
        "setpgid",
        "setsid",
        "setuid",
    ),
    *("statvfs", "uname"),
)
OF_SIGNAL: Final = (
    *("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2"),
    *("alarm", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"),
)
PACKAGES: Final = (
    *("ci", "cli", "clients", "cost", "deployed", "drill", "handoff", "policy", "preview", "recorder"),
    *("revisions", "text", "verify"),
)
"""Packages of kubeflow_aks whose every module Windows can import."""


def hide() -> None:
    """Removes it."""
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment] - so that an import fails
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            if hasattr(module, name):  # not on every Unix
                delattr(module, name)
    sys.platform = "win32"


def main() -> None:
    """Imports every module, and runs each line."""
    gc.disable()  # as the commands do: the SDKs make a million objects
    lines: list[str] = json.load(sys.stdin)
    hide()
    for package in PACKAGES:
        top = importlib.import_module(f"kubeflow_aks.{package}")
        for module in pkgutil.walk_packages(top.__path__, f"{top.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    from kubeflow_aks.cli.process import main as command_line  # noqa: PLC0415 - what it may use is hidden by now

    results: dict[str, tuple[int, str]] = {}
    for line in lines:
        error = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
            try:
                code = command_line(shlex.split(line))
            except BaseException:  # noqa: BLE001 - a traceback is the result
                code = -1
                traceback.print_exc()
        results[line] = code, error.getvalue()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
