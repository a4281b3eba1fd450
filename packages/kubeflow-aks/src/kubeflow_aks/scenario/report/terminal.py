"""Tables, results and costs for the terminal."""

from collections.abc import Iterator, Sequence

from kubeflow_aks.scenario import cost as scenario_cost
from kubeflow_aks.scenario.checks import CheckResult
from kubeflow_aks.scenario.observations import Observations
from kubeflow_aks.scenario.report import table
from kubeflow_aks.text.columns import table as columns
from kubeflow_aks.text.terminal import wrapped


def lines(observed: Observations, results: Sequence[CheckResult], width: int) -> Iterator[str]:
    """Where everything ran, how long each step took, and the result of each check, in `width` columns."""
    tables = (
        [table.WORK_HEADER, *table.work_rows(observed)],
        [table.step_header(observed), *table.step_rows(observed)],
        [(result.mark, result.check, result.observed) for result in results],
    )
    for rows in tables:
        yield from (line for row in columns(rows, width) for line in row)
        yield ""


def cost_lines(cost: scenario_cost.ScenarioCost, width: int) -> Iterator[str]:
    """What the scenario would have cost, with notes, in `width` columns."""
    yield from (
        line for row in columns([scenario_cost.HEADER, *scenario_cost.rows(cost)], width) for line in row
    )
    yield ""
    for sentence in cost.notes:
        yield from wrapped(sentence, width, "- ")
    yield ""
