"""Asks for the resources of cases of the table of violating resources, and tells a token if it is told to."""

import sys
from dataclasses import replace
from pathlib import Path

import pulumi

sys.path.append(str(Path(__file__).resolve().parents[4]))  # the folder that holds tests/

from tests.policy.asking_program import ask
from tests.policy.violating_table import cases

config = pulumi.Config()
wanted = config.require_object("cases")
ask([replace(it, name=f"{case}.{it.name}") for case in cases() if str(case) in wanted for it in case.asked])
if token := config.get("token"):
    pulumi.export("token", token)
