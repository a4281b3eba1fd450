"""What `kubeflow-aks local market` does: makes something happen on the simulated spot market of one local AKS."""

from kubeflow_aks.demo.place import Place
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.simulation import market_requests
from kubeflow_aks.local_aks.simulation.market import Reclaim, Supply


def market(place: Place, stack: str | None, what: str, pool: str, *, count: int, node: str) -> ExitCode:
    """Makes something happen on the simulated spot market."""
    event = Reclaim(what) if what in list(Reclaim) else Supply(what)
    folder = service_files.market_folder(place.running(stack))
    print(market_requests.send(folder, event, pool, count, node=node))
    return ExitCode.GOOD
