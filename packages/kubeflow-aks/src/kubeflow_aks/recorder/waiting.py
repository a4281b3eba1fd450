"""What the SDK does for a program in this process at length, and need not."""

import asyncio
from types import SimpleNamespace
from typing import Any

from pulumi.runtime import resource, stack
from pulumi.runtime.proto import source_pb2


def wait_for_all_at_once() -> None:
    """Lets programs wait for all outputs at once, for the rest of this process.

    The SDK waits for the next one and then again with all that are left, hundreds of times: a fifth of the time that a
    program takes here (`wait_for_rpcs`, pulumi 3.272.0, runtime/stack.py). An output that fails ends the program at
    once as before.
    """
    stack.asyncio = SimpleNamespace(**{**vars(asyncio), "wait": _wait})  # pyright: ignore[reportPrivateImportUsage, reportAttributeAccessIssue]


def leave_out_positions() -> None:
    """Registers resources without the lines of the program that make them, for the rest of this process.

    Nothing here reads them, and finding them takes a sixth of the time that a program takes (`_get_stack_trace`, pulumi
    3.272.0, runtime/resource.py).
    """
    resource._get_stack_trace = source_pb2.StackTrace  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001


async def _wait(tasks: Any, *, return_when: str = asyncio.ALL_COMPLETED, **options: Any) -> Any:
    first = return_when == asyncio.FIRST_COMPLETED
    return await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION if first else return_when, **options)
