"""Registers the resources of the configured cases of the table of violating resources; exports a configured token."""

import sys
from dataclasses import replace
from pathlib import Path

import pulumi

_PACKAGE = Path(__file__).resolve().parents[4]
sys.path += [str(_PACKAGE), str(_PACKAGE / "src")]  # tests/ and what they use

from tests.policy.registering_program import register
from tests.policy.violating_table import cases

config = pulumi.Config()
chosen = config.require_object("cases")
register(
    [
        replace(it, name=f"{case}.{it.name}")
        for case in cases()
        if str(case) in chosen
        for it in case.registered
    ]
)
if token := config.get("token"):
    pulumi.export("token", token)
