"""Which field for placement the installed Kubeflow SDK sends, and whether the cluster's Kubeflow Trainer has it.

An SDK leaves out what its models lack, and the API server drops what the custom resource lacks, both without a word
(docs/facts/placement.md#trainer-and-katib).
"""

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from importlib import metadata
from typing import Any, Final

from ckf_spot import install
from ckf_spot.errors import ABSENT, Mistake, PlacementError, missing, refusal
from ckf_spot.fields import Object, map_at

_WITH_PATCHES: Final = (0, 4)
"""First SDK that sends `runtimePatches`; those before send `podTemplateOverrides`, if anything."""
_SCHEMA: Final = "/openapi/v3/apis/trainer.kubeflow.org/v1alpha1"
"""Where the API server publishes the fields of a TrainJob, to everybody who has signed in."""
_TIMEOUT_SECONDS: Final = 30


def release() -> str:
    """The oldest release of Kubeflow Trainer that has the field which the SDK sends, such as `2.2`.

    Raises:
        PlacementError: the SDK sends none, or is not installed.
    """
    try:
        versions = {name: metadata.version(name) for name in ("kubeflow", "kubeflow-trainer-api")}
    except metadata.PackageNotFoundError as error:
        raise PlacementError(missing(str(error.name), "pip install 'kubeflow>=0.4'")) from None
    api, field = "2.2", "runtimePatches"
    if install.minor_of(versions["kubeflow"]) < _WITH_PATCHES:
        api, field = "2.1", "podTemplateOverrides"
    from kubeflow_trainer_api import models  # noqa: PLC0415 - the SDK brings it

    if field in {model.alias for model in models.TrainerV1alpha1TrainJobSpec.model_fields.values()}:
        return api
    sdk = " with ".join(f"{name} {version}" for name, version in versions.items())
    raise refusal(
        sdk,
        ABSENT,
        "expected kubeflow>=0.4 if the cluster has Trainer 2.2 or newer, kubeflow==0.3.1 for Trainer 2.1",
        f"sends the job without its placement: these models have no {field}",
    )


def problems(backend: object, field: str, fields: Iterable[str]) -> Iterator[Mistake]:
    """Why the placement would not reach the cluster.

    Args:
        backend: the SDK's; one without a cluster places nothing.
        field: what is sent.
        fields: what any release of Kubeflow Trainer has in its place.
    """
    client = getattr(getattr(backend, "custom_api", None), "api_client", None)
    if client is None:
        return
    spec, why = _spec(client)
    where = f"spec.{field}"
    if spec is None:
        unread = f"not checked whether the cluster's Kubeflow Trainer has it: {why}"
        yield Mistake(where, ABSENT, "the API server drops it otherwise", unread, certain=False)
    elif field not in spec:
        theirs = ", ".join(name for name in fields if name in spec) or "none for placement"
        expected = (
            "expected the SDK for its release (docs/training.md), or YAML: ckf-spot place --trainer-api"
        )
        yield Mistake(
            where, ABSENT, expected, f"the cluster's Kubeflow Trainer would drop it, and has {theirs}"
        )


def _spec(client: Any) -> tuple[Object | None, str]:
    """Fields of a TrainJob's spec in the cluster, or None and why they can't be read."""
    try:
        answer = client.call_api(
            _SCHEMA,
            "GET",
            auth_settings=["BearerToken"],
            _preload_content=False,
            _return_http_data_only=True,
            _request_timeout=_TIMEOUT_SECONDS,
        )
        if answer.status != HTTPStatus.OK:  # from release 31 on the client does not raise here
            return None, f"HTTP {answer.status}"
        schemas = map_at(json.loads(answer.data), "components", "schemas")
    except Exception as error:  # noqa: BLE001 - the client's and urllib3's many
        return None, " ".join(str(getattr(error, "reason", None) or error).split())
    jobs = (schema for name, schema in schemas.items() if name.endswith(".TrainJob"))
    spec = map_at(next(jobs, {}), "properties", "spec", "properties")
    return (spec, "") if spec else (None, "its schema has no TrainJob")
