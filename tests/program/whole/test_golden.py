"""One golden record for each shipped stack; a change shows here as a diff to review, `--snapshot-update` accepts it."""

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from tests.golden import golden
from tests.program.whole.records import SHIPPED, recorded


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_stack_registers_what_it_did(stack: str, snapshot: SnapshotAssertion) -> None:
    assert golden(recorded(stack)) == snapshot(extension_class=JSONSnapshotExtension)
