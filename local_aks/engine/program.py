"""Runs a project's `__main__.py` in this process as the Python language host would: fresh, and in its folder."""

from __future__ import annotations

import logging
import os
import runpy
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

import grpc
import pulumi
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS  # pyright: ignore[reportPrivateUsage] - no other way

_OURS: Final = Path(__file__).resolve().parents[1]
_TOOLS: Final = _OURS.parent / "tools"
_NOT_THE_PROGRAMS: Final = tuple(
    f"{folder}{os.sep}" for folder in (sys.prefix, sys.base_prefix, _OURS, _TOOLS)
)
_SDK: Final = Path(pulumi.__file__).parent
_GRPC_LOG: Final = logging.getLogger("grpc._server")
_OWN_CONNECTIONS: Final = ("grpc.use_local_subchannel_pool", 1)


def run(root: Path) -> None:
    """Runs the program of the project at `root`; call it inside `fresh`."""
    runpy.run_path(str(root / "__main__.py"), run_name="__main__")


@contextmanager
def fresh(root: Path) -> Generator[None]:
    """Makes the program's modules load anew, and puts the caller's back afterwards.

    Python's import cache and working folder belong to the whole process, so only one program can run at a time.

    Args:
        root: the project folder; a module belongs to the program when its file lies in it, unless it is ours, which
            runs the program, or is installed in a virtual environment there.
    """
    _leave_out_abandoned_programs()
    _leave_out_debugging()
    _share_no_connections()
    before, path, folder = _take_modules(root), sys.path.copy(), Path.cwd()
    sys.path.insert(0, str(root))
    os.chdir(root)
    _GRPC_LOG.addFilter(_tells_more_than_that_the_engine_has_gone)
    try:
        yield
    finally:
        _GRPC_LOG.removeFilter(_tells_more_than_that_the_engine_has_gone)
        os.chdir(folder)
        sys.path[:] = path
        _take_modules(root)
        sys.modules.update(before)


def _take_modules(root: Path) -> dict[str, ModuleType]:
    """Removes the program's modules from the import cache and returns them."""
    inside = (f"{root}{os.sep}", f"{root.resolve()}{os.sep}")
    taken = {name: module for name, module in sys.modules.items() if _is_the_programs(module, inside)}
    for name in taken:
        del sys.modules[name]
    return taken


def _is_the_programs(module: ModuleType, inside: tuple[str, ...]) -> bool:
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    return file is not None and file.startswith(inside) and not file.startswith(_NOT_THE_PROGRAMS)


@cache
def _leave_out_abandoned_programs() -> None:
    """Silences one complaint of Python for good: that a coroutine of the SDK can't end after its engine was killed."""
    tell = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        code: CodeType | None = getattr(unraisable.object, "cr_code", None)
        if code is None or not Path(code.co_filename).is_relative_to(_SDK):
            tell(unraisable)

    sys.unraisablehook = hook


@cache
def _leave_out_debugging() -> None:
    """Keeps the SDK's debugging messages from the engine for good: each is a call, together a tenth of a preview."""
    pulumi.log.debug = _not_told


def _not_told(*_: object, **__: object) -> None:
    """Takes a message."""


@cache
def _share_no_connections() -> None:
    """Lets each program connect for itself, for good.

    A program that was abandoned keeps calling the port of its engine. gRPC would hand its broken connection to the next
    program whose engine happens to get that port, which fails at once: "Resource monitor has terminated".
    """
    _GRPC_CHANNEL_OPTIONS.append(_OWN_CONNECTIONS)


def _tells_more_than_that_the_engine_has_gone(record: logging.LogRecord) -> bool:
    """False for the traceback of a call to an engine that has stopped on an error, which is told elsewhere."""
    return not (record.exc_info and isinstance(record.exc_info[1], grpc.RpcError))
