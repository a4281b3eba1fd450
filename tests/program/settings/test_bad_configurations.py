"""Every bad configuration of the table is refused with exactly the lines it says."""

from datetime import date

import pytest

from program.planning import plan
from program.settings import SettingsError
from tests.program.settings.bad_configurations import BadConfiguration, bad_configurations, valid

ROWS = bad_configurations()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_bad_configuration_is_refused_in_these_words(row: BadConfiguration) -> None:
    with pytest.raises(SettingsError) as caught:
        plan(row.values, project=row.project, stack=row.stack, today=row.today)
    assert str(caught.value).split("\n") == list(row.lines)


def test_the_stack_that_every_row_changes_is_valid() -> None:
    assert plan(valid(), project="kubeflow-aks", stack="dev", today=date(2026, 11, 20)).pools


def test_the_table_has_a_hundred_rows_of_different_names() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) >= 100
