"""`ckf-spot generate`: settings and objects for Charmed Kubeflow, generated from the pool contract."""

import argparse
import json
from collections.abc import Callable
from typing import Any

from ckf_spot import sources, yaml_text
from ckf_spot.commands import output
from ckf_spot.errors import together
from ckf_spot.generated import kueue, namespace, spawner
from ckf_spot.pools import Pools


def add_to(commands: Any) -> None:
    """Adds the command to the program's parser."""
    command: argparse.ArgumentParser = commands.add_parser(
        "generate", help="make settings for Charmed Kubeflow"
    )
    kinds: Any = command.add_subparsers(required=True, metavar="WHAT")
    sample = _named(kinds, "sample-pools", "a pool contract, to try everything without a cluster")
    sample.set_defaults(run=_sample_pools)
    _add(
        kinds, "spawner", "options of the notebook form, as Terraform variables", _spawner, in_namespace=False
    )
    _add(kinds, "pod-default", "PodDefault allow-spot for a profile's namespace", _pod_default)
    _add(
        kinds,
        "namespace-tolerations",
        "every pod of a namespace tolerates spot; for batch work alone",
        _tolerations,
    )
    queues = _add(kinds, "kueue", "queues and quotas of Kueue, spot first", _kueue, in_namespace=False)
    queues.add_argument(
        "--namespace",
        action="append",
        required=True,
        help="a profile's namespace; may be given several times: they share the quotas",
    )
    queues.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="SIZE=CPU,MEMORY",
        help="what a node of a VM size has for pods (kubectl describe node, Allocatable); one for each size",
    )
    queues.add_argument(
        "--queue", default=kueue.QUEUE, help=f"name of the queues; the default is {kueue.QUEUE}"
    )


def _add(
    kinds: Any,
    name: str,
    text: str,
    make: Callable[[Pools, argparse.Namespace], str],
    *,
    in_namespace: bool = True,
) -> argparse.ArgumentParser:
    kind = _named(kinds, name, text)
    if in_namespace:
        kind.add_argument("--namespace", required=True, help="a profile's namespace")
    kind.add_argument("--pools", help="file with the pool contract; left out: CKF_SPOT_POOLS, or the cluster")

    def run(options: argparse.Namespace) -> int:
        pools, _ = together(
            lambda: Pools.load(options.pools),
            lambda: namespace.profile(options.namespace) if in_namespace else None,
        )
        output.write(make(pools, options), options.output)
        return 0

    kind.set_defaults(run=run)
    return kind


def _named(kinds: Any, name: str, text: str) -> argparse.ArgumentParser:
    kind: argparse.ArgumentParser = kinds.add_parser(name, help=text, description=text)
    kind.add_argument(
        "-o", "--output", default=output.STANDARD, help="file to write; left out: standard output"
    )
    return kind


def _sample_pools(options: argparse.Namespace) -> int:
    output.write(sources.SAMPLE.read_text(encoding="utf-8"), options.output)
    return 0


def _spawner(pools: Pools, _: argparse.Namespace) -> str:
    return json.dumps({"jupyter_ui_config": spawner.jupyter_ui_config(pools)}, indent=2) + "\n"


def _pod_default(pools: Pools, options: argparse.Namespace) -> str:
    return yaml_text.dump([namespace.pod_default(pools, options.namespace)])


def _tolerations(pools: Pools, options: argparse.Namespace) -> str:
    return yaml_text.dump([namespace.default_tolerations(pools, options.namespace)])


def _kueue(pools: Pools, options: argparse.Namespace) -> str:
    nodes = kueue.rooms(options.node)
    return yaml_text.dump(kueue.objects(pools, options.namespace, nodes, options.queue))
