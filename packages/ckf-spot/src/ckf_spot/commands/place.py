"""`ckf-spot place`: places what is in a YAML file."""

import argparse
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ckf_spot import install
from ckf_spot.commands import inputs, output
from ckf_spot.commands.inputs import Input
from ckf_spot.errors import ABSENT, Mistake, refuse, together
from ckf_spot.kinds import manifests, table
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File
from ckf_spot.pipelines import compiled
from ckf_spot.placement import check_wish
from ckf_spot.pods import strict_schema
from ckf_spot.pool_group import PoolGroup
from ckf_spot.pools import Pools

_OF_OBJECTS: Final = ("also", "on_demand", "trainer_api", "pod_template", "elastic", "kubernetes")
_OF_PIPELINES: Final = ("except_", "retries", "backoff", "give_up", "by", "backend")
"""Options by what they are for."""


def add_to(commands: Any) -> None:
    """Adds the command to the program's parser."""
    command: argparse.ArgumentParser = commands.add_parser(
        "place",
        help="place the work in a YAML file",
        description=f"Places {', '.join(table.KINDS)}, and compiled pipelines; other objects in the file stay.",
    )
    inputs.add_to(command, required=True)
    command.add_argument("--pool", required=True, help="a workload such as cpu or gpu, or the name of a pool")
    command.add_argument(
        "--prefer", help="spot: spot nodes if there are any, on-demand ones instead (the default)"
    )
    command.add_argument("--require", help="spot or on-demand: nothing else, however long that takes")
    command.add_argument(
        "--also", action="append", metavar="ROLE", help="a role that may vanish too, such as Master"
    )
    command.add_argument(
        "--on-demand",
        action="append",
        metavar="ROLE",
        help="a role that goes to on-demand nodes, such as one group of Ray workers",
    )
    command.add_argument("--trainer-api", metavar="2.N", help="release of Kubeflow Trainer, for a TrainJob")
    command.add_argument(
        "--kubernetes",
        metavar="1.N",
        help="release of the cluster; left out: the cluster's own, or the newest",
    )
    pipelines = command.add_argument_group("for a compiled pipeline")
    pipelines.add_argument(
        "--except", action="append", metavar="TASK", dest="except_", help="a task that stays where it is"
    )
    pipelines.add_argument("--retries", type=int, metavar="N", help="attempts after the first one (5)")
    pipelines.add_argument("--backoff", metavar="TIME", help="wait before each retry (5m)")
    pipelines.add_argument("--give-up", metavar="TIME", help="time in which all attempts must fit (7d)")
    pipelines.add_argument("--by", help="node-affinity (the default), or node-selector for old backends")
    pipelines.add_argument(
        "--backend",
        metavar="2.N",
        help="release of Kubeflow Pipelines; left out: what the pool contract names",
    )
    command.add_argument(
        "--pod-template",
        action="store_const",
        const=True,
        help="a Pod in the file is a template for Spark's executors, and not a pod to be made as it is",
    )
    command.add_argument(
        "--elastic",
        action="store_const",
        const=True,
        help="the work can go on with fewer pods: sets what torchrun and Spark need for it",
    )
    command.add_argument(
        "--pools", help="file with the pool contract; left out: CKF_SPOT_POOLS, or the cluster"
    )
    command.add_argument(
        "-o",
        "--output",
        default=output.STANDARD,
        help="file to write, several files as one stream; left out: standard output",
    )
    command.set_defaults(run=_run)


def command(file: File, group: PoolGroup, request: PlacingRequest, pools: str | None) -> str:
    """The command that places a file, with those options that are for what is in it.

    Args:
        file: the file.
        group: the pools.
        request: how; without `elastic`.
        pools: name of the file with the pool contract; None: none was named.
    """
    options = [("--pool", group.name), ("--require", request.require), ("--pools", pools)]
    if any(map(compiled.is_compiled, file.documents)):
        options.append(("--backend", str(group.backend)))
    else:
        named = request.named_roles if manifests.has_roles(file.documents, request) else ()
        options += [(f"--{name.replace('_', '-')}", role) for name, roles in named for role in roles]
        options.append(("--trainer-api", request.trainer_api))
    name = output.STANDARD if file.origin == inputs.STANDARD_INPUT else file.origin
    words = [part for option, value in options if value is not None for part in (option, value)]
    words += ["--pod-template"] if request.pod_template else []
    return shlex.join(["ckf-spot", "place", "-f", name, *words])


def _run(options: argparse.Namespace) -> int:
    group, sources, _ = together(
        lambda: _pools(options)[options.pool],
        lambda: inputs.read(options.file),
        lambda: check_wish(options.prefer, options.require),
    )
    pipelines = [source for source in sources if any(map(compiled.is_compiled, source.stream.documents))]
    if pipelines and len(sources) > 1:
        one = "expected no other file with it"
        refuse(Mistake(pipeline.origin, ABSENT, one, "is a compiled pipeline") for pipeline in pipelines)
    text = _pipeline(sources[0], group, options) if pipelines else _manifests(sources, group, options)
    output.write(text, options.output)
    return 0


def _pools(options: argparse.Namespace) -> Pools:
    return Pools.load(options.pools, backend=options.backend, kubernetes=options.kubernetes)


def _pipeline(source: Input, group: PoolGroup, options: argparse.Namespace) -> str:
    """A compiled pipeline; what became of each task goes to the terminal."""
    _refuse(options, _OF_OBJECTS, f"{source.origin} is a compiled pipeline, and it is not for one")
    options_of_pipelines: dict[str, Any] = {
        name: getattr(options, name) for name in _OF_PIPELINES if name != "backend"
    }
    chosen = {name: value for name, value in options_of_pipelines.items() if value is not None}
    wish = {"prefer": options.prefer, "require": options.require}
    placed, report = compiled.place(source.stream.documents, group, **wish, **chosen)
    sys.stderr.write(f"{report}\n")
    return source.stream.changed(placed)


def _manifests(sources: Sequence[Input], group: PoolGroup, options: argparse.Namespace) -> str:
    """Objects of Kubernetes."""
    origins = ", ".join(source.origin for source in sources)
    no_pipeline = "are no compiled pipelines" if len(sources) > 1 else "is no compiled pipeline"
    _refuse(options, _OF_PIPELINES, f"{origins} {no_pipeline}, and it is for one only")
    request = PlacingRequest(
        prefer=options.prefer,
        require=options.require,
        also=tuple(options.also or ()),
        on_demand=tuple(options.on_demand or ()),
        trainer_api=options.trainer_api,
        pod_template=bool(options.pod_template),
        elastic=bool(options.elastic),
    )
    files = [File(source.origin, source.stream.documents) for source in sources]
    placed = manifests.place(files, group, request)
    sys.stderr.writelines(f"ckf-spot: {note}\n" for note in (*placed.notes, *placed.unjudged))
    if not strict_schema.available():
        sys.stderr.write(
            f"ckf-spot: the pods' own fields were not checked: {install.hint('validate')} checks them\n"
        )
    pairs = zip(sources, placed.files, strict=True)
    return inputs.joined([source.stream.changed(file.documents) for source, file in pairs])


def _refuse(options: argparse.Namespace, names: Iterable[str], problem: str) -> None:
    """Refuses options that the file is not for."""
    refuse(
        Mistake(f"--{name.strip('_').replace('_', '-')}", ABSENT, "leave it out", problem)
        for name in names
        if getattr(options, name) is not None
    )
