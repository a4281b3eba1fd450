"""Scale sets, their VMs, and Azure's way to evict one.

Written from "Virtual Machine Scale Set VMs - Simulate Eviction" and its neighbours in the same reference (version
2026-03-01). What is quoted nowhere: docs/facts/engine.md#nodes-of-scale-sets.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.simulation.clock import Clock
from kubeflow_aks.local_aks.simulation.loop import Simulation
from kubeflow_aks.local_aks.simulation.market import (
    Market,
    MarketEvent,
    MarketRefusedError,
    MarketUnansweredError,
    Reclaim,
    Supply,
)
from kubeflow_aks.local_aks.simulation.market_requests import carry_out
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool, spot_by_pool
from kubeflow_aks.local_aks.simulation.vms.nodes import scale_set_id, scale_set_name
from kubeflow_aks.local_aks.simulation.vms.scale_sets import VirtualMachine

SCALE_SETS: Final = "Microsoft.Compute/virtualMachineScaleSets"
VIRTUAL_MACHINES: Final = f"{SCALE_SETS}/virtualMachines"
MARKET: Final = "/market"
"""Path of requests to the simulated spot market, which Azure does not have."""
PLACEMENT_SCORES: Final = "Microsoft.Compute/locations/placementScores"
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409
_TIMEOUT: Final = 504
_EVICTION_SECONDS: Final = 15.0
"""Wall seconds that an eviction may take to begin; a step of a busy simulation takes one or two."""

_PATH: Final = re.compile(
    rf"/subscriptions/[^/]+/resourceGroups/[^/]+/providers/{SCALE_SETS}"
    r"(?:/(?P<set>[^/]+)(?P<machines>/virtualMachines(?:/(?P<machine>[^/]+)(?:/(?P<action>\w+))?)?)?)?",
    re.IGNORECASE,
)
_SCORES_PATH: Final = re.compile(
    r"/subscriptions/[^/]+/providers/Microsoft\.Compute/locations/[^/]+/placementScores/spot/generate",
    re.IGNORECASE,
)
_MOST_SIZES, _MOST_LOCATIONS = 5, 8
"""Limits of one request for scores (spot-placement-score.md, 2026-05-19)."""


class Compute:
    """Answers requests; safe for several threads."""

    def __init__(self, state: AzureState, simulation: Simulation, market: Market, clock: Clock) -> None:
        self._state = state
        self._simulation = simulation
        self._market = market
        self._clock = clock

    def answer(self, method: str, path: str, query: Mapping[str, str], content: bytes = b"") -> Json | None:
        """The body for a request, None for an answer without content.

        Args:
            method: of HTTP.
            path: of the URL, without its query.
            query: of the URL, by lower-case names.
            content: the request's own body.

        Raises:
            ArmError: it is refused.
        """
        if (method, path) == ("POST", MARKET):
            return self._happen(content)
        if "api-version" not in query:
            message = "The api-version query parameter (?api-version=) is required for all requests."
            raise ArmError(400, "MissingApiVersionParameter", message)
        if method == "POST" and _SCORES_PATH.fullmatch(path.rstrip("/")):
            return self._scores(content)
        matched = _PATH.fullmatch(path.rstrip("/"))
        if matched is None:
            raise _no_route(method, path)
        fault = self._state.take_fault(method, VIRTUAL_MACHINES if matched["machines"] else SCALE_SETS)
        if fault is not None:
            raise fault.error()
        expand = "instanceview" in query.get("$expand", "").lower()
        match method, _target(matched):
            case "GET", "sets":
                return {"value": [self._scale_set(pool) for pool in self._pools(matched)]}
            case "GET", "set":
                return self._scale_set(self._pool(matched))
            case "GET", "machines":
                return {
                    "value": [_machine(vm, expand=expand) for vm in self._machines_of(self._pool(matched))]
                }
            case "GET", "machine":
                return _machine(self._machine(matched), expand=expand)
            case "GET", "instanceview":
                return _view(self._machine(matched))
            case "POST", "simulateeviction":
                return self._evict(self._machine(matched))
            case _:
                raise _no_route(method, path)

    def _happen(self, content: bytes) -> Json:
        """What came of a request to the market."""
        try:
            return {"happened": carry_out(content, self._market, self._clock, spot_by_pool(self._state))}
        except MarketRefusedError as refusal:
            raise ArmError(_CONFLICT, "Refused", str(refusal)) from None
        except MarketUnansweredError as error:
            raise ArmError(_TIMEOUT, "Timeout", str(error)) from None

    def _scores(self, content: bytes) -> Json:
        """How likely spot VMs are to be had: by the supply of the simulated pools, where there is one of a size.

        The form is that of a recorded answer (`test_spot_placement_score_generate.yaml` of Azure/azure-cli,
        2025-07-24); that a shortage scores low, and that quota is never short, is the simulation's own.
        """
        fault = self._state.take_fault("POST", PLACEMENT_SCORES)
        if fault is not None:
            raise fault.error()
        try:
            body: Json = json.loads(content)
            sizes = [str(size["sku"]) for size in body["desiredSizes"]]
            locations = [arm.normal_location(str(name)) for name in body["desiredLocations"]]
        except (ValueError, TypeError, KeyError):
            raise _bad_request("desiredLocations and desiredSizes are required") from None
        if not (0 < len(sizes) <= _MOST_SIZES and 0 < len(locations) <= _MOST_LOCATIONS):
            raise _bad_request(f"at most {_MOST_SIZES} sizes and {_MOST_LOCATIONS} locations are allowed")
        scores = [self._score(size, location) for location in locations for size in sizes]
        return {**body, "placementScores": scores}

    def _score(self, size: str, location: str) -> Json:
        pools = [AgentPool.from_wire(pool) for pool in self._state.agent_pools()]
        supplies = {
            self._market.supply(pool.name)
            for pool in pools
            if pool.spot and (pool.vm_size.lower(), pool.location) == (size.lower(), location)
        }
        score = "High" if supplies == {Supply.AVAILABLE} else "Low"
        return {
            "sku": size,
            "region": location,
            "score": score if supplies else "DataNotFoundOrStale",
            "isQuotaAvailable": True,
        }

    def _evict(self, machine: VirtualMachine) -> None:
        """Take the VM as Azure would, with its notice; the answer comes as soon as that has begun."""
        if not machine.pool.spot:
            raise _refused(f"VM '{machine.name}' is not a spot VM; only spot VMs can be evicted")
        if machine.state != "running" or self._simulation.is_evicting(machine.name):
            raise _refused(f"VM '{machine.name}' is not running or is being evicted already")
        event = MarketEvent(self._clock.now(), Reclaim.EVICT, machine.pool.name, node=machine.name)
        self._market.add(event)
        try:
            event.outcome.result(_EVICTION_SECONDS)
        except MarketRefusedError as refusal:
            raise _refused(str(refusal)) from None
        except TimeoutError:
            raise ArmError(500, "InternalServerError", "The simulation does not get on.") from None

    def _scale_set(self, pool: AgentPool) -> Json:
        return _scale_set(pool, capacity=len(self._machines_of(pool)))

    def _machines_of(self, pool: AgentPool) -> list[VirtualMachine]:
        return [machine for machine in self._simulation.machines() if machine.pool.name == pool.name]

    def _pools(self, path: re.Match[str]) -> list[AgentPool]:
        """The pools whose nodes are in the path's resource group."""
        group = arm.group_id_of(path.string) or ""
        pools = [AgentPool.from_wire(pool) for pool in self._state.agent_pools()]
        here = [pool for pool in pools if arm.within(scale_set_id(pool), group)]
        if not here:
            message = f"Resource group '{arm.name_of(group)}' could not be found."
            raise ArmError(_NOT_FOUND, "ResourceGroupNotFound", message)
        return here

    def _pool(self, path: re.Match[str]) -> AgentPool:
        for pool in self._pools(path):
            if arm.key(scale_set_name(pool)) == arm.key(path["set"]):
                return pool
        raise arm.not_found(path.string.removesuffix(path["machines"] or ""))

    def _machine(self, path: re.Match[str]) -> VirtualMachine:
        for machine in self._machines_of(self._pool(path)):
            if str(machine.index) == path["machine"]:
                return machine
        raise ArmError(_NOT_FOUND, "NotFound", f"There is no instance {path['machine']} of {path['set']}.")


def _target(path: re.Match[str]) -> str:
    """Target of a path: its action, else the last resource it names."""
    if path["action"]:
        return path["action"].lower()
    named = [name for name in ("set", "machines", "machine") if path[name]]
    return named[-1] if named else "sets"


def _bad_request(message: str) -> ArmError:
    return ArmError(400, "BadRequest", f"{message}. (The simulated Azure's words.)")


def _no_route(method: str, path: str) -> ArmError:
    return ArmError(_NOT_FOUND, "NotFound", f"The simulated Azure has no {method} {path}.")


def _scale_set(pool: AgentPool, *, capacity: int) -> Json:
    spot = {"priority": "Spot", "evictionPolicy": "Delete", "billingProfile": {"maxPrice": -1.0}}
    return {
        "id": scale_set_id(pool),
        "name": scale_set_name(pool),
        "type": SCALE_SETS,
        "location": pool.location,
        "tags": {**pool.tags, "aks-managed-poolName": pool.name},
        "zones": list(pool.zones),
        "sku": _sku(pool) | {"capacity": capacity},
        "properties": {
            "orchestrationMode": "Uniform",
            "provisioningState": "Succeeded",
            "virtualMachineProfile": spot if pool.spot else {},  # without a priority it is a regular one
        },
    }


def _machine(machine: VirtualMachine, *, expand: bool) -> Json:
    pool, index = machine.pool, machine.index
    view = {"instanceView": _view(machine)} if expand else {}
    return {
        "id": f"{scale_set_id(pool)}/virtualMachines/{index}",
        "name": f"{scale_set_name(pool)}_{index}",
        "type": VIRTUAL_MACHINES,
        "instanceId": str(index),
        "location": pool.location,
        "sku": _sku(pool),
        "properties": {
            "provisioningState": _STATES[machine.state],
            "osProfile": {"computerName": machine.name},
            **view,
        },
    }


_STATES: Final = {"creating": "Creating", "running": "Succeeded", "failed": "Failed"}


def _view(machine: VirtualMachine) -> Json:
    codes = [f"ProvisioningState/{_STATES[machine.state].lower()}"]
    if machine.state == "running":
        codes.append("PowerState/running")
    return {"computerName": machine.name, "statuses": [{"code": code, "level": "Info"} for code in codes]}


def _sku(pool: AgentPool) -> Json:
    return {"name": pool.vm_size, "tier": "Standard"}


def _refused(message: str) -> ArmError:
    return ArmError(_CONFLICT, "OperationNotAllowed", f"{message}. (The simulated Azure's words.)")
