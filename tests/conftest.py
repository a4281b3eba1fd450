"""The tests of the program, its components and its facts: no Azure, no Go."""

from tests.session import pytest_collection_finish, pytest_unconfigure

__all__ = ["pytest_collection_finish", "pytest_unconfigure"]
