"""Runs the program of another tree for the engine, in a process of its own, as Pulumi's Python language host does.

`python -P language_host.py PROGRAM DESCRIPTOR [OPTION]`: this file is run by its path, with the Python of the other
tree, and imports nothing of this tree, so that the program finds its own modules and none of ours. The descriptor is a
socket: the host writes to it the address at which it serves, and ends when the other end is closed, however that came
about.
"""

import copy
import gc
import logging
import os
import runpy
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Final

import grpc
import pulumi
from pulumi.automation._server import LanguageServer  # pyright: ignore[reportPrivateUsage] - its only home
from pulumi.runtime.proto import language_pb2_grpc

_SDK: Final = Path(pulumi.__file__).parent
_SOURCES: Final = str(Path(__file__).resolve().parents[3])
"""The folder of our own package, which a checkout's environment has on its path."""
_GRPC_LOG: Final = logging.getLogger("grpc._server")
_WORKERS: Final = 4
"""As many as the Automation API has for a program in its own process."""
WITHOUT_IMPORTS: Final = "--without-imports"
"""The option by which nothing is imported."""
IMPORTED: Final = "made here in place of an import: "
"""How the warning begins; type, name and id follow."""
_COLLECT_AFTER: Final = 100_000
"""Objects between two collections of garbage: at Python's 700 they take a quarter of a program's time, for the SDKs
make a million objects, none of them garbage."""


def run(entry: Path) -> None:
    """Runs a program: a file, or the `__main__.py` of a folder, which is the first on the module path."""
    runpy.run_path(str(entry / "__main__.py" if entry.is_dir() else entry), run_name="__main__")


def run_without_imports(entry: Path) -> None:
    """Runs a program so that what it would import is made instead, and warns of each: nothing is there to import."""
    pulumi.runtime.register_stack_transformation(_made_instead)
    run(entry)


def _made_instead(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
    if not args.opts.import_:
        return None
    pulumi.log.warn(f"{IMPORTED}{args.type_} {args.name} {args.opts.import_}")
    options = copy.copy(args.opts)
    options.import_ = None
    return pulumi.ResourceTransformationResult(args.props, options)


def leave_out_noise() -> None:
    """Keeps what no user needs to read off the console, for the rest of this process.

    That is: the SDK's debugging messages, each of which is a call to the engine, together a tenth of a preview; that a
    coroutine of the SDK can't end after its engine was killed; and the traceback of a call to an engine that has
    stopped on an error, which the engine itself reports.
    """
    pulumi.log.debug = _ignore
    report = sys.unraisablehook

    def hook(unraisable: "sys.UnraisableHookArgs") -> None:
        code: CodeType | None = getattr(unraisable.object, "cr_code", None)
        if code is None or not Path(code.co_filename).is_relative_to(_SDK):
            report(unraisable)

    sys.unraisablehook = hook
    _GRPC_LOG.addFilter(_is_no_failed_call)


def _ignore(*_: object, **__: object) -> None:
    """Takes a message."""


def _is_no_failed_call(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], grpc.RpcError))


def _serve(entry: Path, parent: socket.socket, program: Callable[[Path], None]) -> None:
    gc.set_threshold(_COLLECT_AFTER)
    leave_out_noise()
    # A program that `main` names as a file finds no modules beside it in Pulumi's host either.
    beside = [str(entry)] if entry.is_dir() else []
    sys.path[:] = [*beside, *(folder for folder in sys.path if folder != _SOURCES)]
    server = grpc.server(ThreadPoolExecutor(_WORKERS))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(LanguageServer(partial(program, entry)), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    parent.sendall(f"127.0.0.1:{port}\n".encode())
    threading.Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
    server.wait_for_termination()


def _end_with(parent: socket.socket) -> None:
    """Ends this process, whatever the program is doing, as soon as the other end of the socket is closed."""
    parent.recv(1)
    os._exit(0)


if __name__ == "__main__":
    _serve(
        Path(sys.argv[1]),
        socket.socket(fileno=int(sys.argv[2])),
        run_without_imports if WITHOUT_IMPORTS in sys.argv[3:] else run,
    )
