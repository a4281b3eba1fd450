"""Rules of namespaces that have a container of their own. Pure: planning calls the same without the SDKs."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ..arguments.limits import text_mistakes
from ..arguments.mistakes import Mistake
from ..azure.azure_names import CONTAINER

MAX_ACCOUNTS: Final = 20
"""Credentials of one identity (workload-identity-federation-considerations.md)."""
# A name of DNS labels ("Kubernetes object names"); the credential's name, at most 120 long, is made of it.
_SERVICE_ACCOUNT: Final = re.compile(
    r"(?=.{1,116}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)


def profile_mistakes(namespace: str, accounts: Sequence[str]) -> Iterator[Mistake]:
    """Names of a namespace and its service accounts that Azure or Kubernetes refuses; keys begin with `profiles`."""
    key = f"profiles.{namespace}"
    if any(text_mistakes(key, CONTAINER, namespace)):
        expected = f"a namespace of {CONTAINER['form']}, because its container has this name"
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
