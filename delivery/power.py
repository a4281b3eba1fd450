"""`python -m delivery.power stop|start|state STACK`: switches a stack's cluster off and on.

What a stopped cluster keeps and costs: `docs/facts/aks.md#stopping-and-starting`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from delivery import deployed
from delivery.azure_cli import Azure, AzureError, Cluster, GoneError
from delivery.deployed import Deployed
from delivery.pulumi_cli import Pulumi, PulumiError
from revisions.repository import is_stack_name

REST: Final = timedelta(minutes=15)
"""Between a stop and the next start: AKS asks for 15 to 30 minutes (start-stop-cluster.md)."""
_PATIENCE: Final = timedelta(minutes=45)
"""How long a stop or a start may take: our choice, several times what users tell of."""
_SAID_EVERY: Final = timedelta(minutes=1)
_LOOKS: Final = 4
"""Until what Azure shows is taken for how it ended."""
_OPERATIONS: Final = {False: "Stopping", True: "Starting"}


class PowerError(Exception):
    """The cluster is not as it should be; the text is one line for the user."""


@dataclass(frozen=True)
class Power:
    """The switch of one stack's cluster.

    Attributes:
        stack: name, for what is said.
        where: the cluster's names.
        azure: who is asked.
        say: takes lines for the user.
        rest: least time between a stop and a start.
        poll: seconds between two looks.
    """

    stack: str
    where: Deployed
    azure: Azure
    say: Callable[[str], None] = print
    rest: timedelta = REST
    poll: float = 15.0

    def look(self) -> Cluster:
        """The cluster as it is now.

        Raises:
            AzureError: it can't be asked for.
        """
        return self.azure.cluster(self.where.group, self.where.name)

    def stop(self, *, force: bool = False) -> None:
        """Stops the cluster and waits until it is; one that is already is left.

        Args:
            force: stop one of production that has no office hours, too.

        Raises:
            PowerError: it may not be stopped now, or does not stop.
            AzureError: Azure refuses.
        """
        if self.where.production and self.where.office_hours is None and not force:
            raise PowerError(
                "it is production: where Azure is short of machines, a stopped cluster does not start again; FORCE=1 "
                "stops it all the same"
            )
        self._to(run=False)

    def start(self) -> None:
        """Starts the cluster and waits until it runs; one that does already is left.

        Raises:
            PowerError: it may not be started now, or does not start.
            AzureError: Azure refuses.
        """
        self._to(run=True)

    def _to(self, *, run: bool) -> None:
        cluster = self.look()
        if cluster.doing == _OPERATIONS[not run]:
            cluster = self._wait(run=not run)
        if cluster.runs == run and cluster.idle:
            self.say(f"{self.stack}: {_is(run)} already")
            return
        if cluster.doing != _OPERATIONS[run]:
            if not cluster.idle:
                raise PowerError(
                    f"another operation is under way ({cluster.doing}); try again when it has ended"
                )
            if run:
                self._rest(cluster)
            (self.azure.start if run else self.azure.stop)(self.where.group, self.where.name)
        cluster = self._wait(run=run)
        if cluster.runs != run or cluster.doing != "Succeeded":
            raise PowerError(
                f"it did not {'start' if run else 'stop'}: its provisioning state is {cluster.doing}; Azure's activity "
                "log has the reason"
            )
        self.say(f"{self.stack}: {_is(run)}")

    def _wait(self, *, run: bool) -> Cluster:
        """The cluster when it has stopped or started, or failed to; says every minute that it has not."""
        doing = _OPERATIONS[run].lower()
        begun = said = time.monotonic()
        self.say(f"{self.stack}: {doing} {self.where.name} …")
        while True:
            cluster, waited = self.look(), time.monotonic() - begun
            # Azure may show for a moment what was before.
            if cluster.idle and (cluster.runs == run or waited > _LOOKS * self.poll):
                return cluster
            if waited > _PATIENCE.total_seconds():
                raise PowerError(f"still {doing} after {_minutes(waited)}")
            if begun + waited - said >= _SAID_EVERY.total_seconds():
                said = begun + waited
                self.say(f"{self.stack}: {doing} for {_minutes(waited)}")
            time.sleep(self.poll)

    def _rest(self, cluster: Cluster) -> None:
        """Waits where the cluster was stopped just now; who may not read the activity log is told instead."""
        now = datetime.now(UTC)
        try:
            stopped = self.azure.last_change(cluster, now - self.rest, "stop/action")
        except AzureError as error:
            self.say(f"{self.stack}: can't tell when it was stopped, and AKS asks for a pause: {error}")
            return
        left = (stopped.at + self.rest - now).total_seconds() if stopped else 0
        if left > 0:
            self.say(f"{self.stack}: was stopped just now; AKS asks for a pause, {_minutes(left)} are left")
            time.sleep(left)


def of(stack: str, pulumi: Pulumi, azure: Azure) -> Power | None:
    """The switch of a stack; None for one that has no cluster.

    Raises:
        PulumiError: its state can't be read.
    """
    found = deployed.read(pulumi, stack)
    return Power(stack, found, azure) if found else None


def _minutes(seconds: float) -> str:
    return f"{max(1, round(seconds / 60))} min"


def _is(run: bool) -> str:  # noqa: FBT001 - the one thing that it is about
    return "runs" if run else "is stopped"


def _state(power: Power | None) -> str:
    """One word for a workflow: `absent` where there is no cluster, `running`, or `stopped`, also while it stops."""
    if power is None:
        return "absent"
    try:
        cluster = power.look()
    except GoneError:
        return "absent"
    return "running" if cluster.runs and cluster.doing != _OPERATIONS[False] else "stopped"


def _switch(power: Power | None, options: argparse.Namespace) -> None:
    if power is None:
        raise PowerError("it has no cluster; deploy it first")
    told = replace(power, say=_said, rest=timedelta(minutes=options.rest), poll=options.poll)
    if options.what == "stop":
        told.stop(force=options.force)
    else:
        told.start()


def main(
    arguments: Sequence[str] | None = None, pulumi: Pulumi | None = None, azure: Azure | None = None
) -> int:
    """Does as told.

    Returns:
        0; 1 where the cluster is not as it should be, with the reason in one line on stderr.
    """
    parser = argparse.ArgumentParser(
        prog="python -m delivery.power", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("what", choices=["stop", "start", "state"])
    parser.add_argument("stack")
    parser.add_argument("--force", action="store_true", help="stop production, too")
    parser.add_argument("--poll", type=float, default=Power.poll, help="seconds between two looks")
    parser.add_argument(
        "--rest", type=float, default=REST.total_seconds() / 60, help="minutes from a stop to a start"
    )
    options = parser.parse_args(arguments)
    if not is_stack_name(options.stack):
        parser.error(f"{options.stack!a} is no stack's name")
    try:
        power = of(options.stack, pulumi or Pulumi(Path.cwd()), azure or Azure())
        if options.what == "state":
            print(_state(power))
            return 0
        _switch(power, options)
    except (PowerError, AzureError, PulumiError, OSError) as error:
        print(f"error: {options.stack}: {' | '.join(str(error).splitlines())}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{options.stack}: Azure goes on with what it has begun", file=sys.stderr)
        return 130
    return 0


def _said(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
