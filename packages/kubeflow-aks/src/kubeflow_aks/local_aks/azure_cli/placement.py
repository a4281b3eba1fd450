"""The command `az compute-recommender spot-placement-score`.

Source: Azure/azure-cli (`compute_recommender/_spot_placement_score.py`, 2025-07), which posts to the resource manager.
"""

import argparse
from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli.account import subscription
from kubeflow_aks.local_aks.azure_cli.client import Client, ServiceUnavailableError
from kubeflow_aks.local_aks.lifecycle.resource_manager import post

_VERSION: Final = "2025-06-05"
_SECONDS: Final = 20.0


def scores(client: Client, state: AzureState, options: argparse.Namespace) -> Json:
    """The scores of the simulated spot market.

    Raises:
        ArmError: Azure refuses.
        ServiceUnavailableError: the service does not answer.
    """
    body: Json = {
        "availabilityZones": False,
        "desiredCount": options.desired_count,
        "desiredLocations": options.desired_locations,
        "desiredSizes": options.desired_sizes,
    }
    path = (
        f"/subscriptions/{subscription(state)}/providers/Microsoft.Compute/locations/{options.location}"
        f"/placementScores/spot/generate?api-version={_VERSION}"
    )
    try:
        return post(client.run, path, body, _SECONDS)
    except OSError:
        raise ServiceUnavailableError("the local AKS does not answer") from None
