"""Sets how many placeholders hold nodes of a pool, and ends; a CronJob runs it at each end of the hours.

This file runs in the cluster as it is, from a ConfigMap, with nothing but Python's standard library and the scripts'
client of the API server. A failure ends it with an error, after which its Job starts it again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from .script_client import SERVICE_ACCOUNT, Api, log


def scale(api: Api, settings: Mapping[str, str]) -> None:
    """Sets the number of a Deployment's pods.

    Args:
        api: the API server.
        settings: `NAMESPACE` and `DEPLOYMENT`, its name; `REPLICAS`, the number.

    Raises:
        ApiError: the server refuses.
        OSError: it does not answer.
    """
    path = f"/apis/apps/v1/namespaces/{settings['NAMESPACE']}/deployments/{settings['DEPLOYMENT']}/scale"
    replicas = int(settings["REPLICAS"])
    api.call("PATCH", path, {"spec": {"replicas": replicas}}, "merge-patch+json")
    log(f"{settings['DEPLOYMENT']}: {replicas} placeholders")


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else SERVICE_ACCOUNT)
    server = Api(os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"]), folder)
    scale(server, os.environ)
