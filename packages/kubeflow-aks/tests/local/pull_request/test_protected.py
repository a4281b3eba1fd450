"""What is protected and would go: `pulumi up` refuses it, and the change is reported all the same."""

from __future__ import annotations

from pathlib import Path

from kubeflow_aks.tools import Tools
from tests.local.pull_request.conftest import previewed
from tests.revisions.repository import PROGRAM, project

PROTECTED = PROGRAM.replace('{"size": 1})', '{"size": 1}, pulumi.ResourceOptions(protect=True))')


def test_a_protected_resource_that_goes_fails_the_preview_and_is_reported(
    tools: Tools, tmp_path: Path
) -> None:
    assert tools["pulumi"]
    small = project(tmp_path / "small", program=PROTECTED)
    small.write("__main__.py", "import pulumi\n")
    shown = previewed(small, code=1)
    assert shown.changes("dev") == {"kept": "delete"}
    assert not shown.document("dev")["failures"]["head"]
