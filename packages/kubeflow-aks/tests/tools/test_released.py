"""Released tools from a server on this machine: what is kept, what is refused, and what is left."""

from __future__ import annotations

import hashlib
import io
import json
import re
import signal
import tarfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Final
from zipfile import ZipFile

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.clients.downloads import download
from kubeflow_aks.exit_codes import UsageError
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import checksums, manifest, released
from kubeflow_aks.tools.build import build
from kubeflow_aks.tools.errors import BuildError
from kubeflow_aks.tools.installed import locate
from kubeflow_aks.tools.manifest import Tool
from kubeflow_aks.tools.places import cache
from tests.serving import serving
from tests.tools.fake_go import FakeGo

CONTENT: Final = b"#!/bin/sh\n" + b"echo 1.0.0\n" * 2000
DIGEST: Final = hashlib.sha256(CONTENT).hexdigest()
ONE: Final = Tool("one", "etcd", "example.org/one", "1.0.0", minutes=1)
TWO: Final = Tool("two", "etcd", "example.org/two", "1.0.0", minutes=1)
PATH: Final = "/dl.example.org/v1.0.0/one"
RELEASE: Final = {
    "tool": "one",
    "platform": "linux/amd64",
    "address": "https://dl.example.org/v{version}/one",
    "member": "",
    "checksums": "https://sums.example.org",
    "version": "1.0.0",
    "sha256": DIGEST,
}
Answer = Callable[[BaseHTTPRequestHandler], None]


def send(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    *,
    status: int = 200,
    size: int | None = None,
    location: str = "",
) -> None:
    handler.send_response(status)
    if location:
        handler.send_header("Location", location)
    handler.send_header("Content-Length", str(len(body) if size is None else size))
    handler.end_headers()
    handler.wfile.write(body)


def cut(handler: BaseHTTPRequestHandler) -> None:
    """Half of it, and the connection is closed."""
    send(handler, CONTENT[:9000], size=len(CONTENT))


def rest(handler: BaseHTTPRequestHandler) -> None:
    """As a server that knows ranges answers."""
    start = int(handler.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
    send(handler, CONTENT[start:], status=206 if start else 200)


def whole(handler: BaseHTTPRequestHandler) -> None:
    """As a server that knows no ranges answers."""
    send(handler, CONTENT)


def sends(body: bytes, size: int | None = None) -> Answer:
    return lambda handler: send(handler, body, size=size)


def fails(status: int) -> Answer:
    return lambda handler: send(handler, b"", status=status)


def redirects(location: str) -> Answer:
    return lambda handler: send(handler, b"", status=302, location=location)


@dataclass
class Server:
    """Answers by turns, the last answer again and again; `requests` has path and range of each request."""

    answers: list[Answer]
    requests: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])

    @contextmanager
    def running(self) -> Generator[str]:
        """Its address."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.requests.append((self.path, self.headers.get("Range")))
                answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
                answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base
                """Nothing."""

        with serving(Handler) as address:
            yield address


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubeflow_aks.clients.downloads._PAUSE_SECONDS", 0)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, path_folder: Path) -> Generator[Server]:
    """A mirror, and a table of one tool for this machine; the cache is empty and PATH has no Go."""
    assert path_folder.exists()
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(released, "releases", lambda: [RELEASE])
    server = Server([rest])
    with server.running() as address:
        monkeypatch.setenv(released.MIRROR, f"{address}/")
        yield server


def took(lines: list[str]) -> bytes:
    """The installed program."""
    build([ONE], jobs=1, report=lines.append, download=True)
    program = locate(ONE)
    assert program
    return program.read_bytes()


def left() -> list[str]:
    """What is in the cache but for the lock."""
    return [path.name for path in cache().iterdir() if path.name != "lock"]


def test_a_released_tool_is_taken_from_the_mirror_without_go(server: Server, lines: list[str]) -> None:
    assert took(lines) == CONTENT
    assert server.requests == [(PATH, None)]
    assert re.fullmatch(r"one v1\.0\.0  downloading from 127\.0\.0\.1:\d+", lines[0])
    assert lines[1:] == [
        "one v1.0.0  0 of 0 MB",
        "one v1.0.0  downloaded, and its SHA-256 is that of releases.csv",
    ]


def test_nothing_is_downloaded_unless_it_is_requested(server: Server, go: FakeGo, lines: list[str]) -> None:
    build([ONE], jobs=1, report=lines.append)
    assert len(go.calls()) == 1
    assert server.requests == []


@pytest.mark.parametrize(
    "other",
    [{"sha256": ""}, {"version": "0.9.0"}, {"platform": "darwin/arm64"}, {"tool": "two"}],
    ids=lambda other: next(iter(other)),
)
def test_what_has_no_checksum_is_compiled_and_that_is_reported(
    server: Server, go: FakeGo, lines: list[str], monkeypatch: pytest.MonkeyPatch, other: dict[str, str]
) -> None:
    monkeypatch.setattr(released, "releases", lambda: [RELEASE | other])
    build([ONE], jobs=1, report=lines.append, download=True)
    assert lines[0] == "one v1.0.0  no checksum for linux/amd64 in releases.csv: it is compiled"
    assert len(go.calls()) == 1
    assert server.requests == []


@pytest.mark.usefixtures("server")
def test_the_rest_is_compiled(go: FakeGo, lines: list[str]) -> None:
    build([ONE, TWO], jobs=1, report=lines.append, download=True)
    assert [call.split()[-1] for call in go.calls()] == [TWO.package]
    assert "step 1 of 1  two v1.0.0  building, expected 1 min 00 s" in lines


@pytest.mark.parametrize("second", [rest, whole], ids=["ranges", "no ranges"])
def test_a_cut_download_goes_on(server: Server, lines: list[str], second: Answer) -> None:
    server.answers = [cut, fails(503), second]
    assert took(lines) == CONTENT
    assert server.requests == [(PATH, None), (PATH, "bytes=9000-"), (PATH, "bytes=9000-")]
    assert "one v1.0.0  the connection was cut; 0 MB are there, try 1 of 6" in lines
    assert "one v1.0.0  503 Service Unavailable; 0 MB are there, try 2 of 6" in lines


@pytest.mark.parametrize(
    ("answer", "reason", "requests"),
    [
        (sends(CONTENT[1:]), f"has the SHA-256 .*; expected {DIGEST}", 1),
        (cut, "the connection was cut; without --download it is compiled", 6),
        (fails(404), f"{PATH}: 404 Not Found; without --download it is compiled", 1),
        (fails(500), "500 Internal Server Error", 6),
        (redirects("http://files.example.org/one"), "302 it redirects to an address without https", 1),
        (redirects("ftp://127.0.0.1/one"), "302 it redirects to an address without https", 1),
        (redirects("file:///etc/hostname"), "302 ", 1),
        (redirects(PATH), "302 .*infinite loop", 5),
        (sends(b"", 1 << 30), "more than 512 MiB", 1),
    ],
    ids=["sum", "cut", "404", "500", "http", "ftp", "file", "loop", "size"],
)
def test_what_is_refused_leaves_nothing(
    server: Server, lines: list[str], answer: Answer, reason: str, requests: int
) -> None:
    server.answers = [answer]
    with pytest.raises(BuildError, match=reason):
        build([ONE], jobs=1, report=lines.append, download=True)
    assert len(server.requests) == requests
    assert locate(ONE) is None
    assert left() == []


def test_a_redirect_to_another_host_is_followed_with_the_range(server: Server, lines: list[str]) -> None:
    other = Server([cut, rest])
    with other.running() as address:
        server.answers = [redirects(f"{address}/signed")]
        assert took(lines) == CONTENT
    assert other.requests == [("/signed", None), ("/signed", "bytes=9000-")]


def test_a_stalled_connection_is_given_up_and_continued(
    server: Server, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubeflow_aks.clients.downloads._SILENT_SECONDS", 0.05)
    ended = threading.Event()

    def stall(handler: BaseHTTPRequestHandler) -> None:
        cut(handler)
        handler.wfile.flush()
        ended.wait(10)

    server.answers = [stall, rest]
    assert took(lines) == CONTENT
    ended.set()
    assert "one v1.0.0  timed out; 0 MB are there, try 1 of 6" in lines


def test_a_dripping_connection_is_given_up_and_continued(
    server: Server, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes come one by one, 10 s apart, so that no time limit for one read ends it."""
    clock = count(0, 10)
    slow = SimpleNamespace(monotonic=lambda: next(clock), sleep=time.sleep)
    monkeypatch.setattr("kubeflow_aks.clients.downloads.time", slow)
    monkeypatch.setattr("kubeflow_aks.clients.downloads._CHUNK", 1)
    with pytest.raises(BuildError, match="the connection is too slow"):
        took(lines)
    assert [requested for _, requested in server.requests] == [
        None,
        *(f"bytes={n}-" for n in (4, 8, 12, 16, 20)),
    ]


def test_a_proxy_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Server([rest])
    with proxy.running() as address:
        monkeypatch.setenv("http_proxy", address)
        download("http://files.example.org/one", tmp_path / "one", print)
    assert proxy.requests == [("http://files.example.org/one", None)]
    assert (tmp_path / "one").read_bytes() == CONTENT


def test_a_full_disk_is_not_tried_again() -> None:
    server = Server([sends(CONTENT * 5)])
    with server.running() as address, pytest.raises(OSError, match="No space left on device"):
        download(address, Path("/dev/full"), print)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("mirror", "shown"),
    [
        ("http://mirror.example.org", "http://mirror.example.org"),
        ("file:///srv", "file:///srv"),
        ("mirror.example.org", "mirror.example.org"),
        ("https://user:secret@mirror.example.org/x", "mirror.example.org/x"),
        ("https://[", r"https://\["),
    ],
)
def test_a_mirror_that_cannot_be_trusted_is_refused_before_anything_is_read(
    server: Server, lines: list[str], monkeypatch: pytest.MonkeyPatch, mirror: str, shown: str
) -> None:
    monkeypatch.setenv(released.MIRROR, mirror)
    with pytest.raises(UsageError, match=f"^KUBEFLOW_AKS_MIRROR: {shown} is not allowed; expected "):
        build([ONE], jobs=1, report=lines.append, download=True)
    assert server.requests == []


def _archive(kind: str, members: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    if kind == "zip":
        with ZipFile(sink, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(fileobj=sink, mode="w:gz") as archive:
            for name, content in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return sink.getvalue()


def _archived(kind: str, content: bytes) -> dict[str, str]:
    digest = hashlib.sha256(content).hexdigest()
    address = f"{RELEASE['address']}.{kind}"
    return RELEASE | {"address": address, "member": "one-{version}/one", "sha256": digest}


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_of_an_archive_only_the_named_member_is_unpacked(
    server: Server, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    content = _archive(kind, {"../../outside": b"x", "one-1.0.0/README": b"x", "one-1.0.0/one": CONTENT})
    monkeypatch.setattr(released, "releases", lambda: [_archived(kind, content)])
    server.answers = [sends(content)]
    assert took(lines) == CONTENT
    assert sorted(path.name for path in cache().rglob("*") if path.is_file()) == ["lock", "one", "used"]
    assert not list(tmp_path.rglob("outside"))


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_without_the_named_member_is_refused(
    server: Server, lines: list[str], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    content = _archive(kind, {"one-1.0.0/README": b"x"})
    monkeypatch.setattr(released, "releases", lambda: [_archived(kind, content)])
    server.answers = [sends(content)]
    with pytest.raises(BuildError, match=r"one-1\.0\.0/one.*; without --download it is compiled"):
        took(lines)
    assert left() == []


def test_ctrl_c_leaves_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = threading.Event()

    def interrupt(handler: BaseHTTPRequestHandler) -> None:
        cut(handler)
        handler.wfile.flush()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        ended.wait(10)

    server.answers = [interrupt]
    monkeypatch.setattr(manifest, "TOOLS", (ONE,))
    assert main(["local", "build", "--download"]) == 130
    ended.set()
    assert "error: interrupted; what is finished is kept" in capsys.readouterr().err
    assert left() == []


def test_the_command_reports_a_refusal_in_one_line(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers = [fails(404)]
    monkeypatch.setattr(manifest, "TOOLS", (ONE,))
    assert main(["local", "build", "--download"]) == 1
    assert re.search(r"^error: one v1\.0\.0: .*: 404 Not Found; ", capsys.readouterr().err, re.MULTILINE)


def test_the_table_has_every_tool_that_is_always_needed() -> None:
    rows = released.releases()
    expected = {tool.name for tool in manifest.selected()}
    by_platform = {
        platform: {row["tool"] for row in rows if row["platform"] == platform}
        for platform in {row["platform"] for row in rows}
    }
    servers = {"kube-apiserver", "kube-controller-manager", "kube-scheduler"}
    assert by_platform == {
        "linux/amd64": expected,
        "linux/arm64": expected,
        "darwin/amd64": expected - servers,
        "darwin/arm64": expected - servers,
    }
    assert len({(row["tool"], row["platform"]) for row in rows}) == len(rows)


def test_the_page_says_so_while_the_table_has_no_checksums() -> None:
    page = (PROJECT_ROOT / "docs/local-aks.md").read_text()
    empty = not any(row["sha256"] for row in released.releases())
    assert ("As it is here the table has no checksums" in page) == empty


@pytest.mark.parametrize("row", released.releases(), ids=lambda row: f"{row['tool']} {row['platform']}")
def test_each_row_names_a_file_of_its_version_and_platform(row: dict[str, str]) -> None:
    assert row["address"].startswith(
        (
            "https://dl.k8s.io/release/v{version}/bin/",
            "https://github.com/etcd-io/etcd/releases/download/v{version}/",
            "https://github.com/kubernetes-sigs/kwok/releases/download/v{version}/",
            "https://get.pulumi.com/releases/sdk/pulumi-v{version}-",
        )
    )
    system, machine = row["platform"].split("/")
    assert re.search(rf"{system}[-/]({machine}|x64)", row["address"])
    assert row["member"].rpartition("/")[2] == (
        row["tool"] if row["address"].endswith((".gz", ".zip")) else ""
    )
    assert row["checksums"].startswith("https://")
    assert "{version}" in row["checksums"]
    assert bool(row["version"]) == bool(row["sha256"])
    assert re.fullmatch("([0-9a-f]{64})?", row["sha256"])


@pytest.mark.parametrize(
    ("document", "digest"),
    [
        (DIGEST, DIGEST),
        (f"{'0' * 64}  one.sig\n{DIGEST}  one\n", DIGEST),
        (f"{DIGEST} *one\n", DIGEST),
        (json.dumps({"assets": [{"name": "x"}, {"name": "one", "digest": f"sha256:{DIGEST}"}]}), DIGEST),
        (json.dumps({"assets": [{"name": "one", "digest": None}]}), ""),
        (f"{DIGEST}x", ""),
        (f"{DIGEST}  another\n\n", ""),
        ("<html>not here</html>", ""),
    ],
)
def test_checksums_are_read_as_the_projects_publish_them(document: str, digest: str) -> None:
    assert checksums.published(document, "one") == digest


@pytest.mark.parametrize(
    ("document", "row", "expected"),
    [
        (f"{DIGEST}  one", {"sha256": "", "version": ""}, f"1.0.0,{DIGEST}\n"),
        (f"{DIGEST}  one", {"sha256": "0" * 64, "version": "0.9.0"}, f"1.0.0,{DIGEST}\n"),
        (
            f"{'1' * 64}  one",
            {},
            f"the SHA-256 of .* is 1+; expected {DIGEST}, as it was; nothing is written",
        ),
        ("", {}, "no SHA-256 of https://dl.example.org/v1.0.0/one; nothing is written"),
    ],
    ids=["first", "newer version", "changed", "none"],
)
def test_the_table_is_renewed_whole_or_not_at_all(  # noqa: PLR0917 - fixtures
    document: str,
    row: dict[str, str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = tmp_path / "releases.csv"
    table.write_text("# why\n")
    server = Server([sends(document.encode())])
    with server.running() as address:
        monkeypatch.setattr(checksums, "TABLE", table)
        monkeypatch.setattr(checksums, "releases", lambda: [RELEASE | {"checksums": address} | row])
        monkeypatch.setattr(manifest, "TOOLS", (ONE,))
        code = checksums.main()
    if code:
        assert re.search(expected, capsys.readouterr().err)
        assert table.read_text() == "# why\n"
    else:
        head, columns, written = table.read_text().splitlines(keepends=True)
        assert (head, columns) == ("# why\n", "tool,platform,address,member,checksums,version,sha256\n")
        assert written.endswith(expected)
