"""`kubeflow-aks start`, `kubeflow-aks stop` and `kubeflow-aks ci power`: switch a stack's cluster off and on.

What a stopped cluster keeps and costs: `docs/facts/aks.md#stopping-and-starting`.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from kubeflow_aks.ci.aks import Aks, Cluster, GoneError
from kubeflow_aks.clients.az import AzError
from kubeflow_aks.clients.pulumi import Pulumi
from kubeflow_aks.deployed import state
from kubeflow_aks.deployed.state import DeployedCluster
from kubeflow_aks.exit_codes import CommandError, ExitCode, UsageError
from kubeflow_aks.project import is_stack_name

REST: Final = timedelta(minutes=15)
"""Between a stop and the next start: AKS recommends 15 to 30 minutes (start-stop-cluster.md)."""
_PATIENCE: Final = timedelta(minutes=45)
"""How long a stop or a start may take: our choice, several times what users report."""
_REPORT_EVERY: Final = timedelta(minutes=1)
_READS: Final = 4
"""After which a state that Azure shows counts as the result."""
_OPERATIONS: Final = {False: "Stopping", True: "Starting"}


@dataclass(frozen=True)
class Power:
    """The switch of one stack's cluster.

    Attributes:
        report: prints a line for the user.
        rest: least time between a stop and a start.
        poll: seconds between two reads of its state.
    """

    stack: str
    where: DeployedCluster
    azure: Aks
    report: Callable[[str], None] = print
    rest: timedelta = REST
    poll: float = 15.0

    def look(self) -> Cluster:
        """The cluster as it is now.

        Raises:
            AzError: it cannot be read.
        """
        return self.azure.cluster(self.where.group, self.where.name)

    def switch(self, *, run: bool, force: bool = False) -> None:
        """Starts or stops the cluster and waits; one that is so already is left.

        One of production without office hours is stopped by force only.

        Raises:
            CommandError: it may not be started or stopped now, or does not start or stop.
            AzError: Azure refuses.
        """
        if not run and self.where.production and self.where.office_hours is None and not force:
            raise CommandError(
                "it is production: where Azure is short of machines, a stopped cluster does not start again; --force "
                "stops it all the same"
            )
        cluster = self.look()
        if cluster.provisioning_state == _OPERATIONS[not run]:
            cluster = self._wait(run=not run)
        if cluster.running == run and cluster.idle:
            self.report(f"{self.stack}: {_is(run)} already")
            return
        if cluster.provisioning_state != _OPERATIONS[run]:
            if not cluster.idle:
                raise CommandError(
                    f"another operation is under way ({cluster.provisioning_state}); try again when it has ended"
                )
            if run:
                self._rest(cluster)
            (self.azure.start if run else self.azure.stop)(self.where.group, self.where.name)
        cluster = self._wait(run=run)
        if cluster.running != run or cluster.provisioning_state != "Succeeded":
            raise CommandError(
                f"it did not {'start' if run else 'stop'}: its provisioning state is "
                f"{cluster.provisioning_state}; Azure's activity log has the reason"
            )
        self.report(f"{self.stack}: {_is(run)}")

    def _wait(self, *, run: bool) -> Cluster:
        """The cluster when it has stopped or started, or failed to; reports every minute that it has not."""
        doing = _OPERATIONS[run].lower()
        begun = reported = time.monotonic()
        self.report(f"{self.stack}: {doing} {self.where.name} …")
        while True:
            cluster, waited = self.look(), time.monotonic() - begun
            # Azure may show for a moment what was before.
            if cluster.idle and (cluster.running == run or waited > _READS * self.poll):
                return cluster
            if waited > _PATIENCE.total_seconds():
                raise CommandError(f"still {doing} after {_minutes(waited)}")
            if begun + waited - reported >= _REPORT_EVERY.total_seconds():
                reported = begun + waited
                self.report(f"{self.stack}: {doing} for {_minutes(waited)}")
            time.sleep(self.poll)

    def _rest(self, cluster: Cluster) -> None:
        """Waits if the cluster was stopped just now; without permission to read the activity log, reports that."""
        now = datetime.now(UTC)
        try:
            stopped = self.azure.last_change(cluster, now - self.rest, "stop/action")
        except AzError as error:
            self.report(
                f"{self.stack}: it is not known when it was stopped, and AKS recommends a pause: {error}"
            )
            return
        left = (stopped.at + self.rest - now).total_seconds() if stopped else 0
        if left > 0:
            self.report(
                f"{self.stack}: was stopped just now; AKS recommends a pause, {_minutes(left)} are left"
            )
            time.sleep(left)


def find_cluster_power(stack: str, root: Path, pulumi: Pulumi | None, azure: Aks | None) -> Power | None:
    """The switch of a stack; None for one that has no cluster.

    Raises:
        PulumiError: its state can't be read.
    """
    deployed = state.read(pulumi or Pulumi(root), stack)
    return Power(stack, deployed, azure or Aks()) if deployed else None


def _minutes(seconds: float) -> str:
    return f"{max(1, round(seconds / 60))} min"


def _is(run: bool) -> str:  # noqa: FBT001 - the one thing that it is about
    return "runs" if run else "is stopped"


def switch(
    stack: str,
    root: Path,
    *,
    run: bool,
    force: bool = False,
    rest: timedelta = REST,
    poll: float = Power.poll,
    pulumi: Pulumi | None = None,
    azure: Aks | None = None,
) -> ExitCode:
    """Starts or stops a stack's cluster and waits until it runs or is stopped.

    Raises:
        CommandError: the cluster does not start or stop, or can't be read.
    """
    with about(stack):
        power = find_cluster_power(stack, root, pulumi, azure)
        if power is None:
            raise CommandError("it has no cluster; deploy it first")
        power = replace(power, report=partial(print, flush=True), rest=rest, poll=poll)
        power.switch(run=run, force=force)
    return ExitCode.GOOD


def show_state(stack: str, root: Path, *, pulumi: Pulumi | None = None, azure: Aks | None = None) -> ExitCode:
    """Prints one word for a workflow; as `switch`."""
    with about(stack):
        print(_state(find_cluster_power(stack, root, pulumi, azure)))
    return ExitCode.GOOD


@contextmanager
def about(stack: str) -> Generator[None]:
    """Names the stack in each error, on one line.

    Raises:
        UsageError: there can be no such stack.
    """
    if not is_stack_name(stack):
        raise UsageError(f"stack: {stack!a} is not allowed; expected the name of a stack")
    try:
        yield
    except CommandError as error:
        raise type(error)(f"{stack}: {' | '.join(str(error).splitlines())}") from error


def _state(power: Power | None) -> str:
    """`absent` where there is no cluster, `running`, or `stopped`, also while it stops."""
    if power is None:
        return "absent"
    try:
        cluster = power.look()
    except GoneError:
        return "absent"
    return "running" if cluster.running and cluster.provisioning_state != _OPERATIONS[False] else "stopped"
