"""Rules of namespaces that have a container of their own. Pure: planning calls the same without the SDKs."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ..arguments.mistakes import Mistake

MAX_ACCOUNTS: Final = 20
"""Credentials of one identity (workload-identity-federation-considerations.md)."""
# 3 to 63 lower-case letters, digits and single hyphens inside: the letters of a namespace but for its length and
# double hyphens ("Naming containers, blobs and metadata"; "Kubernetes object names").
_CONTAINER: Final = re.compile(r"(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*")
# A name of DNS labels ("Kubernetes object names"); the credential's name, at most 120 long, is made of it.
_SERVICE_ACCOUNT: Final = re.compile(
    r"(?=.{1,116}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)


def profile_mistakes(namespace: str, accounts: Sequence[str]) -> Iterator[Mistake]:
    """Names of a namespace and its service accounts that Azure or Kubernetes refuses; keys begin with `profiles`."""
    key = f"profiles.{namespace}"
    if not _CONTAINER.fullmatch(namespace):
        expected = (
            "a namespace of 3 to 63 lower-case letters, digits and single inner hyphens, because its container has "
            "this name"
        )
        yield Mistake(key, namespace, expected)
    for index, account in enumerate(accounts):
        if not _SERVICE_ACCOUNT.fullmatch(account):
            expected = (
                "the name of a service account: lower-case letters, digits, inner hyphens and dots, at most 116 "
                "characters"
            )
            yield Mistake(f"{key}.serviceAccounts[{index}]", account, expected)
    if not accounts:
        yield Mistake(f"{key}.serviceAccounts", [], "at least one, because nobody else reaches the container")
    if len(accounts) > MAX_ACCOUNTS:
        yield Mistake(f"{key}.serviceAccounts", len(accounts), f"at most {MAX_ACCOUNTS} service accounts")
    if len(set(accounts)) != len(accounts):
        yield Mistake(f"{key}.serviceAccounts", list(accounts), "each service account once")
