"""Options of Charmed Kubeflow that fit together; the rows of bad_configurations.yaml are those that do not."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from aks_facts import kubeflow_options
from program.planning.rules.kubeflow_options import (
    additional_applications,
    is_on,
    option_problems,
    option_warnings,
)
from program.settings import Settings
from program.settings.kubeflow import Component
from tests.program.planning.small_stack import settings

DEFAULT = ["pipelines", "katib", "kserve", "notebooks", "tensorboard", "trainingOperator"]
COS = {"dashboards": "admin/cos.d", "logging": "admin/cos.l", "metrics": "admin/cos.m"}
IAM = {"ingressConfig": "admin/istio.c", "oauth": "admin/iam.o", "caCertificate": "admin/iam.a"}
ENDPOINT = "https://s3.example.org"
EXCEPTIONS = ["10.244.0.0/16", "10.0.0.0/16", ".svc"]


def stack(**options: Any) -> Settings:
    return settings(kubeflow={"options": options})


def test_the_catalogue_has_every_component_and_every_option_is_a_setting() -> None:
    paths = [option.option for option in kubeflow_options().values()]
    assert [path.partition(".")[2] for path in paths if path.startswith("components.")] == list(
        get_args(Component)
    )
    plain = settings()
    assert [path for path in paths if is_on(plain, path)] == [f"components.{name}" for name in DEFAULT]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"components": []},
        {"components": [*DEFAULT, "mlflow", "feast", "trainer"]},
        {"components": [*DEFAULT, "spark"], "sparkEndpoint": ENDPOINT},
        {"components": [*DEFAULT, "observability"], "offers": COS},
        {"mesh": "ambient"},
        {"mesh": "ambient", "auth": "iam", "offers": IAM},
        {"artifactsEndpoint": ENDPOINT, "bucket": "artifacts"},
        {"proxy": "http://proxy:3128", "noProxy": EXCEPTIONS},
    ],
    ids=str,
)
def test_what_fits_together_is_taken(options: dict[str, Any]) -> None:
    assert list(map(str, option_problems(stack(**options)))) == []


def test_more_applications_need_more_pods() -> None:
    assert additional_applications(settings()) == 0
    assert additional_applications(stack(components=[*DEFAULT, "mlflow", "feast"])) == 4


def test_what_the_program_does_not_do_is_said() -> None:
    assert list(option_warnings(settings())) == []
    warned = option_warnings(
        stack(mesh="ambient", auth="iam", proxy="http://proxy:3128", noProxy=EXCEPTIONS, offers=IAM)
    )
    assert [warning.split(":")[0] for warning in warned] == [
        "kubeflow.options.auth iam",
        "kubeflow.options.mesh ambient",
        "kubeflow.options.proxy",
    ]
