"""Plays a drill: claims its namespace, plays the story, cleans up whatever happens, and judges what was seen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cost.figures import CostError
from deployed.cluster import told as told_of
from deployed.outputs import Outputs
from drill import measured
from drill.azure import ResourceManager
from drill.claim import REMOVE, Claim
from drill.errors import DrillError, OverError
from drill.hands import AzureHands
from drill.happenings import Happenings
from drill.plan import Plan, market
from drill.sight import Sight
from drill.stage import NAMESPACE, STAGE
from kube.api import ApiServer
from kube.errors import KubeError, UnavailableError
from story.console import Console
from story.contract_pools import pools_for_role
from story.demo_objects import DemoObjects
from story.formatting import counted
from story.happenings import Kind
from story.observations import JobRecord, Observations, Refusal, Where
from story.promises import Verdict
from story.report import files
from story.scene_runner import NotSeenError, SceneRunner
from story.scenes import Story
from story.show_cost import ShowCost, cost_of
from story.watcher import SimulatedTime, Watcher
from story.workloads.stage import PLATFORM_NAMESPACE

_SCENES: Final = ("guard", "from-zero", "eviction", "evicted-again", "zero")
_WAIT_SECONDS: Final = 30 * 60.0
"""For one thing to be seen: as long as Azure may take to begin a simulated eviction."""
_POLL_SECONDS: Final = 0.5
_CLEAN_UP: Final = timedelta(minutes=10)
"""How much longer than its limit a drill may hold its namespace."""


@dataclass
class Drill:
    """One drill on one cluster.

    Attributes:
        where: Azure, or a local AKS.
        sight: of the cluster; closed by whoever made it.
        any_node: whether nodes with others' pods may be taken.
        problems: why the drill ended early, or what it left; one line each.
    """

    outputs: Outputs
    api: ApiServer
    azure: ResourceManager
    where: Where
    sight: Sight
    plan: Plan
    console: Console
    any_node: bool
    problems: list[str] = field(default_factory=list[str])

    def play(self, holder: str) -> Observations:
        """Plays it, and leaves nothing of its own behind.

        Args:
            holder: whoever drills, for others to read.

        Raises:
            DrillError: another drill runs.
            KubeError: the API server does not let the drill begin.
            KeyboardInterrupt: after the clean-up.
        """
        claim = Claim(self.api)
        try:
            claim.take(holder, datetime.now(UTC) + timedelta(minutes=self.plan.minutes) + _CLEAN_UP)
        except (KeyboardInterrupt, UnavailableError):  # it was asked for, and no answer came
            self.problems.append(f"namespace {NAMESPACE} may be there now: {REMOVE}")
            raise
        try:
            return self._watched()
        finally:
            self._clean_up(claim)

    def _watched(self) -> Observations:
        happenings = Happenings(self.sight)
        watcher = Watcher(self.sight, happenings, SimulatedTime({"time": 0.0, "wall": 0.0}, 1.0))
        began = time.monotonic()
        scenes = SceneRunner(
            watcher,
            self.console,
            lambda: self._check(watcher, time.monotonic() - began),
            limit_seconds=_WAIT_SECONDS,
            poll_seconds=_POLL_SECONDS,
            simulated=False,
        )
        objects = DemoObjects(self.api, STAGE)
        hands = AzureHands(self.sight, self.azure, happenings, any_node=self.any_node)
        unplayed = {*self.plan.left_out, "platform"}
        story = Story(
            self.plan.facts,
            scenes,
            objects,
            hands,
            lambda: "",
            left_out=unplayed,
            batch_nodes=self.plan.batch_nodes,
        )
        left_out = dict(self.plan.left_out)
        try:
            scenes.look()
            story.play()
        except (DrillError, KubeError, NotSeenError) as error:
            reason = str(told_of(error, self.outputs)) if isinstance(error, KubeError) else str(error)
            self.problems.append(f"the drill ended early: {reason}")
            cut = not isinstance(error, NotSeenError) or isinstance(error, OverError)
            played = [scene.key for scene in scenes.scenes][: -1 if cut else None]
            left_out |= {
                key: f"the drill ended before: {reason}"
                for key in _SCENES
                if key not in played and key not in left_out
            }
        if not any(pod.namespace == PLATFORM_NAMESPACE for pod in watcher.pods.values()):
            left_out["platform"] = f"there are no pods in namespace {PLATFORM_NAMESPACE} yet"
        return self._observed(watcher, scenes, self._jobs(objects), left_out, story.refusal)

    def _check(self, watcher: Watcher, seconds: float) -> None:
        """Ends the drill at its limits.

        Raises:
            OverError: one is reached.
        """
        if seconds > self.plan.minutes * 60:
            raise OverError(f"its {self.plan.minutes} minutes are over")
        nodes = {
            pod.node
            for pod in watcher.pods.values()
            if pod.part and pod.node and pod.ended is None and pod.running is not None
        }
        if len(nodes) > self.plan.at_once:
            raise OverError(
                f"its work runs on {counted(len(nodes), 'node')}, {self.plan.at_once} were meant to be used"
            )

    def _jobs(self, objects: DemoObjects) -> Sequence[JobRecord]:
        try:
            return objects.jobs()
        except KubeError:  # told already, for it ended the drill
            return ()

    def _clean_up(self, claim: Claim) -> None:
        """Deletes the namespace; a second Ctrl-C, or an API server that is away, leaves it and says so."""
        self._say(f"── Clean-up: namespace {NAMESPACE} is deleted, with all work in it")
        left = f"namespace {NAMESPACE} is left, with the work in it, which keeps nodes: {REMOVE}"
        try:
            gone = claim.release()
        except KubeError as error:
            self.problems.append(f"{left} ({told_of(error, self.outputs)})")
        except KeyboardInterrupt:
            self._say(left)
            raise
        else:
            if not gone:
                self.problems.append(f"{left}; it is still being deleted")
            self._say("nodes that are left go when the autoscaler has found them unneeded for long enough")

    def _say(self, line: str) -> None:
        """A line of the clean-up, which goes on where nobody reads any more."""
        with suppress(OSError):
            self.console.line(line)

    def _observed(
        self,
        watcher: Watcher,
        scenes: SceneRunner,
        jobs: Sequence[JobRecord],
        left_out: dict[str, str],
        refusal: Refusal | None,
    ) -> Observations:
        facts = self.plan.facts
        gpu = facts.gpu or (pools_for_role(facts.pools, "gpu") if "gpu-on-spot" in left_out else None)
        return Observations(
            stack=self.outputs.stack,
            speed=1.0,
            seed=0,
            provision_limit=0.0,
            planned=(),
            made=(),
            first_up={},
            second_up={},
            batch=facts.batch.workload,
            gpu=gpu.workload if gpu else "",
            ended=watcher.now(),
            pools=facts.pools,
            pods=tuple(watcher.pods.values()),
            nodes=tuple(watcher.nodes.values()),
            jobs=tuple(jobs),
            runs=(),
            refusal=refusal,
            scenes=tuple(scenes.scenes),
            journal=tuple(watcher.lines),
            where=self.where,
            left_out=left_out,
        )


def price(seen: Observations, outputs: Outputs) -> ShowCost | None:
    """What the nodes that came for it cost; None where a price is not known."""
    came = {line["node"] for line in seen.lines(Kind.NODE_REGISTERED)}
    own = replace(
        seen,
        pools=tuple(pool for pool in seen.pools if pool.elastic),
        nodes=tuple(node for node in seen.nodes if node.name in came),
    )
    try:
        return cost_of(own, market(outputs), str(outputs.basis("location")))
    except CostError:
        return None


def write(folder: Path, seen: Observations, verdicts: Sequence[Verdict], outputs: Outputs) -> Path:
    """Writes the page, what was observed and what was measured; returns the page.

    Raises:
        OSError: it can't be written.
    """
    page = files.write(folder, seen, verdicts, price(seen, outputs), name="drill")
    found = measured.measured(
        seen,
        where="azure" if seen.where == Where.AZURE else "local",
        day=datetime.now(UTC).date(),
        location=str(outputs.basis("location")),
    )
    (folder / "measured.json").write_text(measured.to_json(found), encoding="utf-8")
    return page
