"""The list of images is that of the code."""

from __future__ import annotations

import re
from typing import Final

import yaml

from components.kubeflow import images as program
from kubeflow_aks.ci.currency import table
from kubeflow_aks.project import PROJECT_ROOT
from tests.tracked import tracked

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
LIST: Final = "packages/kubeflow-aks/src/kubeflow_aks/ci/images.csv"
_PROSE: Final = ("CHANGELOG.md", "docs/facts/", "docs/decisions/", LIST)
"""Names images that were used once, or that others use."""


IMAGES: Final = table(PROJECT_ROOT / LIST)[1]


def _named() -> dict[str, set[str]]:
    """Every image that a tracked file names, with the files."""
    files_by_image: dict[str, set[str]] = {}
    for path in tracked():
        file = str(path.relative_to(PROJECT_ROOT))
        if file.startswith(_PROSE) or "tests" in path.parts:
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
    assert used == {image["image"] for image in IMAGES}


def test_a_pinned_image_has_one_digest_everywhere() -> None:
    pinned = {name for name in _named() if "@" in name}
    assert pinned == {f"{image['image']}@{image['digest']}" for image in IMAGES if image["digest"]}
    assert {program.BUSYBOX, program.PAUSE, program.DEVICE_PLUGIN, program.PYTHON} == pinned


def test_every_image_has_a_source() -> None:
    assert all(image["source"] for image in IMAGES)


def test_the_base_images_of_a_dockerfile_are_renewed_by_dependabot() -> None:
    updates = yaml.safe_load((PROJECT_ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    [docker] = [update for update in updates if update["package-ecosystem"] == "docker"]
    files = {file for names in _named().values() for file in names if file.endswith("Dockerfile")}
    assert {f"/{file.rpartition('/')[0]}" for file in files} == set(docker["directories"])
