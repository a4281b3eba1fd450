"""The list of images is that of the code, and an image that nobody looks after any more is found."""

from __future__ import annotations

import re
import subprocess
from datetime import timedelta
from typing import Final

import pytest
import yaml

from components.kubeflow import images as program
from kubeflow_aks.ci import images
from kubeflow_aks.cli.process import main
from kubeflow_aks.project import PROJECT_ROOT

_NAME: Final = r"[a-z0-9][\w./-]*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?"
_HOSTS: Final = (
    r"mcr\.microsoft\.com|nvcr\.io|docker\.io|ghcr\.io|quay\.io|registry\.k8s\.io|gcr\.io|public\.ecr\.aws"
)
_REGISTRY: Final = re.compile(rf"(?<![\w.])((?:{_HOSTS})/{_NAME})")
_KEYWORD: Final = re.compile(
    rf"(?:base_image|--image|_?IMAGE(?:: Final)?|\bimage)\\?[\"']?\s*[=:]\s*\\?[\"']?({_NAME})"
)
_FROM: Final = re.compile(rf"^FROM ({_NAME})", re.MULTILINE)
_PARTS: Final = re.compile(r"\"\s*\n\s*\"")
"""Where Python joins two texts."""
_PLACEHOLDERS: Final = re.compile(
    r"registry\.(example\.com|invalid)/|docker\.io/charmedkubeflow/"
    r"|(ddp|features|prepare|report|score|shards|train|training):"
)
"""Images that a reader has, and the part of a registry that a cache copies."""
_PROSE: Final = ("CHANGELOG.md", "docs/facts/", "docs/decisions/", str(images.LIST.relative_to(PROJECT_ROOT)))
"""Names images that were used once, or that others use."""


def _named() -> dict[str, set[str]]:
    """Every image that a tracked file names, with the files."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    files_by_image: dict[str, set[str]] = {}
    for file in listed.stdout.strip("\0").split("\0"):
        path = PROJECT_ROOT / file
        if file.startswith(_PROSE) or "tests" in path.parts or not path.is_file():
            continue
        text = _PARTS.sub("", path.read_text(encoding="utf-8", errors="ignore"))
        named = _REGISTRY.findall(text) + _KEYWORD.findall(text)
        if path.name == "Dockerfile":
            named += _FROM.findall(text)
        for image in named:
            if re.search("[:/]", image) and not _PLACEHOLDERS.match(image):
                files_by_image.setdefault(image, set()).add(file)
    return files_by_image


def test_every_image_in_code_is_listed_and_no_other() -> None:
    used = {name.partition("@")[0] for name in _named()}
    assert used == {image.name for image in images.images()}


def test_a_pinned_image_has_one_digest_everywhere() -> None:
    pinned = {name for name in _named() if "@" in name}
    assert pinned == {f"{image.name}@{image.digest}" for image in images.images() if image.digest}
    assert {program.BUSYBOX, program.PAUSE, program.DEVICE_PLUGIN, program.PYTHON} == pinned


def test_every_image_has_a_source() -> None:
    rows = [line for line in images.LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert all(not row.endswith(",") for row in rows)


def test_the_base_images_of_a_dockerfile_are_renewed_by_dependabot() -> None:
    updates = yaml.safe_load((PROJECT_ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    [docker] = [update for update in updates if update["package-ecosystem"] == "docker"]
    files = {file for names in _named().values() for file in names if file.endswith("Dockerfile")}
    assert {f"/{file.rpartition('/')[0]}" for file in files} == set(docker["directories"])


def test_an_image_is_overdue_the_day_after_its_time() -> None:
    listed = images.images()
    first = min(image.compared for image in listed)
    assert list(images.overdue(listed, first + images.LONGEST)) == []
    late = list(images.overdue(listed, first + images.LONGEST + timedelta(days=1)))
    assert len(late) == len([image for image in listed if image.compared == first])
    assert "91 days ago; look for a newer one" in late[0]


@pytest.mark.parametrize(("days", "code"), [(0, 0), (90, 0), (91, 1)])
def test_the_command_fails_by_the_day(days: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    first = min(image.compared for image in images.images())
    assert main(["ci", "images", "--day", str(first + timedelta(days=days))]) == code
    assert ("days ago" in capsys.readouterr().out) == bool(code)
