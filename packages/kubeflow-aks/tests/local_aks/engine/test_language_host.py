"""The program of another tree runs in a process of its own, with its own modules, and leaves no process behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import (
    engine_pb2_grpc,
    language_pb2,
    language_pb2_grpc,
    resource_pb2,
    resource_pb2_grpc,
)

from kubeflow_aks.local_aks.engine import language_host, program
from kubeflow_aks.project import PROJECT_ROOT

LISTING = """
import json, sys
import catalogue
files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
with open("modules.json", "w") as sink:
    json.dump({"catalogue": catalogue.WORD, "files": files}, sink)
"""


class _Engine(resource_pb2_grpc.ResourceMonitorServicer, engine_pb2_grpc.EngineServicer):
    """As much of an engine as a program without resources needs; it keeps what is logged."""

    def __init__(self) -> None:
        self.logged: list[str] = []
        self.imported: dict[str, str] = {}

    def SupportsFeature(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        del request, context
        return resource_pb2.SupportsFeatureResponse(hasSupport=True)

    def RegisterResource(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        del context
        self.imported[request.name] = request.importId
        return resource_pb2.RegisterResourceResponse(urn=f"urn:{request.name}")

    def RegisterResourceOutputs(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        del request, context
        return empty_pb2.Empty()

    def SignalAndWaitForShutdown(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        del request, context
        return empty_pb2.Empty()

    def Log(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        del context
        self.logged.append(request.message)
        return empty_pb2.Empty()


@pytest.fixture
def engine() -> Generator[tuple[_Engine, str]]:
    """An engine and its address."""
    servicer, server = _Engine(), grpc.server(ThreadPoolExecutor(4))
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(servicer, server)
    engine_pb2_grpc.add_EngineServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield servicer, f"127.0.0.1:{port}"
    server.stop(grace=None).wait()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Another tree, whose `catalogue` is not ours."""
    (tmp_path / "__main__.py").write_text(LISTING)
    (tmp_path / "catalogue.py").write_text("WORD = 'theirs'\n")
    return tmp_path


def _run(host: str, engine: str) -> str:
    """Runs the program as the engine does; the error it answers with, empty if there is none."""
    with grpc.insecure_channel(host) as channel:
        request = language_pb2.RunRequest(
            project="p", stack="s", monitor_address=engine, args=[engine], parallel=1, organization="o"
        )
        stub: Any = language_pb2_grpc.LanguageRuntimeStub(channel)
        return stub.Run(request).error


def test_it_finds_its_own_modules_and_loads_none_of_ours(project: Path, engine: tuple[_Engine, str]) -> None:
    with program.served(project) as host:
        assert _run(host, engine[1]) == ""
    record = json.loads((project / "modules.json").read_text())
    assert record["catalogue"] == "theirs"
    installed = (f"{sys.prefix}{os.sep}", f"{sys.base_prefix}{os.sep}")
    ours = f"{PROJECT_ROOT}{os.sep}"
    loaded = {
        file for file in record["files"].values() if file.startswith(ours) and not file.startswith(installed)
    }
    assert loaded <= {language_host.__file__}


@pytest.mark.parametrize(
    ("raised", "traceback"), [("pulumi.RunError('no such region')", False), ("ValueError('broken')", True)]
)
def test_what_stops_it_is_reported_as_by_a_program_in_this_process(
    project: Path,
    engine: tuple[_Engine, str],
    raised: str,
    traceback: bool,
) -> None:
    (project / "__main__.py").write_text(f"import pulumi\nraise {raised}\n")
    with program.served(project) as host:
        error = _run(host, engine[1])
    assert raised.split("'")[1] in error
    assert ("Traceback" in error) == traceback
    assert engine[0].logged == [error]


IMPORTING = """
import pulumi
class Thing(pulumi.CustomResource):
    pass
Thing("a:b:C", "taken", {}, pulumi.ResourceOptions(import_="/its/id", protect=True))
Thing("a:b:C", "made", {})
"""


@pytest.mark.parametrize(("imports", "as_id", "warned"), [(True, "/its/id", 0), (False, "", 1)])
def test_an_import_is_made_instead_where_nothing_is_there(
    project: Path,
    engine: tuple[_Engine, str],
    imports: bool,
    as_id: str,
    warned: int,
) -> None:
    (project / "__main__.py").write_text(IMPORTING)
    with program.served(project, imports=imports) as host:
        assert _run(host, engine[1]) == ""
    assert engine[0].imported == {"p-s": "", "taken": as_id, "made": ""}
    assert engine[0].logged == [f"{language_host.IMPORTED}a:b:C taken /its/id"] * warned


def test_a_program_in_a_file_runs_in_its_folder(project: Path, engine: tuple[_Engine, str]) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "start.py").write_text("open('ran', 'w').close()\n")
    with program.served(project / "sub" / "start.py", root=project) as host:
        assert _run(host, engine[1]) == ""
    assert (project / "sub" / "ran").exists()


def test_it_runs_with_the_python_of_its_own_environment(project: Path, engine: tuple[_Engine, str]) -> None:
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\ntouch "{project}/used"\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    with program.served(project) as host:
        assert _run(host, engine[1]) == ""
    assert (project / "used").exists()


def test_a_python_that_can_not_serve_it_is_named(project: Path) -> None:
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    with pytest.raises(program.ProgramError, match=rf"{python} can't run the program .* \(exit code 3\)"):
        program.served(project).__enter__()


def _hosts(project: Path) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if {language_host.__file__, str(project)} <= set(process.info["cmdline"] or [])
    ]


def _assert_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=120)
    assert alive == []


def test_its_process_ends_with_the_operation(project: Path) -> None:
    with program.served(project):
        hosts = _hosts(project)
        assert len(hosts) == 1
    _assert_gone(hosts)


def test_its_process_ends_with_a_runner_that_is_killed_while_it_runs(
    project: Path, engine: tuple[_Engine, str]
) -> None:
    (project / "__main__.py").write_text("import time\nopen('begun', 'w').close()\ntime.sleep(600)\n")
    runner = f"""
import sys
from pathlib import Path
from kubeflow_aks.local_aks.engine import program
with program.served(Path({str(project)!r})) as host:
    print(host, flush=True)
    sys.stdin.read()
"""
    command = [sys.executable, "-c", runner]
    with subprocess.Popen(
        command, cwd=PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        host = child.stdout.readline().strip()
        with ThreadPoolExecutor(1) as waiting:
            answer = waiting.submit(_run, host, engine[1])
            deadline = time.monotonic() + 120
            while not (project / "begun").exists():
                assert time.monotonic() < deadline
                time.sleep(0.02)
            hosts = _hosts(project)
            child.kill()
            _assert_gone(hosts)
            with pytest.raises(grpc.RpcError):
                answer.result()
    assert len(hosts) == 1
