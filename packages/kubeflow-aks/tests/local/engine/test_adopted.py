"""Published clusters are adopted on the real engine: one import, one preview and one `up` for all of them.

The engine gets what the program registers for each of them, recorded by `adopt` itself; the last test plays one of them
with the program, by the commands as the page has them.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.adopt.draft import IDENTITY, Draft, drafted
from kubeflow_aks.adopt.existing import ExistingCluster, cluster_of
from kubeflow_aks.cli.process import main
from kubeflow_aks.json_values import is_mapping
from kubeflow_aks.local_aks.azure import sdk_schema
from kubeflow_aks.local_aks.azure import server as azure_native
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.engine.results import Step
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import Resource
from kubeflow_aks.tools import Tools
from tests.adopt.everything import EVERYTHING
from tests.adopt.published import ADOPTED, Published
from tests.local import hosts
from tests.local.engine.deployment import TODAY, Cluster, deployment
from tests.local.importing import run_import

CLUSTERS = [*ADOPTED, EVERYTHING]
PROGRAM = Path(__file__).parents[1] / "programs" / "replayed"
STACK = "demo"
"""A name of a stack that `deployment` has made for other tests; here it has the files that `adopt` writes."""


@dataclass
class Played:
    """One cluster that is adopted.

    Attributes:
        steps: of the preview, by name in the program.
        before: what Azure has of the cluster, its identity, its pools and its windows, by ARM id.
        after: the same after `up`.
    """

    published: Published
    cluster: ExistingCluster
    draft: Draft
    steps: dict[str, Step] = field(default_factory=dict[str, Step])
    before: dict[str, Any] = field(default_factory=dict[str, Any])
    after: dict[str, Any] = field(default_factory=dict[str, Any])

    def imported(self) -> Iterator[tuple[Resource, str]]:
        """Each imported resource, and its ARM id."""
        for urn, arm_id, _ in self.draft.imported(self.cluster):
            yield self.draft.recorded.resources[urn], arm_id

    def name(self, resource: Resource) -> str:
        """Its name in the program that replays all clusters."""
        return f"{self.published.name}-{resource.type.rpartition(':')[2]}-{resource.name}"

    def listed(self, resource: Resource) -> list[str]:
        """The paths that `adopt` lists of a resource; of an identity `az aks show` has no tags."""
        paths = [change.path for urn, change in self.draft.changes(self.cluster) if urn == resource.urn]
        return [*paths, "tags"] if resource.type == IDENTITY else paths

    def listed_by_id(self) -> dict[str, list[str]]:
        """The same by ARM id, with the cluster's own pool apart."""
        listed = {arm_id: self.listed(resource) for resource, arm_id in self.imported()}
        prefix = f"agentPoolProfiles[{self.draft.settings['systemPool']['name']}]."
        paths = [path.removeprefix(prefix) for path in listed[self.cluster.id] if path.startswith(prefix)]
        return {**listed, f"{self.cluster.id}/agentPools/{self.draft.settings['systemPool']['name']}": paths}

    def look(self, azure: AzureState) -> dict[str, Any]:
        """The inputs that Azure has of each resource, by ARM id, as leaves by path."""
        ids = {
            *(arm_id for _, arm_id in self.imported()),
            *(pool.id for pool in azure.children(self.cluster.id, AGENT_POOL)),
        }
        resources = [resource for resource in azure.all() if resource.id in ids]
        return {it.id: leaves(sdk_schema.project(it.type, it.outputs)) for it in resources}

    def replayed(self) -> Iterator[dict[str, Any]]:
        """What the program registers of the imported resources, and of the identity that a cluster gets."""
        [managed] = self.draft.recorded.of(MANAGED_CLUSTER)
        identity = self.draft.recorded.one(IDENTITY, f"{managed.name}-identity")
        others = [resource for resource, _ in self.imported() if resource not in (identity, managed)]
        for resource, before in (
            (identity, []),
            (managed, [identity]),
            *((other, [managed]) for other in others),
        ):
            place = {"resourceGroupName": self.cluster.group}
            if before == [managed]:
                place["resourceName"] = self.cluster.name
            yield {
                "type": resource.type,
                "name": self.name(resource),
                "inputs": resource.inputs | place,
                "dependsOn": [self.name(it) for it in before],
                "ignoreChanges": resource.options.get("ignoreChanges", []),
                "replaceOnChanges": resource.options.get("replaceOnChanges", []),
            }


@pytest.fixture(scope="module")
def played(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    """Every published cluster, imported, previewed and changed."""
    folder = tmp_path_factory.mktemp("adopted")
    run = RunDirectory.at(folder / "run")
    azure = AzureState(run.azure)
    clusters: dict[str, Played] = {}
    for published in CLUSTERS:
        published.put(azure)
        shown, windows = published.shown(azure)
        cluster = cluster_of(shown, maintenance=windows)
        draft = drafted(cluster, "new", PROJECT_ROOT, owner="ml")
        clusters[published.name] = Played(published, cluster, draft)
    everything = list(clusters.values())
    resources = [resource for it in everything for resource in it.replayed()]
    imports = [
        {"type": resource.type, "name": it.name(resource), "id": arm_id}
        for it in everything
        for resource, arm_id in it.imported()
    ]
    (folder / "resources.json").write_text(json.dumps(resources))
    (folder / "import.json").write_text(json.dumps({"resources": imports}))
    token = run.azure_token()
    server = azure_native.serve(azure, token=token, kubeconfig=lambda: "", today=lambda: TODAY)
    with hosts.shared() as serve:
        extra = {"resources": str(folder / "resources.json")}
        engine = Engine(run, tools, {"azure-native": server.port}, PROGRAM, "test", extra, serve)
        engine.export()  # makes the workspace that `pulumi import` runs in
        line = f"import --stack test --file {folder / 'import.json'} --generate-code=false --protect=false"
        run_import(engine, shlex.split(line), folder / "language")
        steps = {step.name: step for step in engine.preview().steps}
        for it in everything:
            it.steps = {
                name: step for name, step in steps.items() if name.startswith(f"{it.published.name}-")
            }
            it.before = it.look(azure)
        engine.up()
        for it in everything:
            it.after = it.look(azure)
        assert engine.preview().changed() == (), "a second `up` changes nothing"
    server.stop()
    return clusters


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """The values of a body by path; a list is one value."""
    if is_mapping(value) and value:
        return {
            k: v
            for name, it in value.items()
            for k, v in leaves(it, f"{path}.{name}" if path else name).items()
        }
    return {} if value in (None, {}, []) else {path: value}


def missing(paths: Iterable[str], others: Iterable[str]) -> list[str]:
    """The paths of which no other is a part, and that are no part of another."""
    groups = [other.rstrip("]") for other in others]
    return [
        path
        for path in paths
        if not any(
            f"{path}.".startswith((f"{it}.", f"{it}[", f"{it}].")) or it.startswith((f"{path}.", f"{path}["))
            for it in groups
        )
    ]


@pytest.mark.parametrize("name", [published.name for published in CLUSTERS])
def test_the_preview_shows_what_adopt_lists_and_nothing_else(played: dict[str, Played], name: str) -> None:
    it = played[name]
    named = f"agentPoolProfiles[{it.draft.settings['systemPool']['name']}]"
    for resource, _ in it.imported():
        step = it.steps[it.name(resource)]
        assert step.op in {"same", "update"}
        left_out = {"azureApiVersion"}  # azure-native's own mark
        if resource.type == AGENT_POOL:
            left_out.add("type")  # as which azure-native imports the type of the resource
        if len(it.cluster.pools) > 1:
            left_out.add("agentPoolProfiles")  # a preview compares them by their place in Azure's list
        shown = [path.replace("agentPoolProfiles[0]", named) for path in step.differences]
        shown, listed = (
            [path for path in paths if re.split(r"[.\[]", path)[0] not in left_out]
            for paths in (shown, it.listed(resource))
        )
        assert (missing(shown, listed), missing(listed, shown)) == ([], [])


@pytest.mark.parametrize("name", [published.name for published in CLUSTERS])
def test_up_changes_in_azure_what_adopt_lists_and_nothing_else(played: dict[str, Played], name: str) -> None:
    it = played[name]
    listed = it.listed_by_id()
    assert len(it.before) == len(it.after) == len(listed) + len(it.draft.left)
    for arm_id, before in it.before.items():
        changed = [path for path, value in before.items() if it.after[arm_id].get(path) != value]
        assert missing(changed, listed.get(arm_id, ())) == [], "and of a pool that is not managed nothing"


@pytest.mark.parametrize("name", [published.name for published in CLUSTERS])
def test_the_pools_that_the_settings_describe_are_managed(played: dict[str, Played], name: str) -> None:
    draft = played[name].draft
    assert [draft.settings["systemPool"]["name"], *draft.pools] == played[name].published.row["managed"]


@pytest.fixture
def project(tmp_path: Path) -> Generator[Path]:
    """A folder with the program, which the command loads in this process; no module of it stays."""
    root = tmp_path / "project"
    root.mkdir()
    for name in ("__main__.py", "Pulumi.yaml", "aks_facts", "components", "program"):
        (root / name).symlink_to(PROJECT_ROOT / name)
    yield root
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(f"{root}{os.sep}"):
            del sys.modules[name]


def test_a_cluster_is_adopted_by_the_printed_commands(
    project: Path, tmp_path: Path, tools: Tools, cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    [published] = [it for it in ADOPTED if it.name == "avm-aks-production"]
    with deployment(tmp_path / "run", tools, cluster, STACK) as deployed:
        published.put(deployed.azure)
        shown, _ = published.shown(deployed.azure)
        (project / "cluster.json").write_text(json.dumps(shown))
        words = ["--cluster", str(project / "cluster.json"), "--owner", "ml"]
        assert main(["adopt", STACK, "--root", str(project), *words]) == 0
        [command] = [line for line in capsys.readouterr().out.splitlines() if "pulumi import " in line]
        extra = {"asOf": TODAY.isoformat(), "protect": False}
        engine = Engine(deployed.run, tools, deployed.providers, project, STACK, extra)
        engine.export()  # makes the workspace that `pulumi import` runs in
        run_import(engine, shlex.split(command)[1:], tmp_path / "language")
        done = engine.up()
        unusual = {
            (step.op, step.type) for step in done.steps if step.op not in {"same", "create", "update", "read"}
        }
        assert unusual == {("delete", "pulumi:providers:azure-native")}, (
            "that of the import, which had no version"
        )
        assert [step.op for step in done.steps if step.type == MANAGED_CLUSTER] == ["update"]
        assert engine.preview().changed() == (), "a second `up` changes nothing"
