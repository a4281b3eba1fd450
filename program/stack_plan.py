"""The plan of the stack that runs: its configuration is read, its mistakes and warnings are reported."""

from datetime import UTC, datetime

import pulumi

from components.arguments.checked import ONLY_FORM
from program.planning import Plan, plan
from program.settings import SettingsError
from program.settings.parse import encrypted
from program.settings.stack import refusal, stack_values, without_secrets


def stack_plan() -> Plan:
    """Plans the stack as of today (UTC), and logs its warnings.

    Raises:
        pulumi.RunError: one line for each mistake in the stack file.
    """
    project, stack = pulumi.get_project(), pulumi.get_stack()
    try:
        values = stack_values()
        planned = plan(values, project=project, stack=stack, today=datetime.now(UTC).date())
    except SettingsError as error:
        raise pulumi.RunError(refusal(error, stack)) from None
    ONLY_FORM.set(any(encrypted(values)))
    for warning in planned.warnings:
        pulumi.log.warn(without_secrets(warning))
    return planned
