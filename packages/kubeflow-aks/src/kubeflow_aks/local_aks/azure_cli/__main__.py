"""`az` on the local AKS: `python -m kubeflow_aks.local_aks.azure_cli RUN_DIRECTORY aks …`.

Options are spelt like the real ones; a command or option that is not supported ends with one line and code 2.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, cast

from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli import account, cluster, placement
from kubeflow_aks.local_aks.azure_cli.client import Client, ServiceUnavailableError
from kubeflow_aks.local_aks.azure_cli.nodepool import NodePools, UsageError
from kubeflow_aks.local_aks.azure_cli.output import FORMATS, show
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError
from kubeflow_aks.ownership import NotOurFolderError

_FAILED, _USAGE, _MISSING = 1, 2, 3
"""Exit codes of the Azure CLI (azure-cli 2.91.0, core/util.py, handle_exception, and core/parser.py, error)."""
_NOT_FOUND: Final = 404


Do = Callable[[Client, AzureState, argparse.Namespace], Json | list[Json] | None]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line instead of the usage."""
        self.exit(
            _USAGE, f"ERROR: {message}; this is the local AKS's az, which has few of the real options\n"
        )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            self.error(
                f"{self.prog}: '{value}' is not a valid value for '{action.option_strings[0]}'. "
                f"Allowed values: {', '.join(action.choices)}."
            )


def main(arguments: Sequence[str]) -> int:
    """Runs a command; a failure is printed on stderr as `az` does.

    Args:
        arguments: the run directory, then the words after `az`.

    Returns:
        `az`'s exit code.
    """
    folder, *words = arguments
    name = next((name for name in COMMANDS if words[: len(name.split())] == name.split()), None)
    if name is None:
        command = " ".join(word for word in words[:3] if not word.startswith("-"))
        message = f"the local AKS's az does not know 'az {command}'; it knows az {', az '.join(COMMANDS)}"
        return _fail(message, _USAGE)
    options = parser(name).parse_args(words[len(name.split()) :])
    try:
        run = RunDirectory.existing(Path(folder))
        with closing(Client(run)) as client:
            result = COMMANDS[name].do(client, AzureState(run.azure), options)
    except ArmError as error:
        lines = f"({error.code}) {error.message}\nCode: {error.code}\nMessage: {error.message}"
        return _fail(lines, _MISSING if error.status == _NOT_FOUND else _FAILED)
    except (DamagedFileError, NotOurFolderError, ServiceUnavailableError, UsageError) as error:
        return _fail(str(error), _FAILED)
    if result is not None and (text := show(result, options.output)):
        print(text)
    return 0


def _fail(message: str, code: int) -> int:
    print(f"ERROR: {message}", file=sys.stderr)
    return code


def parser(name: str) -> argparse.ArgumentParser:
    """The parser of the options of a command in `COMMANDS`."""
    command = _Parser(prog=f"az {name}", allow_abbrev=False)
    for strings, how in COMMANDS[name].options.items():
        command.add_argument(*strings.split(), **how)
    command.add_argument("--output", "-o", choices=FORMATS, default="json")
    return command


def _json_list(text: str) -> list[Json]:
    try:
        value: object = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, list):
        raise argparse.ArgumentTypeError(f"{text} is not a list in JSON")
    return cast(list[Json], value)


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _one_of(*choices: str) -> dict[str, Any]:
    """An option with choices, whose case does not matter."""

    def choice(text: str) -> str:
        return next((choice for choice in choices if choice.lower() == text.lower()), text)

    return {"choices": choices, "type": choice}


class Command(NamedTuple):
    """A function and its options: their spellings, and what `add_argument` takes."""

    do: Do
    options: Mapping[str, Mapping[str, Any]]


def _on_pools(do: Callable[[NodePools, argparse.Namespace], Json | list[Json] | None]) -> Do:
    return lambda client, state, options: do(
        NodePools(client, state, options.resource_group, options.cluster_name), options
    )


_REQUIRED: Final[Mapping[str, Any]] = {"required": True}
_FLAG: Final[Mapping[str, Any]] = {"action": "store_true"}
_GROUP: Final = {"--resource-group -g": _REQUIRED}
_CLUSTER: Final = {**_GROUP, "--name -n": _REQUIRED}
_POOLS: Final = {**_GROUP, "--cluster-name": _REQUIRED}
_POOL: Final = {**_POOLS, "--nodepool-name --name -n": _REQUIRED}
_NO_WAIT: Final = {"--no-wait": _FLAG}
COMMANDS: Final = {
    "account get-access-token": Command(
        account.get_access_token,
        {
            "--subscription -s --name -n": {},
            "--resource": {},
            "--scope": {},
            "--resource-type": _one_of("arm"),
            "--tenant -t": {},
        },
    ),
    "account show": Command(account.show, {}),
    "aks nodepool delete": Command(_on_pools(NodePools.delete), {**_POOL, **_NO_WAIT}),
    "aks nodepool list": Command(_on_pools(NodePools.list), _POOLS),
    "aks nodepool show": Command(_on_pools(NodePools.show), _POOL),
    "aks nodepool update": Command(
        _on_pools(NodePools.update),
        {
            **_POOL,
            "--update-cluster-autoscaler -u": _FLAG,
            "--min-count": {"type": int},
            "--max-count": {"type": int},
            "--labels": {"type": _pair, "nargs": "*"},
            "--node-taints": {"type": _list},
            "--mode": _one_of("System", "User"),
            "--os-sku": _one_of(
                "AzureLinux", "AzureLinux3", "AzureContainerLinux", "Ubuntu", "Ubuntu2204", "Ubuntu2404"
            ),
            **_NO_WAIT,
        },
    ),
    "aks nodepool upgrade": Command(
        _on_pools(NodePools.upgrade),
        {**_POOL, "--kubernetes-version -k": _REQUIRED, "--yes -y": _FLAG, **_NO_WAIT},
    ),
    "aks show": Command(cluster.show, _CLUSTER),
    "aks start": Command(cluster.start, {**_CLUSTER, **_NO_WAIT}),
    "aks stop": Command(cluster.stop, {**_CLUSTER, **_NO_WAIT}),
    "aks update": Command(
        cluster.update,
        {
            **_CLUSTER,
            "--network-dataplane": _one_of("azure", "cilium"),
            "--network-policy": _one_of("azure", "calico", "cilium", "none"),
            "--outbound-type": _one_of("loadBalancer", "userAssignedNATGateway", "userDefinedRouting"),
        },
    ),
    "cloud show": Command(account.show_cloud, {}),
    "compute-recommender spot-placement-score": Command(
        placement.scores,
        {
            "--location -l": _REQUIRED,
            "--availability-zones": _one_of("false", "f", "no", "n", "0"),  # regions are scored, not zones
            "--desired-count": {"type": int, "default": 1},
            "--desired-locations": {"type": _json_list, **_REQUIRED},
            "--desired-sizes": {"type": _json_list, **_REQUIRED},
        },
    ),
    "monitor activity-log list": Command(
        cluster.activity,
        {
            "--resource-id": _REQUIRED,
            "--start-time": _REQUIRED,
            "--end-time": {},
            "--max-events": {"type": int, "default": 50},
        },
    ),
}
"""Commands by name, as `tests/azure_cli` compares them with those of the real Azure CLI."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
