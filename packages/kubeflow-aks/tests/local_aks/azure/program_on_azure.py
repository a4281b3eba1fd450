"""The whole program in one process, with the simulated Azure to answer it: no engine, no control plane."""

from collections.abc import Mapping
from datetime import date
from typing import Any, cast

from azure_bodies import TODAY
from pulumi.runtime import mocks

from kubeflow_aks.local_aks.azure import check
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.recorder.answers import Answers
from kubeflow_aks.recorder.run import record

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"


class AzureAnswers(Answers):
    """Puts every Azure resource where the provider would, and keeps what Azure refuses."""

    def __init__(self, state: AzureState, today: date) -> None:
        super().__init__()
        self._azure = ResourceManager(state, Timing(float("inf")), lambda: today)
        self.refused: list[str] = []
        """One line for each mistake of a request that the provider or Azure refuses."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        """The id and the body of a resource that Azure has made."""
        if args.typ not in TYPES:
            return super().new_resource(args)
        arm_type, registered = TYPES[args.typ], wire.decode(wire.encode(cast(Any, args).inputs))
        naming = check.Naming(logical_name=args.name, seed=b"seed")
        inputs, mistakes = check.check(arm_type, registered, {}, naming, lambda _: "westeurope")
        self.refused += [f"{args.name}: {mistake}" for mistake in mistakes]
        arm_id = arm_type.id_of(inputs, SUBSCRIPTION)
        try:
            self._azure.wait(self._azure.put(arm_type, arm_id, check.body(inputs)))
        except ArmError as error:
            self.refused.append(f"{args.name}: {error}")
            return super().new_resource(args)
        body = self._azure.get(arm_id) or {}
        return body["id"], body


def refusals(
    state: AzureState, stack: str, settings: Mapping[str, Any] | None = None, *, today: date = TODAY
) -> list[str]:
    """What Azure refuses of an `up` of a stack with further settings; empty when it makes everything.

    Raises:
        pulumi.RunError: the program itself refuses the settings.
    """
    answers = AzureAnswers(state, today)
    record(stack, extra={"asOf": today.isoformat(), **(settings or {})}, answers=answers)
    return answers.refused
