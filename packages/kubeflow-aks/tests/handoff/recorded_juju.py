"""Answers of the real Juju client, recorded and compared by tests/local/handoff/test_juju_answers.py."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

RECORDING: Final = Path(__file__).parent / "data" / "juju.json"
"""By situation; the cloud is called aks-demo and the controller aks-demo-controller."""


@dataclass(frozen=True)
class Answer:
    """What a command printed and ended with."""

    arguments: str
    code: int
    stdout: str
    stderr: str

    def to_json(self) -> dict[str, Any]:
        """As it stands in the recording."""
        return {
            "arguments": self.arguments,
            "code": self.code,
            "stdout": self.stdout,
            "stderr": self.stderr,
        }


def install(folder: Path, cloud: str) -> None:
    """Writes each answer as files for a stand-in, NAME.out, NAME.err and NAME.code, and the cloud's name as `cloud`.

    Args:
        folder: for the files.
        cloud: what the cluster is called there.
    """
    folder.mkdir(parents=True)
    (folder / "cloud").write_text(cloud)
    for name, answer in json.loads(RECORDING.read_text(encoding="utf-8")).items():
        for suffix, text in (
            ("out", answer["stdout"]),
            ("err", answer["stderr"]),
            ("code", str(answer["code"])),
        ):
            (folder / f"{name}.{suffix}").write_text(text.replace("aks-demo", cloud))
