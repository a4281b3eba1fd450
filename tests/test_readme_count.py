"""The README shows what `make test` prints."""

import re

import pytest

from recorder.run import PROJECT_ROOT


def test_the_output_of_make_test_is_of_this_suite(request: pytest.FixtureRequest) -> None:
    """The README's count may lag behind by a tenth; its time keeps to the limit of the suite."""
    found = re.search(
        r"^(\d+) passed in ([\d.]+)s$", (PROJECT_ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found
    assert float(found[2]) <= 10
    if request.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        count = request.session.testscollected
        assert abs(int(found[1]) - count) <= count / 10, f"this run has {count} tests; update the README"
