"""Why a build failed, in words that say what to do."""

from __future__ import annotations

import re
from typing import Final

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.tools.manifest import Tool

_LINES_SHOWN: Final = 12

_NO_NETWORK: Final = "|".join(
    (
        "dial tcp",
        "no such host",
        "connection re(fused|set)",
        "network is unreachable",
        "i/o timeout",
        "TLS handshake",
        "proxyconnect",
        "unexpected EOF",
        r"50\d [A-Z]",
    )
)

_KNOWN: Final = (
    (r"no space left on device|disk quota exceeded", "the disk is full (a cold build takes about 12 GB)"),
    (r"checksum mismatch|SECURITY ERROR", "a downloaded module is not the one that go.sum vouches for"),
    (
        _NO_NETWORK,
        "no answer from the network (modules come from GOPROXY); run again to go on where it stopped",
    ),
    (r"signal: killed", "a compiler was killed, most likely because memory ran out; try --jobs 1"),
)


class BuildError(CommandError):
    """A tool cannot be had; the text is complete and meant for the user."""


def explain(tool: Tool, output: str) -> BuildError:
    """The error for a failed `go build`, by all that `go` printed."""
    what = f"{tool} (module group packages/kubeflow-aks/src/kubeflow_aks/tools/{tool.group}, package {tool.package})"
    return failed(what, output, "it does not compile")


def failed(what: str, output: str, otherwise: str) -> BuildError:
    """The error for a `go` command, by all that it printed; `otherwise` is the reason where that has no known one."""
    lines = [line for line in output.splitlines() if not line.startswith("go: downloading")]
    reason = next((text for pattern, text in _KNOWN if re.search(pattern, output)), otherwise)
    last = "\n".join(f"    {line}" for line in lines[-_LINES_SHOWN:])
    return BuildError(f"{what}: {reason}\n{last}".rstrip())
