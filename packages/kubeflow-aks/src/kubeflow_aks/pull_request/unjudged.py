"""What decides about the next `up` and no preview can judge: programs, settings and binaries that it can't run."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.git import GitError, git, names
from kubeflow_aks.json_values import at, entries, is_mapping
from kubeflow_aks.recorder.project_file import NAME, ProjectFile, StackFileError, read_mapping, read_project
from kubeflow_aks.recorder.stack_files import stack_folder
from kubeflow_aks.revisions.programs import ProgramError
from kubeflow_aks.text.sentences import code, shown

_PYTHON: Final = "python"
_LOCKS: Final[Mapping[str, str]] = {"uv": "uv.lock", "poetry": "poetry.lock"}
"""Toolchains by their lock file, in the order in which Pulumi looks for one (`ResolveToolchain` of 3.274.1)."""
_PATHS: Final = ("./", "..", "/")
"""How the source of a package begins that is a folder (`IsLocalPluginPath`)."""


class UnjudgedProgramError(ProgramError):
    """What would run is nothing that a preview can run; the text is one line for the user."""


def require_known(project: ProjectFile) -> None:
    """Whether a preview can run what `up` would run.

    Raises:
        UnjudgedProgramError: the program is not in Python, or it or the stack files are outside of the repository.
        StackFileError: the project's file is not as Pulumi accepts it.
    """
    runtime, _ = _runtime(project)
    if runtime != _PYTHON:
        raise UnjudgedProgramError(
            f"{NAME}: runtime: {shown(str(runtime))} is not known here; expected {_PYTHON}, for only that is previewed"
        )
    for key, place in (("main", project.entry), ("stackConfigDir", project.stack_folder)):
        if not place.resolve().is_relative_to(_top(project.root)):
            written = project.content.get(key) or project.content.get("config")
            raise UnjudgedProgramError(
                f"{NAME}: {key}: {shown(str(written))} is outside of this repository, so it is not known here"
            )


def unjudged(stack: str, base: Path | None, head: Path) -> Iterator[str]:
    """What the preview of a stack does not judge, one sentence each; `base` is None if it has no such stack."""
    try:
        after = read_project(head)
        before = read_project(base) if base else None
        yield from _binaries(before, after)
        yield from _packages(before, after)
        yield from _state(before, after)
        if base:
            yield from _settings(stack, base, head)
    except StackFileError:  # which the run reports
        return


def _binaries(before: ProjectFile | None, after: ProjectFile) -> Iterator[str]:
    was, now = _plugins(before), _plugins(after)
    for name, place in now.items():
        yield f"{name}: `pulumi up` runs what is in {place}; this preview runs a simulation instead"
    for name in was.keys() - now.keys():
        yield f"{name}: `pulumi up` no longer runs what is in {was[name]}; this preview ran a simulation for both"
    packages = after.content.get("packages")
    if before and packages != before.content.get("packages") and not any(_local(packages)):
        yield "packages: changes; with which packages and plugins `pulumi up` runs then is not known here"


def _plugins(project: ProjectFile | None) -> dict[str, str]:
    """The folder that each plugin or package is taken from, by its place in the project's file."""
    if project is None:
        return {}
    kinds: Any = project.content.get("plugins") or {}
    if not is_mapping(kinds):
        return {"plugins": quoted(kinds)}
    places: dict[str, str] = {}
    for kind, plugins in kinds.items():
        for plugin in entries(plugins) if isinstance(plugins, list) else [plugins]:
            places[f"plugins.{quoted(kind)}: {quoted(at(plugin, 'name'))}"] = quoted(at(plugin, "path"))
    packages = _local(project.content.get("packages"))
    return places | {f"packages: {quoted(name)}": quoted(source) for name, source in packages}


def _local(packages: Any) -> Iterator[tuple[str, str]]:
    for name, package in packages.items() if is_mapping(packages) else ():
        source = package.get("source") if is_mapping(package) else package
        if str(source).startswith(_PATHS):
            yield name, str(source)


def _packages(before: ProjectFile | None, after: ProjectFile) -> Iterator[str]:
    """Python's packages, where they are not those of `requirements.txt`."""
    _, options = _runtime(after)
    _, former = _runtime(before) if before else (None, options)
    toolchain = options.get("toolchain") or _toolchain(after)
    if lock := _LOCKS.get(str(toolchain)):
        yield f"runtime.options.toolchain: `pulumi up` uses {lock}; this preview ran with requirements.txt"
    if checker := options.get("typechecker"):
        yield f"runtime.options.typechecker: whether {quoted(checker)} accepts the program, which `pulumi up` requires"
    folder, was = options.get("virtualenv"), former.get("virtualenv")
    inside = bool(folder) and (after.root / str(folder)).resolve().is_relative_to(after.root.resolve())
    if inside and names(after.root, *_LISTED, str(folder)):
        yield f"runtime.options.virtualenv: `pulumi up` runs the Python in {quoted(folder)}, which is committed"
    elif folder != was and not inside:
        place = f"in {quoted(folder)}" if folder else "on the PATH"
        yield (
            f"runtime.options.virtualenv: `pulumi up` runs the Python {place} with what is installed there; this "
            "preview ran with requirements.txt"
        )


_LISTED: Final = ("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")


def _toolchain(project: ProjectFile) -> str:
    """The toolchain whose lock file is beside the program or above it."""
    top = _top(project.root)
    folders = [
        folder for folder in (project.program.parent, *project.program.parents) if folder.is_relative_to(top)
    ]
    return next(
        (name for name, lock in _LOCKS.items() if any((folder / lock).is_file() for folder in folders)), ""
    )


def _state(before: ProjectFile | None, after: ProjectFile) -> Iterator[str]:
    """Where the state is, and whether it is refreshed."""
    if before is None:
        return
    if before.content.get("backend") != after.content.get("backend"):
        yield "backend: changes, so `pulumi up` works on another state; what that has is not known here"
    if after.content.get("options") and before.content.get("options") != after.content.get("options"):
        yield (
            "options.refresh: `pulumi up` then reads what is there first and undoes what was changed by hand, "
            "which is not known here"
        )


def _settings(stack: str, base: Path, head: Path) -> Iterator[str]:
    before, after = (_stack_file(root, stack) for root in (base, head))
    if before.get("environment") != after.get("environment"):
        yield f"Pulumi.{stack}.yaml: environment: changes; its values come from Pulumi ESC and are not known here"
    was, now = (dict(_secure("", content.get("config"))) for content in (before, after))
    for key in sorted(key for key in was.keys() & now.keys() if was[key] != now[key]):
        yield f"{quoted(key)} is encrypted differently; whether its value changes, and with what effect, is not known"


def _stack_file(root: Path, stack: str) -> dict[str, Any]:
    """The content of a stack's file; empty where it cannot be read."""
    try:
        return read_mapping(stack_folder(root) / f"Pulumi.{stack}.yaml")
    except StackFileError:
        return {}


def _secure(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """The encrypted values of a setting, by path."""
    for number, item in enumerate(entries(value)):
        yield from _secure(f"{path}[{number}]", item)
    if is_mapping(value) and list(value) == ["secure"]:
        yield path, str(value["secure"])
    elif is_mapping(value):
        for key, item in value.items():
            yield from _secure(f"{path}.{key}" if path else key, item)


def _runtime(project: ProjectFile) -> tuple[Any, Mapping[str, Any]]:
    """The language of a program, and the options of what runs it."""
    runtime: Any = project.content.get("runtime")
    options = at(runtime, "options")
    return runtime.get("name") if is_mapping(runtime) else runtime, options if is_mapping(options) else {}


def quoted(value: object) -> str:
    """A value of a file or a program in a sentence."""
    return code(shown(str(value)))


def _top(root: Path) -> Path:
    """The folder of the repository; the project's own where there is none."""
    try:
        return Path(git(root, "rev-parse", "--show-toplevel").rstrip("\n")).resolve()
    except GitError:
        return root.resolve()
