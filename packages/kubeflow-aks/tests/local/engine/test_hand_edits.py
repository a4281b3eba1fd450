"""Objects of the program changed by hand: `docs/how-to/keep-or-undo-hand-edits.md`, played."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Generator
from typing import Final

import pytest

from components.kubeflow.contract import CONTRACT
from kubeflow_aks.clients.kubernetes.objects import Object, at
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from kubeflow_aks.verify.findings import RESTORE
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import STACK, Edit
from tests.local.kubectl import Kubectl

HOW_TO: Final = PROJECT_ROOT / "docs" / "how-to" / "keep-or-undo-hand-edits.md"
_OTHER_COUNTS: Final = itertools.count(12)
"""Node counts of a pool: each is a change of the ConfigMap."""
KEY: Final = "pools.json"
HandEdit = Callable[[str], None]


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster
) -> Generator[Deployment]:
    with deployment(tmp_path_factory.mktemp("hand-edits") / "run", tools, cluster, STACK) as stack:
        stack.engine().up()
        yield stack


@pytest.fixture
def created(deployed: Deployment) -> Engine:
    """The engine, after the program made the ConfigMap and never updated it."""
    deployed.cluster.api.delete(_config_map(deployed), "Background")
    engine = deployed.engine()
    engine.refresh()
    engine.up()
    return engine


@pytest.fixture
def updated(deployed: Deployment) -> Engine:
    """The engine, after the program updated the ConfigMap, whose fields are Pulumi's from then on."""
    before = at(_config_map(deployed), "metadata", "resourceVersion")
    engine = deployed.engine(**Edit({"pools.cpuspot.maxCount": next(_OTHER_COUNTS)}).config())
    engine.up()
    assert at(_config_map(deployed), "metadata", "resourceVersion") != before
    return engine


@pytest.fixture
def edit(deployed: Deployment, tools: Tools, cluster: Cluster) -> HandEdit:
    """Changes the ConfigMap's data as a tool does that names itself so."""

    def edit(tool: str) -> None:
        metadata = _config_map(deployed)["metadata"]
        patch = json.dumps({"data": {KEY: "by hand"}})
        kubectl = Kubectl(tools, cluster.kubeconfig, metadata["namespace"])
        kubectl.run(
            "patch",
            "configmap",
            metadata["name"],
            "--type=merge",
            f"--field-manager={tool}",
            "--patch",
            patch,
        )

    return edit


def test_up_alone_does_not_notice_and_a_refresh_sets_back_an_object_that_was_only_created(
    deployed: Deployment, created: Engine, edit: HandEdit
) -> None:
    edit("kubectl-edit")
    assert created.up().changed() == ()
    assert _value(deployed) == "by hand"
    created.refresh()
    [step] = created.preview().changed()
    assert step.op == "update"
    created.up()
    assert _value(deployed) != "by hand"


def test_kubectl_on_an_updated_object_fails_the_preview_and_up_without_it_sets_back(
    deployed: Deployment, updated: Engine, edit: HandEdit
) -> None:
    edit("kubectl-edit")
    updated.refresh()
    with pytest.raises(EngineError, match='conflict with "kubectl-edit"') as refused:
        updated.preview()
    assert _quoted('conflict with "kubectl-edit"', refused.value)
    updated.up()  # as with --skip-preview
    assert _value(deployed) != "by hand"
    assert updated.preview().changed() == ()


def test_what_verify_recommends_is_the_way_of_the_page() -> None:
    recommended = re.findall("`(.*?)`", RESTORE)
    assert recommended == ["pulumi refresh", "pulumi up --skip-preview"]
    first, second = (command.split(" ", 2) for command in recommended)
    stack = '--stack "$STACK"'
    page = [" ".join([*first, stack]), " ".join([*second[:2], stack, *second[2:]])]
    assert "\n".join(page) in HOW_TO.read_text()
    assert RESTORE.endswith(f"({HOW_TO.relative_to(PROJECT_ROOT)})")


def test_another_tool_fails_up_as_well_until_it_is_forced(
    deployed: Deployment, updated: Engine, edit: HandEdit, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit("lens")
    updated.refresh()
    for operation in (updated.preview, updated.up, updated.up):
        with pytest.raises(EngineError, match='conflict with "lens"'):
            operation()
    assert _value(deployed) == "by hand"
    monkeypatch.setenv("PULUMI_K8S_ENABLE_PATCH_FORCE", "true")
    updated.up()
    assert _value(deployed) != "by hand"


def test_another_tools_object_may_be_deleted_and_made_anew(
    deployed: Deployment, updated: Engine, edit: HandEdit
) -> None:
    edit("lens")
    deployed.cluster.api.delete(_config_map(deployed), "Background")
    updated.refresh()
    updated.up()
    assert _value(deployed) != "by hand"


def _config_map(stack: Deployment) -> Object:
    [config_map] = [
        obj
        for obj in stack.cluster.objects().values()
        if at(obj, "metadata", "name") == CONTRACT and obj["kind"] == "ConfigMap"
    ]
    return config_map


def _value(stack: Deployment) -> str:
    return at(_config_map(stack), "data", KEY)


def _quoted(words: str, error: EngineError) -> bool:
    """Whether the page quotes the engine's message."""
    return words in str(error) and words in HOW_TO.read_text()
