"""`python -m kubeflow_aks.local_aks.kubernetes_provider.data.from_go_types FOLDER`: renews the tables beside it.

FOLDER has the Go modules `api@VERSION`, `apiextensions-apiserver@VERSION` and `apimachinery@VERSION` of k8s.io, as
`$(go env GOMODCACHE)/k8s.io` has.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

VERSION: Final = "v0.34.4"
_HERE: Final = Path(__file__).parent
_SOURCE: Final = (
    "# {} From the Go sources of k8s.io/api,\n"
    f"# apiextensions-apiserver and apimachinery {VERSION} (Apache-2.0, The Kubernetes Authors),\n"
    "# by kubeflow_aks/local_aks/kubernetes_provider/data/from_go_types.py.\n"
)
_STRUCT: Final = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_POINTER: Final = re.compile(r"\*(?:\w+\.)?(\w+)\s+`json:\"(\w+),omitempty")
_QUANTITY: Final = re.compile(
    r"^\s+\w+\s+(?:(?:\*|\[\])?resource\.Quantity|(?:\w+\.)?ResourceList|map\[[\w.]+\]resource\.Quantity)\s+"
    r"`json:\"(\w+)",
    re.MULTILINE,
)
_NAMED: Final = re.compile(r"^type (\w+) (bool|string|u?int\d*|float\d*)\b", re.MULTILINE)
_BASIC: Final = frozenset(
    {"bool", "string", "int", "int32", "int64", "uint32", "uint64", "float32", "float64"}
)
_RELEASE: Final = re.compile(
    r"func \(in \*(\w+)\) APILifecycle(Removed)\(\).*?\n\treturn (\d+), (\d+)|"
    r"func \(in \*(\w+)\) APILifecycle(Replacement)\(\).*?\n\treturn schema\.GroupVersionKind"
    r'\{Group: "([^"]*)", Version: "([^"]*)", Kind: "([^"]*)"\}'
)
_GROUP: Final = re.compile(r'GroupName\s*=\s*"([^"]*)"')


def pointer_fields(modules: Path) -> Iterator[tuple[str, str]]:
    """OpenAPI definition and field of each optional basic value that Go keeps even when it is false, 0 or empty."""
    for package, text in _types(modules):
        basic = _BASIC | {name for name, _ in _NAMED.findall(text)} | {"Protocol", "PullPolicy"}
        for struct, body in _STRUCT.findall(text):
            yield from (
                (f"{package}.{struct}", field) for type_, field in _POINTER.findall(body) if type_ in basic
            )


def quantity_fields(modules: Path) -> Iterator[tuple[str, str]]:
    """OpenAPI definition and field of each quantity, and of each mapping or list of some."""
    for package, text in _types(modules):
        for struct, body in _STRUCT.findall(text):
            yield from ((f"{package}.{struct}", field) for field in _QUANTITY.findall(body))


def given_up_versions(modules: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Group, version, kind, release that no longer serves it, and `group/version/Kind` of what replaces it."""
    for _, folder in _packages(modules):
        file = folder / "zz_generated.prerelease-lifecycle.go"
        if not file.exists():
            continue
        versions: dict[str, tuple[str, str]] = {}
        for match in _RELEASE.finditer(file.read_text()):
            kind = match[1] or match[5]
            removed, replacement = versions.get(kind, ("", ""))
            if match[2]:
                versions[kind] = (f"{match[3]}.{match[4]}", replacement)
            else:
                versions[kind] = (removed, f"{match[7] or 'core'}/{match[8]}/{match[9]}")
        [group] = _GROUP.findall((folder / "register.go").read_text())
        for kind, facts in sorted(versions.items()):
            if not kind.endswith("List"):
                yield (group, folder.name, kind, *facts)


def _types(modules: Path) -> Iterator[tuple[str, str]]:
    """The Go types of each package."""
    for package, folder in _packages(modules):
        yield package, "\n".join(path.read_text() for path in sorted(folder.glob("*types*.go")))


def _packages(modules: Path) -> Iterator[tuple[str, Path]]:
    for folder in sorted((modules / f"api@{VERSION}").glob("*/v*")):
        yield f"io.k8s.api.{folder.parent.name}.{folder.name}", folder
    extensions = modules / f"apiextensions-apiserver@{VERSION}" / "pkg" / "apis" / "apiextensions"
    yield "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1", extensions / "v1beta1"
    yield (
        "io.k8s.apimachinery.pkg.apis.meta.v1",
        modules / f"apimachinery@{VERSION}" / "pkg" / "apis" / "meta" / "v1",
    )


def _write(name: str, what: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    with (_HERE / name).open("w", encoding="utf-8", newline="") as file:
        file.write(_SOURCE.format(what))
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def main(modules: Path) -> None:
    """Write all tables."""
    _write(
        "pointer_fields.csv",
        "Optional basic fields that are kept when false, 0 or empty.",
        ("definition", "field"),
        pointer_fields(modules),
    )
    _write(
        "quantity_fields.csv",
        "Fields that hold a quantity, or several.",
        ("definition", "field"),
        quantity_fields(modules),
    )
    _write(
        "given_up_versions.csv",
        "Versions of kinds that Kubernetes gave up, or will.",
        ("group", "version", "kind", "removed", "replacement"),
        given_up_versions(modules),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
