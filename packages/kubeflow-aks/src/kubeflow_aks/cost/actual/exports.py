"""Reads exports of Azure Cost Management: CSV of cost details, actual or amortized, and of FOCUS.

Columns are those of Microsoft's dataset schemas (learn.microsoft.com, cost-management-billing/dataset-schema:
cost-usage-details-ea 2024-08-01, -mca 2023-12-01-preview, -pay-as-you-go 2019-11-01, -focus 1.2); what rows hold is
from microsoft/finops-toolkit, src/powershell/Tests/Unit/assets (2023-09) and docs-mslearn/focus/convert.md (2026-05).
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from kubeflow_aks.cost.actual.charged import Charge, Charged, Place
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.json_values import is_mapping, text
from kubeflow_aks.text.columns import cut
from kubeflow_aks.text.files import encoding
from kubeflow_aks.text.numbers import counted

_WROTE: Final = "a CSV export of Azure Cost Management: cost details (actual or amortized) or FOCUS"
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "resource": ("resourceid", "instanceid", "instancename"),
    "day": ("date", "usagedatetime", "chargeperiodstart"),
    "amount": ("effectivecost", "costinbillingcurrency", "cost", "pretaxcost"),
    "currency": ("billingcurrency", "billingcurrencycode", "currency"),
    "quantity": ("quantity", "usagequantity", "consumedquantity"),
    "unit": ("unitofmeasure", "consumedunit"),
    "category": ("metercategory", "xskumetercategory", "servicename"),
}
"""Names in lower case without underscores; of several the first that a file has."""
_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "billed": ("billedcost",),
    "group": ("resourcegroup", "resourcegroupname", "xresourcegroupname"),
    "meter": ("metername", "skumeter", "xskumetername", "xskudescription"),
    "pricing": ("pricingmodel", "pricingcategory"),
    "price": ("effectiveprice", "unitprice", "resourcerate"),
    "tags": ("tags",),
}
_KINDS: Final = {
    "managedclusters": "control plane",
    "loadbalancers": "load balancer",
    "publicipaddresses": "public addresses",
    "natgateways": "NAT gateway",
    "registries": "registry",
    "storageaccounts": "storage",
    "workspaces": "logs",
    "disks": "volumes",
}
"""ARM type of a resource to the line of the bill that it is; volumes are Kubernetes' and in no bill."""
_HOURS: Final = re.compile(r"(\d+)? ?(?:1 )?/?hours?", re.IGNORECASE)
_POOL_TAG: Final = "aks-managed-poolname"
_COMMITTED: Final = frozenset({"reservation", "savingsplan", "committed"})
_SPOT: Final = frozenset({"spot", "dynamic"})
"""`PricingModel` of cost details and `PricingCategory` of FOCUS."""
_FIELD: Final = 1 << 20
"""Longest cell, in characters."""
_CLOSE: Final = 0.02
"""Share by which a price times a quantity may differ from its amount."""
_REPEATED: Final = 0.5
"""Share of a file's rows from which on it repeats another one; exports of a month to date have all rows again."""


def is_json(path: Path) -> bool:
    """Whether the file begins as JSON does.

    Raises:
        CostError: it can't be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"{", b"["}
    except OSError as error:
        raise CostError(f"{path} can't be read: {error.strerror}") from None


def read(paths: Sequence[Path], place: Place, currency: str) -> Charged:
    """The charges of a cluster in some exports; `currency` is that of the bill.

    Raises:
        CostError: a file is no export, is cut off, repeats another one, is in another currency, or has nothing of this
            cluster; one line.
    """
    charged, exports = Charged(), list[_Export]()
    for path in paths:
        export = _Export(path, place, currency)
        export.add_to(charged)
        for other in exports:
            export.require_other_rows(other)
        exports.append(export)
    subscriptions = set[str]().union(*(export.subscriptions for export in exports))
    names = ", ".join(path.name for path in paths)
    if place.nodes.lower() not in charged.groups:
        others = counted(charged.elsewhere.rows, "row")
        puzzle = f"; {charged.puzzling} not understood ({charged.first_puzzle})" if charged.puzzling else ""
        raise CostError(
            f"{names}: no row of resource group {place.nodes} is not allowed; expected an export that covers the "
            f"nodes of this cluster ({others} of others{puzzle})"
        )
    if len(subscriptions) > 1:
        groups = " and ".join(sorted(place.groups))
        raise CostError(
            f"{names}: resource group {groups} in {len(subscriptions)} subscriptions is not allowed; expected the "
            f"rows of one: {', '.join(sorted(subscriptions))}"
        )
    return charged


class _Export:
    """One file."""

    def __init__(self, path: Path, place: Place, currency: str) -> None:
        self._path, self._place, self._currency = path, place, currency
        self._at: dict[str, int] = {}
        self._head: tuple[str, ...] = ()
        self._days: set[date] = set()
        self._rows: set[int] = set()
        """Rows of the cluster, by a hash without their amounts, which actual and amortized exports have differently."""
        self.subscriptions: set[str] = set()

    def add_to(self, charged: Charged) -> None:
        """Adds every row to the charges.

        Raises:
            CostError: it is no export, is cut off, or in another currency; one line.
        """
        name = self._path.name
        csv.field_size_limit(_FIELD)
        try:
            with _opened(self._path) as file:
                rows = csv.reader(file)
                head = next(rows, None)
                if not head:
                    raise CostError(f"{name} is empty; expected {_WROTE}")
                self._at, self._head = _columns(head, name), tuple(head)
                width, short = len(head), 0
                for row in rows:
                    if short:
                        charged.puzzle(f"{name}, line {short}: fewer cells than the head has")
                        short = 0
                    if len(row) < width:
                        short = rows.line_num if row else 0
                    elif len(row) > width:
                        charged.puzzle(f"{name}, line {rows.line_num}: more cells than the head has")
                    else:
                        self._add(row, rows.line_num, charged)
                charged.days |= self._days
                if short:
                    raise CostError(f"{name} ends within line {short}; expected the whole file")
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise CostError(f"{name} is cut off or damaged; expected the whole gzip file") from None
        except UnicodeError:
            raise CostError(f"{name} is no text in UTF-8 or UTF-16; expected {_WROTE}") from None
        except csv.Error as error:
            raise CostError(f"{name} is no CSV ({error}); expected {_WROTE}") from None
        except OSError as error:
            raise CostError(f"{self._path} can't be read: {error.strerror}") from None

    def require_other_rows(self, other: _Export) -> None:
        """Two files that have the same charges would count them twice.

        Raises:
            CostError: this one repeats the other, or has the same days in other columns; one line.
        """
        name, same = self._path.name, len(self._rows & other._rows)
        if self._head != other._head and self._days & other._days:
            raise CostError(
                f"{name}: another kind of export than {other._path.name} of the same days is not allowed; expected "
                "one kind, for instance FOCUS alone"
            )
        if same > _REPEATED * min(len(self._rows), len(other._rows)):
            raise CostError(
                f"{name}: {counted(same, 'row')} of {other._path.name} again is not allowed; expected files that do "
                "not repeat each other: of exports of a month to date the newest alone"
            )

    def _cell(self, row: Sequence[str], name: str) -> str:
        place = self._at.get(name)
        return row[place].strip() if place is not None else ""

    def _add(self, row: Sequence[str], line: int, charged: Charged) -> None:
        resource = row[self._at["resource"]].strip().lower()
        group = _segment(resource, "resourcegroups") or self._cell(row, "group").lower()
        ours = group in self._place.groups
        try:
            amount = _number(row[self._at["amount"]])
            billed = _number(row[self._at["billed"]]) if "billed" in self._at else amount
            day = _day(row[self._at["day"]]) if ours else None
        except ValueError as error:
            charged.puzzle(f"{self._path.name}, line {line}: {cut(str(error), 120)}")
            return
        if day is None:
            charge = charged.elsewhere
        else:
            currency = self._cell(row, "currency").upper()
            if currency != self._currency:
                raise CostError(
                    f"{self._path.name}: {currency or 'no currency'!r} is not allowed; expected {self._currency!r}, "
                    "the bill's; set `cost.currency` to that of the export"
                )
            charged.groups.add(group)
            self._days.add(day)
            self._rows.add(hash((day, resource, self._cell(row, "meter"), self._cell(row, "quantity"))))
            self.subscriptions.add(_segment(resource, "subscriptions"))
            charge = self._charge(row, line, resource, charged)
        charge.amount += amount
        charge.billed += billed
        charge.rows += 1

    def _charge(self, row: Sequence[str], line: int, resource: str, charged: Charged) -> Charge:
        """The charge that a row belongs to, with its node hours if it is of a pool."""
        category = self._cell(row, "category").lower()
        pool = self._pool(row, resource)
        if pool and (category == "bandwidth" or self._cell(row, "unit").upper().endswith("GB")):
            return charged.others["traffic"]
        if pool and pool not in self._place.pools:
            return charged.unattributed[f"pool {pool}, which the stack does not have"]
        if pool:
            charge = charged.pools[pool]
            if category.startswith("virtual machine"):
                self._count_hours(row, line, charge, charged)
            return charge
        kind, name = _kind(resource)
        another = kind == "managedclusters" and self._place.cluster and name != self._place.cluster.lower()
        if kind in _KINDS and not another:
            return charged.others[_KINDS[kind]]
        return charged.unattributed[f"{kind or 'rows without a resource'}{f' {name}' if another else ''}"]

    def _pool(self, row: Sequence[str], resource: str) -> str | None:
        """By the name of the scale set, node or disk, else by AKS's tag."""
        name = resource.partition("/providers/")[2]
        if pool := self._place.pool(name):
            return pool
        tags = self._cell(row, "tags")
        return _pool_tag(tags) if _POOL_TAG in tags.lower() else None

    def _count_hours(self, row: Sequence[str], line: int, charge: Charge, charged: Charged) -> None:
        quantity, unit = self._cell(row, "quantity"), self._cell(row, "unit")
        try:
            hours = self._hours(row, _number(quantity), unit)
        except ValueError:
            hours = None
        if hours is None:
            charged.puzzle(
                f"{self._path.name}, line {line}: {quantity!r} of {unit!r} are no hours, its amount is counted"
            )
            return
        pricing = self._cell(row, "pricing").lower().replace(" ", "")
        charge.hours += hours
        if pricing in _SPOT or self._cell(row, "meter").lower().endswith("spot"):
            charge.spot_hours += hours
        if pricing in _COMMITTED and _number(self._cell(row, "amount")) == 0:
            charge.committed += hours

    def _hours(self, row: Sequence[str], quantity: float, unit: str) -> float | None:
        """Hours of a quantity; of a unit of several hours the row's price says which of both the quantity counts."""
        match = _HOURS.fullmatch(unit)
        block = int(match[1] or 1) if match else 0
        if block <= 1:
            return quantity * block if block else None
        price, amount = _number(self._cell(row, "price")), _number(self._cell(row, "amount"))
        for factor in (block, 1):
            if abs(price * quantity * factor / block - amount) <= _CLOSE * abs(amount):
                return quantity * factor
        return None


@contextmanager
def _opened(path: Path) -> Generator[io.TextIOBase]:
    """The text of a file, packed with gzip or not, in UTF-8 or, with its mark, UTF-16."""
    with path.open("rb") as raw:
        start = raw.read(4)
        raw.seek(0)
        if start[:2] == b"PK" or start == b"PAR1":
            kind = "a ZIP archive" if start[:2] == b"PK" else "Parquet"
            raise CostError(f"{path.name} is {kind}; expected {_WROTE}, which may be packed with gzip")
        unpacked = gzip.GzipFile(fileobj=raw) if start[:2] == b"\x1f\x8b" else raw
        mark = unpacked.read(2)
        unpacked.seek(0)
        with io.TextIOWrapper(unpacked, encoding=encoding(mark), newline="") as file:
            yield file


def _columns(head: Sequence[str], name: str) -> dict[str, int]:
    """Where each column is.

    Raises:
        CostError: one that is needed is missing; one line.
    """
    places = {column.strip().lower().replace("_", ""): place for place, column in enumerate(head)}
    at = {
        what: places[column]
        for what, columns in (_COLUMNS | _OPTIONAL).items()
        for column in columns[::-1]
        if column in places
    }
    if missing := [what for what in _COLUMNS if what not in at]:
        raise CostError(f"{name}: no column of {', '.join(missing)} is not allowed; expected {_WROTE}")
    return at


def _number(cell: str) -> float:
    """A finite number.

    Raises:
        ValueError: it is none.
    """
    number = float(cell)
    if not math.isfinite(number):
        raise ValueError(f"no number: {cell!r}")
    return number


@lru_cache(maxsize=4096)
def _day(cell: str) -> date:
    """The day of `09/22/2023`, month first, or of `2023-09-22T00:00Z`."""
    day = cell.strip()[:10]
    return datetime.strptime(day, "%m/%d/%Y").date() if "/" in day else date.fromisoformat(day)


def _segment(resource: str, before: str) -> str:
    """What follows a segment of an ARM id, both in lower case."""
    return resource.partition(f"/{before}/")[2].partition("/")[0]


def _kind(resource: str) -> tuple[str, str]:
    """Type and name of the outermost resource of an ARM id in lower case."""
    _, kind, name, *_ = (*resource.rpartition("/providers/")[2].split("/"), "", "", "")
    return kind, name


@lru_cache(maxsize=4096)
def _pool_tag(tags: str) -> str | None:
    """The pool that AKS's tag names; an export writes tags as JSON, with or without its braces."""
    try:
        read: object = json.loads(tags if tags.startswith("{") else f"{{{tags}}}")
    except (ValueError, RecursionError):
        return None
    if not is_mapping(read):
        return None
    return next((text(name) for key, name in read.items() if key.lower() == _POOL_TAG), None)
