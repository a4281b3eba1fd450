"""What `kubeflow-aks cost` does: shows what a stack is expected to cost a month, as text, data or pictures."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.clients.vm_usage import Quota, vm_usage
from kubeflow_aks.cost import measured, observed, reading
from kubeflow_aks.cost.actual.comparison import Actual
from kubeflow_aks.cost.actual.reading import actual
from kubeflow_aks.cost.advice import Advised, advise, with_scores
from kubeflow_aks.cost.advice import report as advice_report
from kubeflow_aks.cost.against import Earlier, named, stack_at
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.billing import Account
from kubeflow_aks.cost.difference import Difference, difference
from kubeflow_aks.cost.figures import CostError, EvictionRate, Restart
from kubeflow_aks.cost.prices import Market, market_of
from kubeflow_aks.cost.prices.resource_graph import SECONDS, subscription
from kubeflow_aks.cost.report import actual as actual_report
from kubeflow_aks.cost.report import measurement, observation, pictures
from kubeflow_aks.cost.report import usage as usage_report
from kubeflow_aks.cost.report.change import difference_document, difference_page
from kubeflow_aks.cost.report.document import document
from kubeflow_aks.cost.report.page import page
from kubeflow_aks.cost.report.what_if import what_if
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.cost.usage import Usage, usage
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.project import project_root
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.recorder.stack_settings import write_settings
from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.repository import Revision
from kubeflow_aks.text.blocks import Page, Section
from kubeflow_aks.text.colour import coloured
from kubeflow_aks.text.markdown import markdown
from kubeflow_aks.text.terminal import terminal as lines_of
from kubeflow_aks.text.terminal import terminal_width, wrapped

_MARKER = "<!-- cost -->"


@dataclass(frozen=True)
class _Figures:
    """What a bill is made with: the market, figures by pool that override it, and who used the recorded nodes."""

    market: Market
    rates: Mapping[str, EvictionRate] = field(default_factory=dict[str, EvictionRate])
    restarts: Mapping[str, Restart] = field(default_factory=dict[str, Restart])
    usage: Usage | None = None
    actual: Actual | None = None

    def account(self, stack: Stack) -> Account:
        return Account(stack, self.market, self.rates, self.restarts)

    def bill(self, stack: Stack) -> Bill:
        return self.account(stack).bill()


@dataclass(frozen=True)
class Options:
    """What is billed, and how the bill is shown.

    Attributes:
        stack: name of a stack that has a file.
        root: the project folder; None where a plan is given.
        build: folder for the pictures.
        plan: a `plan.json` that is billed instead.
        form: `text`, `markdown`, `json` or `svg`.
        offline: whether only the stored prices are used.
        advise: whether what would lower the bill is shown; not with a plan or pictures.
        against: a branch, tag or commit whose bill this one is compared with; with none of the above but `offline`.
        observed: file that `ckf-spot where -o json` wrote of this stack.
        measured: file that a drill wrote.
        actual: exports of charges, and what `ckf-spot where -o json` wrote of a record of nodes.
        write: whether what the record shows is written into the stack's file.
    """

    stack: str
    root: Path | None
    build: Path
    plan: Path | None = None
    form: str = "text"
    offline: bool = False
    advise: bool = False
    against: str | None = None
    observed: Path | None = None
    measured: Path | None = None
    actual: tuple[Path, ...] = ()
    write: bool = False

    @property
    def project(self) -> Path:
        """The project folder."""
        return project_root(self.root)


def cost(options: Options) -> ExitCode:
    """Prints the expected bill.

    Returns:
        FINDING where it is over the budget; INCONCLUSIVE where the bill of the other commit can't be made.

    Raises:
        CommandError: the bill can't be made, or the stack has mistakes.
    """
    with processes.ended_with_this_one():
        return _cost(options)


def _cost(options: Options) -> ExitCode:
    revision = None if options.against is None else named(options.against, options.project)
    stack = reading.from_file(options.plan) if options.plan else planned(options.stack, options.project)
    warnings: list[str] = []
    unjudged = False
    market = market_of(stack, offline=options.offline, report=warnings.append)
    figures, more = _figures(options, stack, market)
    account = figures.account(stack)
    shows_others = options.form in {"text", "markdown"} and not revision
    tables = (
        what_if(account) if shows_others else None
    )  # first, as it plays the bill's full pools with its own
    bill = account.bill()
    if revision:
        earlier = stack_at(revision, stack.name, options.project, partial(print, file=sys.stderr, flush=True))
        change = _change(earlier, stack, market, warnings)
        unjudged, written = bool(change.why_not), _beside(change, earlier.revision, options.form)
    elif options.form == "svg":
        drawn = pictures.pictures(bill, account.batch())
        written = [str(path) for path in pictures.write(options.build, stack.name, drawn)]
    else:
        advised = _advised(options, figures, warnings.append) if options.advise else None
        bill = replace(bill, warnings=(*bill.warnings, *warnings))
        written = _written(figures, bill, more, tables=tables, advised=advised, form=options.form)
    print(*written, sep="\n")
    if options.write and figures.actual:
        _write(options, figures.actual)
    if bill.over_budget:
        return ExitCode.FINDING
    return ExitCode.INCONCLUSIVE if unjudged else ExitCode.GOOD


def planned(name: str, root: Path) -> Stack:
    """What the program of a tree registers for a stack.

    Raises:
        StackFileError: there is no such stack.
        pulumi.RunError: its settings are wrong.
    """
    return reading.from_plan(plan_document(record(name, root=root, preview=True)))


def _figures(options: Options, stack: Stack, market: Market) -> tuple[_Figures, list[Section]]:
    """The figures of the given files, and a section on each, with the bill before and after it."""
    figures, more = _Figures(market), list[Section]()
    pools = {one.name: one for pool in reading.read_cluster(stack).pools.values() for one in pool.agent_pools}
    if options.observed:
        evictions = observed.read(options.observed, {name: pool.spot for name, pool in pools.items()})
        before, figures = figures, replace(figures, rates=observation.conclusive_rates(evictions))
        more.append(observation.section(evictions, before.bill(stack), figures.bill(stack)))
        if evictions.nodes is not None:
            figures = replace(figures, usage=usage(evictions.nodes, figures.account(stack).node_hours()))
    if options.measured:
        sizes = {name: pool.size for name, pool in pools.items()}
        times = measured.read(options.measured, sizes)
        before, figures = figures, replace(figures, restarts=measured.restarts(times, sizes))
        bills = before.bill(stack), figures.bill(stack)
        more.append(measurement.section(times, sizes, *bills, datetime.now(UTC).date()))
    if options.actual:
        figures = replace(figures, actual=actual(options.actual, stack, figures.account(stack)))
    return figures, more


def _advised(options: Options, figures: _Figures, report: Callable[[str], None]) -> Advised:
    """What would lower the bill, within the quota and with Azure's placement scores where `az` is signed in."""
    az = Az(seconds=SECONDS)
    signed_in = not options.offline and bool(subscription(az))

    @cache
    def quotas(region: str) -> Mapping[str, Quota] | None:
        try:
            return vm_usage(az, region) if signed_in else None
        except ClientError as error:
            report(f"the subscription's quota in {region} is not known ({error})")
            return None

    advised = advise(options.stack, options.project, figures.bill, figures.market.offers, quotas)
    return with_scores(advised, az, report) if signed_in else advised


def _written(
    figures: _Figures,
    bill: Bill,
    more: Sequence[Section],
    *,
    tables: Section | None,
    advised: Advised | None,
    form: str,
) -> list[str]:
    if form == "json":
        parts = {"advice": advice_report.document(advised)} if advised else {}
        parts |= {"usage": usage_report.document(figures.usage)} if figures.usage else {}
        parts |= {"actual": actual_report.document(figures.actual)} if figures.actual else {}
        return [_json(document(bill) | parts)]
    more = [*([actual_report.section(figures.actual)] if figures.actual else []), *more]
    more = [*more, *([usage_report.section(figures.usage, bill.currency)] if figures.usage else [])]
    advice = [advice_report.section(advised)] if advised else []
    return _text(page(bill, *advice, *more, *([tables] if tables and bill.rates else [])), form)


def _write(options: Options, comparison: Actual) -> None:
    """Takes what the record shows into the stack's file."""
    values = comparison.settings
    if not values:
        raise CostError(
            "--write: nothing to write is not allowed; expected a record of nodes that is long enough for an eviction "
            "rate or a share on the fallback"
        )
    file = write_settings(options.stack, options.project, values)
    for path, value in values.items():
        print(f"{file.name}: {'.'.join(path)} is {value:g} now", file=sys.stderr)


def _change(before: Earlier, stack: Stack, market: Market, warnings: Sequence[str]) -> Difference:
    """Both bills at the same prices."""
    change = difference(before.stack, stack, market)
    return replace(change, why_not=change.why_not or before.why_not, notes=(*change.notes, *warnings))


def _beside(change: Difference, revision: Revision, form: str) -> list[str]:
    """The bill beside that of another commit."""
    if form == "json":
        return [_json(difference_document(change, revision))]
    return _text(difference_page(change, revision), form)


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def _text(shown: Page, form: str) -> list[str]:
    if form == "markdown":
        return [markdown(shown, _MARKER)]
    width = terminal_width()
    parts = [Page(shown.headline, (), ()), *(Page("", [block], ()) for block in shown.top)]
    for section in shown.sections:
        first, *others = section.blocks
        parts += [Page(section.title, (first,), ()), *(Page("", (block,), ()) for block in others)]
    lines = [line for part in parts for line in (*lines_of(part, width), "")][:-1]
    titles = (shown.headline, *(section.title for section in shown.sections))
    return list(coloured(lines, {line for title in titles for line in wrapped(title, width)}))
