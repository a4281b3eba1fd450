"""`kubeflow-aks ci currency`: what of all that ages here is too old, has a newer version, or ends soon.

Versions and days stand where they are used: in manifests, lock files' sources, workflows and tables. `currency.csv` has
only what is allowed. Not looked at: packages that lock files hold because others need them (`make requirements` renews
them), and the images that Charmed Kubeflow's charms bring.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from aks_facts import charmed_kubeflow_releases, kubernetes_version, minor, ubuntu, vm_sizes
from kubeflow_aks.ci import issue
from kubeflow_aks.ci.issue import Matter
from kubeflow_aks.ci.pins import Pin, pins
from kubeflow_aks.ci.registries import NotCheckedError, Registries
from kubeflow_aks.clients.github import GitHub
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.local_aks.azure.sdk_schema import api_version
from kubeflow_aks.text import files
from kubeflow_aks.text.escape import code
from kubeflow_aks.text.sentences import first_of
from kubeflow_aks.tools.released import mirror

ALLOWED: Final = Path(__file__).with_name("currency.csv")
_API: Final = "azure-native:containerservice:ManagedCluster"
_DAYS: Final = ("day", "compared")
"""Columns of tables whose rows have days."""
_DAY: Final = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_MATTER: Final = Matter(
    "<!-- kubeflow-aks currency -->",
    "What has become old",
    ("currency", "Something that this repository pins or copies is old"),
    "Nothing is old any more.",
)
_MOST_NAMES: Final = 5
_AT_ONCE: Final = 8


@dataclass(frozen=True)
class Row:
    """Something that ages.

    Attributes:
        what: its name.
        version: the version, commit or day that counts.
        where: the file that has it.
        source: where to look for newer.
        finding: what is wrong; empty if nothing is.
        checked: False where that could not be found out.
    """

    what: str
    version: str
    where: str
    source: str
    finding: str = ""
    checked: bool = True


@dataclass(frozen=True)
class _Allowed:
    days: timedelta
    stays: tuple[str, ...]
    source: str


def table(file: Path) -> tuple[str, list[dict[str, str]]]:
    """The lines before a table's first row, and its rows."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.startswith("#")), files.rows(file)


def allowed() -> dict[str, _Allowed]:
    """What `currency.csv` allows, by what it is for."""
    return {
        row["what"]: _Allowed(
            timedelta(int(row["days"])) if row["days"] else timedelta.max,
            tuple(row["stays"].split()),
            row["why"],
        )
        for row in table(ALLOWED)[1]
    }


def rows(root: Path, today: date, registries: Registries) -> list[Row]:
    """Everything that ages, judged by a day."""
    limits = allowed()

    def judged(pin: Pin) -> Row:
        return _version(pin, limits, today, registries)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        versions = pool.map(judged, pins(root))
        return [
            *_tables(root, limits, today),
            _api(limits[_API], today),
            *_ends(limits["end"], today),
            *versions,
        ]


def _version(pin: Pin, limits: Mapping[str, _Allowed], today: date, registries: Registries) -> Row:
    limit = limits.get(pin.what)
    stays = limit.stays if limit else ()
    series = next((one for one in stays if f"{pin.version}.".startswith(f"{one}.")), "")
    row = (pin.what, pin.version, pin.where, pin.kind.value)
    try:
        newer = registries.newer(pin, series)
    except NotCheckedError as error:
        return Row(*row, f"not checked: {error}", checked=False)
    if newer and today - newer.since > limits["version"].days:
        return Row(*row, f"{newer.version} is out; behind since {newer.since}")
    return Row(*row)


def _tables(root: Path, limits: Mapping[str, _Allowed], today: date) -> Iterator[Row]:
    """A row for each table with days, of its rows or, first of all, in the lines before them."""
    for name, limit in limits.items():
        if name.endswith(".csv"):
            head, listed = table(root / name)
            column = next((column for column in _DAYS if listed and column in listed[0]), "")
            names = {next(iter(row.values())): date.fromisoformat(row[column]) for row in listed if column}
            days = names or {name: date.fromisoformat(_DAY.findall(head)[0])}
            old = [one for one, day in days.items() if today - day > limit.days]
            finding = f"older than {limit.days.days} days: {first_of(old, _MOST_NAMES)}" if old else ""
            yield Row(name, str(min(days.values())), name, limit.source, finding)


def _api(limit: _Allowed, today: date) -> Row:
    version = api_version(_API)
    age = today - date.fromisoformat(version[:10])
    finding = f"older than {limit.days.days} days" if age > limit.days else ""
    return Row("API version of AKS", version, "requirements.txt", limit.source, finding)


def _ends(limit: _Allowed, today: date) -> Iterator[Row]:
    """The newest release's last Kubernetes, its nodes' system, and the sizes of which the catalogue has an end."""
    newest = list(charmed_kubeflow_releases().values())[-1]
    version = max(newest.kubernetes_versions, key=minor)
    system = ubuntu("Ubuntu", version)
    sizes = sorted((size.retirement, name) for name, size in vm_sizes().items() if size.retirement)
    ends = [
        (
            f"Kubernetes {version}, long-term support",
            kubernetes_version(version).lts_until,
            "kubernetes_versions",
        )
    ]
    if system and system.until:
        ends.append((f"Ubuntu {system.release}, of Kubernetes {version}", system.until, "ubuntu_releases"))
    for what, day, name in ends:
        finding = f"ends on {day}, in {(day - today).days} days" if day - today < limit.days else ""
        yield Row(what, str(day), f"aks_facts/{name}.csv", limit.source, finding)
    over = [name for day, name in sizes if day < today]
    finding = (
        f"retired, so they belong into retired_vm_sizes.csv: {first_of(over, _MOST_NAMES)}" if over else ""
    )
    yield Row("VM sizes that retire", str(sizes[0][0]), "aks_facts/vm_sizes.csv", limit.source, finding)


def report(judged: Sequence[Row]) -> str:
    """A table of rows in Markdown, and how many there are of each kind."""
    cells = (
        (row.finding, code(row.what), code(row.version), code(row.where), row.source.replace("|", "\\|"))
        for row in judged
    )
    lines = (
        f"| {what} | {version} | {finding or 'as it should be'} | {where} | {source} |"
        for finding, what, version, where, source in cells
    )
    return (
        "\n".join(["| what | version or day | | file | newer ones |", "|---|---|---|---|---|", *lines]) + "\n"
    )


def run(root: Path, today: date, *, every: bool = False, to_issue: bool = False) -> ExitCode:
    """Prints the table of what has to be looked at, or of everything, or keeps one issue with it.

    Returns:
        FINDING if something is old; INCONCLUSIVE if nothing is, and something could not be checked; with an issue GOOD.

    Raises:
        UsageError: the mirror is not an address by https.
        GitHubError: GitHub refuses the issue.
    """
    judged = rows(root, today, Registries(mirror()))
    listed = [row for row in judged if row.finding]
    old = sum(row.checked for row in listed)
    summary = (
        f"{len(judged)} rows: {len(judged) - len(listed)} good, {old} old, {len(listed) - old} not checked"
    )
    if to_issue:
        note = f"{summary}. `./kubeflow-aks ci currency --all` shows every row."
        body = f"{_MATTER.marker}\n{report(listed)}\n{note}\n" if listed else ""
        print(summary, issue.settle(GitHub.from_environment(), _MATTER, body, os.environ))
        return ExitCode.GOOD
    if every or listed:
        print(report(judged if every else listed))
    print(summary)
    return ExitCode.FINDING if old else ExitCode.INCONCLUSIVE if listed else ExitCode.GOOD
