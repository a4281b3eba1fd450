"""Citations of the rules' sources with version or date; `docs/facts/sources.md` lists the files."""


def checkov(file: str) -> str:
    """A check of Checkov, by the name of its file."""
    return f"bridgecrewio/checkov, {file} (3.3.30, 2026-10)"


def psrule(file: str) -> str:
    """A rule of PSRule for Azure, by the file that holds it."""
    return f"Azure/PSRule.Rules.Azure, {file} (read 2026-11-22)"


def azure_policy(file: str) -> str:
    """A built-in definition of Azure Policy, by the name of its file."""
    return f"Azure/azure-policy, {file} (read 2026-11-22)"


def kyverno(file: str) -> str:
    """A policy of Kyverno's collection, by its file."""
    return f"kyverno/policies, {file} (read 2026-11-22)"
