"""`az` on the local AKS: `python -m kubeflow_aks.local_aks.azure_cli RUN_DIRECTORY aks …`.

Options are spelt like the real ones; a command or option that is not supported ends with one line and code 2.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NoReturn, cast

from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli import account, cluster, placement
from kubeflow_aks.local_aks.azure_cli.client import Client, ServiceUnavailableError
from kubeflow_aks.local_aks.azure_cli.nodepool import COMMANDS, NodePools, UsageError
from kubeflow_aks.local_aks.azure_cli.output import FORMATS, show
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError
from kubeflow_aks.ownership import NotOurFolderError

_FAILED, _USAGE, _MISSING = 1, 2, 3
"""Exit codes of the Azure CLI (learn.microsoft.com/cli/azure, "Error handling")."""
_NOT_FOUND: Final = 404
_KNOWN: Final = (
    f"it knows az aks {', '.join(cluster.COMMANDS)}, az aks nodepool {', '.join(COMMANDS)}, "
    "az monitor activity-log list, az account show, az account get-access-token, az cloud show, "
    "az compute-recommender spot-placement-score"
)


Do = Callable[[Client, AzureState, argparse.Namespace], Json | list[Json] | None]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line instead of the usage."""
        self.exit(
            _USAGE, f"ERROR: {message}; this is the local AKS's az, which has few of the real options\n"
        )


def main(arguments: Sequence[str]) -> int:
    """Runs a command; a failure is printed on stderr as `az` does.

    Args:
        arguments: the run directory, then the words after `az`.

    Returns:
        `az`'s exit code.
    """
    folder, *words = arguments
    registered = _command(words)
    if registered is None:
        command = " ".join(word for word in words[:3] if not word.startswith("-"))
        print(f"ERROR: the local AKS's az does not know 'az {command}'; {_KNOWN}", file=sys.stderr)
        return _USAGE
    parser, rest, do = registered
    options = parser.parse_args(rest)
    try:
        run = RunDirectory.existing(Path(folder))
        with closing(Client(run)) as client:
            result = do(client, AzureState(run.azure), options)
    except ArmError as error:
        lines = f"({error.code}) {error.message}\nCode: {error.code}\nMessage: {error.message}"
        return _fail(lines, _MISSING if error.status == _NOT_FOUND else _FAILED)
    except (DamagedFileError, NotOurFolderError, ServiceUnavailableError, UsageError) as error:
        return _fail(str(error), _FAILED)
    if result is not None and (text := show(result, options.output)):
        print(text)
    return 0


def _command(words: Sequence[str]) -> tuple[argparse.ArgumentParser, Sequence[str], Do] | None:
    """Parser of a command, the words to parse and the function that runs it; None for an unknown command."""
    match words:
        case ["aks", "nodepool", name, *_] if name in COMMANDS:
            return _parser(), words[2:], _on_pools
        case ["aks", name, *rest] if name in cluster.COMMANDS:
            return _cluster_parser(name), rest, cluster.COMMANDS[name]
        case ["monitor", "activity-log", "list", *rest]:
            return _activity_parser(), rest, cluster.activity
        case ["account", "show", *rest]:
            return _account_parser(), rest, account.show
        case ["account", "get-access-token", *rest]:
            return _token_parser(), rest, account.get_access_token
        case ["compute-recommender", "spot-placement-score", *rest]:
            return _placement_parser(), rest, placement.scores
        case ["cloud", "show", *rest]:
            return _account_parser(), rest, account.show_cloud
        case _:
            return None


def _on_pools(client: Client, state: AzureState, options: argparse.Namespace) -> Json | list[Json] | None:
    pools = NodePools(client, state, options.resource_group, options.cluster_name)
    return COMMANDS[options.command](pools, options)


def _fail(message: str, code: int) -> int:
    print(f"ERROR: {message}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="az aks nodepool", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in COMMANDS.items():
        about = (function.__doc__ or "").partition("\n")[0]
        command = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
        command.add_argument("--resource-group", "-g", required=True)
        command.add_argument("--cluster-name", required=True)
        command.add_argument("--output", "-o", choices=FORMATS, default="json")
        if name != "list":
            command.add_argument("--name", "--nodepool-name", "-n", required=True)
        if name not in ("list", "show"):
            command.add_argument("--no-wait", action="store_true")
        if name == "upgrade":
            command.add_argument("--kubernetes-version", "-k", required=True)
            command.add_argument("--yes", "-y", action="store_true")
        if name == "update":
            _update_options(command)
    return parser


def _account_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="az", allow_abbrev=False)
    parser.add_argument("--output", "-o", choices=("json", "none"), default="json")
    return parser


def _placement_parser() -> argparse.ArgumentParser:
    parser = _account_parser()
    parser.add_argument("--location", "-l", required=True)
    parser.add_argument("--availability-zones", type=_false, default=False)
    parser.add_argument("--desired-count", type=int, default=1)
    parser.add_argument("--desired-locations", type=_json_list, required=True)
    parser.add_argument("--desired-sizes", type=_json_list, required=True)
    return parser


def _token_parser() -> argparse.ArgumentParser:
    parser = _account_parser()
    parser.add_argument("--subscription", "-s", "--name", "-n")
    parser.add_argument("--tenant", "-t")
    audience = parser.add_mutually_exclusive_group()
    audience.add_argument("--resource")
    audience.add_argument("--scope")
    audience.add_argument("--resource-type", choices=("arm",))
    return parser


def _cluster_parser(name: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=f"az aks {name}", allow_abbrev=False)
    parser.add_argument("--resource-group", "-g", required=True)
    parser.add_argument("--name", "-n", required=True)
    parser.add_argument("--output", "-o", choices=FORMATS, default="json")
    if name in ("start", "stop"):
        parser.add_argument("--no-wait", action="store_true")
    if name == "update":
        parser.add_argument("--network-dataplane", choices=("azure", "cilium"))
        parser.add_argument("--network-policy", choices=("azure", "calico", "cilium", "none"))
        ways_out = ("loadBalancer", "userAssignedNATGateway", "userDefinedRouting")
        parser.add_argument("--outbound-type", choices=ways_out)
    return parser


def _activity_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="az monitor activity-log list", allow_abbrev=False)
    parser.add_argument("--resource-id", required=True)
    parser.add_argument("--start-time", required=True)
    parser.add_argument("--max-events", type=int, default=50)
    parser.add_argument("--output", "-o", choices=FORMATS, default="json")
    return parser


def _update_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--update-cluster-autoscaler", "-u", action="store_true")
    command.add_argument("--min-count", type=int)
    command.add_argument("--max-count", type=int)
    command.add_argument("--labels", type=_pair, nargs="*", help="key=value")
    command.add_argument("--node-taints", type=_list, help="key=value:Effect, several between commas")
    command.add_argument("--mode", choices=("System", "User"))
    command.add_argument("--os-sku")


def _false(text: str) -> bool:
    if text.lower() not in {"0", "f", "false", "n", "no"}:
        raise argparse.ArgumentTypeError("the simulated Azure scores regions, not zones")
    return False


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
