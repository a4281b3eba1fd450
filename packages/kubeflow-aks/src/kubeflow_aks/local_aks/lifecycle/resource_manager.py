"""Requests to the simulated resource manager of a local AKS that runs."""

import json
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.run.directory import RunDirectory


def post(run: RunDirectory, path: str, body: Json, seconds: float) -> Json:
    """The answer to a POST.

    Args:
        run: of the local AKS.
        path: with the query.
        body: what is sent.
        seconds: that the answer may take.

    Raises:
        ArmError: the request is refused.
        ConnectionRefusedError: no service listens.
        OSError: there is no answer.
    """
    port = service_files.read_endpoints(run).resource_manager
    connection = HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("POST", path, json.dumps(body), {"Authorization": f"Bearer {run.bearer_token()}"})
        response = connection.getresponse()
        answer: Json = json.loads(response.read())
    except (HTTPException, ValueError) as error:
        raise OSError(str(error)) from None
    finally:
        connection.close()
    if response.status != HTTPStatus.OK:
        raise ArmError(response.status, answer["error"]["code"], answer["error"]["message"])
    return answer
