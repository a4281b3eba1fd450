"""Programs for clients to run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Program = Callable[..., str]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes a program of a shell script; gives its path."""

    def write(script: str, name: str = "login") -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o700)
        return str(path)

    return write
