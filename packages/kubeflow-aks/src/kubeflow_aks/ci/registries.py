"""The versions that are newer than a pin, from the Go module proxy, PyPI, npm and GitHub."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final
from urllib.parse import quote

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from kubeflow_aks.ci.pins import Kind, Pin
from kubeflow_aks.clients.downloads import DownloadError, UnreachableError, text_at
from kubeflow_aks.clients.github import GitHub, GitHubError
from kubeflow_aks.json_values import at, entries, is_mapping, text

_PYTHON: Final = "3.11"
"""The oldest Python that the locked packages have to run on (`requires-python` of packages/ckf-spot)."""
_PSEUDO: Final = re.compile(r".*[.-](\d{14})-[0-9a-f]{12}")
"""A version of a Go module that has no tag: it ends with the commit's moment and hash."""
_TRIES: Final = 2


class NotCheckedError(Exception):
    """A registry has no answer; the text has the reason."""


@dataclass(frozen=True)
class Newer:
    """What a pin is behind.

    Attributes:
        version: the newest one.
        since: the day on which the first of the newer ones came out.
    """

    version: str
    since: date


@dataclass
class Registries:
    """The registries, each by the prefix that stands before its host, `https://` or a mirror's."""

    prefix: str
    github: Callable[[], GitHub] = GitHub.from_environment
    _down: dict[str, str] = field(default_factory=dict[str, str])

    def newer(self, pin: Pin, series: str) -> Newer | None:
        """What is newer than a pin; None where nothing is.

        Args:
            pin: the version.
            series: beginning of the versions that are looked at, such as "1.34"; empty for all.

        Raises:
            NotCheckedError: the registry does not answer, or not with versions.
        """
        try:
            match pin.kind:
                case Kind.GO:
                    return self._go(pin, series)
                case Kind.PYTHON:
                    return self._pypi(pin, series)
                case Kind.NPM:
                    return self._npm(pin, series)
                case Kind.TAGS:
                    return self._tags(pin, series)
                case Kind.COMMITS:
                    return self._commits(pin)
        except (GitHubError, DownloadError) as error:
            raise NotCheckedError(str(error)) from error
        except (ValueError, KeyError, TypeError) as error:
            raise NotCheckedError(f"{pin.kind.value} has no versions of {pin.what}: {error!r}") from error

    def _text(self, host: str, path: str) -> str:
        """A document; where a host is down, the next request to it fails at once."""
        if host in self._down:
            raise DownloadError(self._down[host])
        try:
            return text_at(f"{self.prefix}{host}{path}", tries=_TRIES)
        except UnreachableError as error:
            self._down[host] = f"{host} did not answer: {error}"
            raise

    def _go(self, pin: Pin, series: str) -> Newer | None:
        module = re.sub("[A-Z]", lambda letter: f"!{letter[0].lower()}", pin.what)

        def day(name: str) -> str:
            return text(at(json.loads(self._text("proxy.golang.org", f"/{module}/{name}")), "Time"))

        if pseudo := _PSEUDO.fullmatch(pin.version):
            latest = json.loads(self._text("proxy.golang.org", f"/{module}/@latest"))
            moment = text(at(latest, "Time"))
            if re.sub(r"\D", "", moment)[:14] <= pseudo[1]:
                return None
            return Newer(text(at(latest, "Version")).removeprefix("v"), date.fromisoformat(moment[:10]))
        listed = self._text("proxy.golang.org", f"/{module}/@v/list").split()
        later = _later(pin.version, series, {name.removeprefix("v"): name for name in listed})
        return _newer(later, lambda version: day(f"@v/v{version}.info"))

    def _pypi(self, pin: Pin, series: str) -> Newer | None:
        document = json.loads(self._text("pypi.org", f"/pypi/{quote(pin.what)}/json"))
        releases = at(document, "releases")
        if not is_mapping(releases) or pin.version not in releases:
            raise ValueError(f"{pin.version} is not listed")
        files = {
            version: [file for file in entries(listed) if _fits(file)] for version, listed in releases.items()
        }
        later = _later(pin.version, series, (version for version, fitting in files.items() if fitting))
        return _newer(
            later, lambda version: min(text(file["upload_time_iso_8601"]) for file in files[version])
        )

    def _npm(self, pin: Pin, series: str) -> Newer | None:
        document = json.loads(self._text("registry.npmjs.org", "/" + quote(pin.what, safe="@/")))
        days = at(document, "time")
        if not is_mapping(days) or pin.version not in days:
            raise ValueError(f"{pin.version} is not listed")
        return _newer(_later(pin.version, series, days), lambda version: text(days[version]))

    def _tags(self, pin: Pin, series: str) -> Newer | None:
        github = self._repository(pin.what)
        commits = {text(tag.get("name")).removeprefix("v"): tag for tag in github.pages("/tags")}
        if not commits:
            raise ValueError("no tags")
        later = _later(pin.version, series, commits)
        return _newer(
            later, lambda version: _day(github.get(f"/commits/{commits[version]['commit']['sha']}"))
        )

    def _commits(self, pin: Pin) -> Newer | None:
        """Whether the newest commit of a folder is in the history of the pinned one."""
        owner, name, folder = pin.what.split("/", 2)
        github = self._repository(f"{owner}/{name}")
        newest = next(github.pages("/commits", path=folder))
        if github.get(f"/compare/{pin.version}...{newest['sha']}")["status"] in {"behind", "identical"}:
            return None
        return Newer(newest["sha"], date.fromisoformat(_day(newest)[:10]))

    def _repository(self, name: str) -> GitHub:
        return replace(self.github(), repository=name)


def _later(pinned: str, series: str, versions: Iterable[str]) -> list[tuple[Version, str]]:
    """Releases after the pinned one, oldest first."""
    parsed = (
        (_parsed(version), version)
        for version in versions
        if f"{version}.".startswith(f"{series}." if series else "")
    )
    limit = Version(pinned)
    return sorted(
        (version, name)
        for version, name in parsed
        if version and not version.is_prerelease and version > limit
    )


def _newer(later: list[tuple[Version, str]], day: Callable[[str], str]) -> Newer | None:
    return Newer(later[-1][1], date.fromisoformat(day(later[0][1])[:10])) if later else None


def _parsed(version: str) -> Version | None:
    try:
        return Version(version)
    except InvalidVersion:
        return None


def _fits(file: Any) -> bool:
    """Whether a file on PyPI may be installed here."""
    try:
        return not at(file, "yanked") and SpecifierSet(text(at(file, "requires_python"))).contains(_PYTHON)
    except InvalidSpecifier:
        return False


def _day(commit: Mapping[str, Any]) -> str:
    return text(at(commit, "commit", "committer", "date"))
