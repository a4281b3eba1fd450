"""Public rules of others (Checkov, Azure Policy, CIS, Kyverno and more), one module a subject."""
