"""Every release of the SDKs of the last two years sends the whole placement, or is refused before anything is sent."""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest
from api_server import ApiServer
from installed import output, packages

from ckf_spot import Pools

FIELDS: Final = {"2.1": "podTemplateOverrides", "2.2": "runtimePatches"}
OVERRIDES: Final = (
    "options: PodTemplateOverride: nodeSelector: {'a': 'b'} overrides the placement of the TrainOption before it; "
    "put the TrainOption last\n"
)
DROPS: Final = "sends the job without its placement: these models have no podTemplateOverrides"


@pytest.mark.parametrize(
    ("sdk", "models", "api"),
    [
        ("0.2.0", "2.1.0", "2.1"),
        ("0.2.1", "2.1.0", "2.1"),
        ("0.3.0", "2.1.0", "2.1"),
        ("0.3.1", "2.1.0", "2.1"),
        ("0.4.0", "2.2.1", "2.2"),
        ("0.4.1", "2.2.1", "2.2"),
    ],
)
def test_the_kubeflow_sdk_sends_the_whole_placement(
    pytestconfig: pytest.Config, api_server: ApiServer, sdk: str, models: str, api: str
) -> None:
    api_server.fields = (FIELDS[api],)
    refused = trained(pytestconfig, sdk, models)
    assert refused == (OVERRIDES if api == "2.1" else "")
    [sent] = api_server.created
    bare = {**sent, "spec": {key: value for key, value in sent["spec"].items() if key != FIELDS[api]}}
    group: Any = Pools.sample()["gpu"]
    assert sent["spec"][FIELDS[api]] == group.place(bare, trainer_api=api)["spec"][FIELDS[api]]


@pytest.mark.parametrize(
    ("sdk", "models", "refusal"),
    [
        ("0.1.0", "2.1.0", "unexpected keyword argument 'options'"),
        ("0.2.1", "2.2.1", DROPS),
        ("0.3.0", "2.2.1", DROPS),
    ],
)
def test_a_release_that_would_drop_the_placement_is_refused(
    pytestconfig: pytest.Config, api_server: ApiServer, sdk: str, models: str, refusal: str
) -> None:
    [line] = trained(pytestconfig, sdk, models).splitlines()
    assert refusal in line
    assert api_server.created == []


OLD: Final = (
    "2.16.1 is too old: before 2.17, kfp ends a task's retries after 3600 s whatever the task sets; expected"
)


@pytest.mark.parametrize(
    ("installed", "refused"),
    [
        (("kfp==2.16.1", "kfp-kubernetes==2.16.1"), ["kfp", "kfp-kubernetes"]),
        (("kfp-kubernetes==2.16.1",), ["kfp-kubernetes"]),
    ],
)
def test_an_older_sdk_of_pipelines_is_refused(
    pytestconfig: pytest.Config, installed: tuple[str, ...], refused: list[str]
) -> None:
    lines = output(Path(sys.executable), "pipeline.py", packages(pytestconfig, *installed)).splitlines()
    assert [line.partition(f": {OLD}")[0] for line in lines] == refused


def test_the_oldest_sdk_of_pipelines_that_is_taken_writes_the_same(pytestconfig: pytest.Config) -> None:
    oldest = packages(pytestconfig, "kfp==2.17.0", "kfp-kubernetes==2.17.0")
    newest, old = (output(Path(sys.executable), "pipeline.py", *folders) for folders in ((), (oldest,)))
    assert [text.count("sdkVersion: kfp-2.17.0") for text in (newest, old)] == [0, 1]
    assert old.replace("kfp-2.17.0", f"kfp-{version('kfp')}") == newest


def trained(config: pytest.Config, sdk: str, models: str) -> str:
    """What is refused where these releases of the SDK and of its models are installed."""
    folder = packages(config, f"kubeflow=={sdk}", f"kubeflow-trainer-api=={models}")
    return output(Path(sys.executable), "train.py", folder, KUBECONFIG=os.environ["KUBECONFIG"])
