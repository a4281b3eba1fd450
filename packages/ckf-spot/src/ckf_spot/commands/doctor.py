"""`ckf-spot doctor`: whether the cluster is ready for spot work, and a file right for it, one line each."""

import argparse
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from ckf_spot import sources
from ckf_spot.cluster import ForbiddenError
from ckf_spot.commands import inputs, output, place
from ckf_spot.doctor import file, namespace, platform
from ckf_spot.doctor.findings import Finding, line, right, unknown, wrong
from ckf_spot.doctor.reader import Reader
from ckf_spot.doctor.work import Work
from ckf_spot.errors import ContractError, Mistake, PlacementError, refusal, refuse
from ckf_spot.fields import Object, is_map
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File
from ckf_spot.pools import Pools

_WRONG: Final = 1
"""Exit code where something is not as it should be."""


def add_to(commands: Any) -> None:
    """Adds the command to the program's parser."""
    command: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        help="check whether the cluster is ready, and a file right for it",
        description="Prints one line for each thing that is ready for spot work or is not. Read-only.",
    )
    inputs.add_to(command, required=False)
    command.add_argument("--pool", help="with -f: a workload such as cpu or gpu, or the name of a pool")
    command.add_argument("--require", help="with --pool: spot or on-demand, as for ckf-spot place")
    command.add_argument("--also", action="append", default=[], metavar="ROLE", help="as for ckf-spot place")
    command.add_argument(
        "--on-demand", action="append", default=[], metavar="ROLE", help="as for ckf-spot place"
    )
    command.add_argument("--trainer-api", metavar="2.N", help="as for ckf-spot place")
    command.add_argument("--pod-template", action="store_true", help="as for ckf-spot place")
    command.add_argument(
        "-n", "--namespace", help="whose quota is looked at; left out: that of the file, if one is given"
    )
    command.add_argument(
        "--pools", help="file with the pool contract; left out: CKF_SPOT_POOLS, or the cluster"
    )
    command.add_argument(
        "--backend", help="what pipelines are placed for; left out: what the pool contract names"
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.pool and not options.file:
        raise refusal("--pool", options.pool, "expected -f FILE --pool NAME", "needs a file")
    files = _files(options.file)
    request = PlacingRequest(
        require=options.require,
        also=tuple(options.also),
        on_demand=tuple(options.on_demand),
        trainer_api=options.trainer_api,
        pod_template=options.pod_template,
    )
    reader, why = _cluster()
    pools, contract = _contract(options, reader, why)
    group = pools[options.pool] if pools and options.pool else None
    placement = group.placement(require=request.require) if group else None
    findings = [contract, *(platform.look(reader, pools) if reader else [unknown("cluster", why)])]
    noted: Object = {}
    works = [(source.origin, file.works_of(source)) for source in files]
    made = [one for _, several in works for one in several]
    for name, theirs in _spaces(made, options.namespace, reader).items():
        findings += namespace.guarded(name)
        if reader:
            noted, findings_of_namespace = namespace.read(reader, name)
            findings += [*findings_of_namespace, *namespace.look(reader, name, noted, theirs, placement)]
        if pools:
            findings += file.look(theirs, pools, name, noted, reader.has_class if reader else None)
    findings += [finding for origin, several in works for finding in file.without_pods(origin, several)]
    if group:
        command = partial(place.command, group=group, request=request, pools=options.pools)
        findings += file.placing(files, group, request, command)
    output.write("".join(f"{finding}\n" for finding in findings), output.STANDARD)
    return _WRONG if any(finding.state == "wrong" for finding in findings) else 0


def _cluster() -> tuple[Reader | None, str]:
    """The cluster, or None and why it can't be looked at."""
    try:
        reader = Reader()
        with suppress(ForbiddenError):
            reader.config_map(sources.NAMESPACE, sources.CONFIG_MAP)
    except PlacementError as error:
        return None, line(error)
    return reader, ""


def _contract(options: argparse.Namespace, reader: Reader | None, why: str) -> tuple[Pools | None, Finding]:
    """The pools, and whether they can be read; a file that was named must be right.

    Raises:
        PlacementError: that file can't be read, or there is neither a file nor a cluster.
    """
    named = options.pools is not None or os.environ.get(sources.ENVIRONMENT)
    if reader is None and not named:
        raise PlacementError(why)
    try:
        pools = Pools.load(options.pools, backend=options.backend)
    except ContractError as error:
        if named:
            raise
        return None, wrong(platform.CONTRACT, line(error))
    return pools, right(platform.CONTRACT, ", ".join(pool.name for pool in pools.all))


def _spaces(
    works: Sequence[Work], namespace_option: str | None, reader: Reader | None
) -> dict[str, list[Work]]:
    """The work by the namespace that it is for; that of the option is there without any too.

    Raises:
        PlacementError: an object is for another namespace than the option.
    """
    spaces: dict[str, list[Work]] = {namespace_option: []} if namespace_option else {}
    for work in works:
        if namespace_option and work.namespace and work.namespace != namespace_option:
            problem = f"contradicts the namespace {work.namespace!r} of {work.name}"
            raise refusal("--namespace", namespace_option, "leave it out", problem)
        name = work.namespace or namespace_option or (reader.own_namespace() if reader else "")
        spaces.setdefault(name, []).append(work)
    return spaces


def _files(names: Sequence[str]) -> list[File]:
    sources = inputs.read(names)
    refuse(
        Mistake(f"{source.origin}: document {number}", document, "expected a map", "is no Kubernetes object")
        for source in sources
        for number, document in enumerate(source.stream.documents, 1)
        if not is_map(document)
    )
    return [File(source.origin, source.stream.documents) for source in sources]
