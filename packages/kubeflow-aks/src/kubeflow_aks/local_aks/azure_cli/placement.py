"""The command `az compute-recommender spot-placement-score`.

Source: Azure/azure-cli (`compute_recommender/_spot_placement_score.py`, 2025-07), which posts to the resource manager.
"""

import argparse
import json
from http.client import HTTPConnection, HTTPException
from typing import Final
from urllib.parse import urlsplit

from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli.account import subscription
from kubeflow_aks.local_aks.azure_cli.client import Client, ServiceUnavailableError

_VERSION: Final = "2025-06-05"
_OK: Final = 200
_SECONDS: Final = 20.0


def scores(client: Client, state: AzureState, options: argparse.Namespace) -> Json:
    """The scores of the simulated spot market.

    Raises:
        ArmError: Azure refuses.
        ServiceUnavailableError: the service does not answer.
    """
    body: Json = {
        "availabilityZones": options.availability_zones,
        "desiredCount": options.desired_count,
        "desiredLocations": options.desired_locations,
        "desiredSizes": options.desired_sizes,
    }
    path = (
        f"/subscriptions/{subscription(state)}/providers/Microsoft.Compute/locations/{options.location}"
        f"/placementScores/spot/generate?api-version={_VERSION}"
    )
    connection = HTTPConnection(urlsplit(client.resource_manager).netloc, timeout=_SECONDS)
    try:
        connection.request(
            "POST", path, json.dumps(body), {"Authorization": f"Bearer {client.bearer_token()}"}
        )
        response = connection.getresponse()
        answer: Json = json.loads(response.read())
    except (OSError, HTTPException, ValueError):
        raise ServiceUnavailableError("the local AKS does not answer") from None
    finally:
        connection.close()
    if response.status != _OK:
        error = answer["error"]
        raise ArmError(response.status, error["code"], error["message"])
    return answer
