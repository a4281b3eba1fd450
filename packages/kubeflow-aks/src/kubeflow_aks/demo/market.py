"""What `kubeflow-aks local market` does: makes something happen on the simulated spot market of one local AKS."""

import time
from http import HTTPStatus
from typing import Final

from kubeflow_aks.demo.place import Place
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure_http.compute import MARKET
from kubeflow_aks.local_aks.lifecycle.resource_manager import post
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.market import MarketRefusedError, MarketUnansweredError

PATIENCE_SECONDS: Final = 15.0
"""Wall seconds that an answer may take; a step of a busy simulation takes one or two."""
_MARGIN_SECONDS: Final = 1.0
"""The service gives up first, so that a request that was reported as not done is not done later."""


def market(place: Place, stack: str | None, what: str, pool: str, *, count: int, node: str) -> ExitCode:
    """Makes something happen on the simulated spot market."""
    print(send(place.running(stack), what, pool, count, node=node))
    return ExitCode.GOOD


def send(
    run: RunDirectory,
    what: str,
    pool: str,
    count: int = 1,
    *,
    node: str = "",
    seconds: float = PATIENCE_SECONDS,
) -> str:
    """Makes something happen on the market of a running service.

    Args:
        run: of the service.
        what: is to happen, a value of `Supply` or `Reclaim`.
        pool: to which pool; only spot pools have VMs taken from them.
        count: how many nodes are taken; `ALL` for every one.
        node: the one that is taken; empty where the market chooses.
        seconds: wall time that the answer may take.

    Returns:
        A sentence about what came of it.

    Raises:
        MarketRefusedError: it is not possible; each line is one mistake.
        MarketUnansweredError: the service did not answer in time.
    """
    body = {"what": what, "pool": pool, "count": count, "node": node, "until": time.time() + seconds}
    try:
        return str(post(run, MARKET, body, seconds + _MARGIN_SECONDS)["happened"])
    except ArmError as refusal:
        late = refusal.status == HTTPStatus.GATEWAY_TIMEOUT
        raise (MarketUnansweredError if late else MarketRefusedError)(refusal.message) from None
    except (FileNotFoundError, ConnectionRefusedError):
        raise MarketUnansweredError("no service looks for requests to the market here") from None
    except OSError:
        raise MarketUnansweredError(
            f"the local AKS did not answer in {seconds:.0f} s; nothing was done"
        ) from None
