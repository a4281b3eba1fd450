"""What options of Charmed Kubeflow need of each other and of the cluster (`aks_facts/kubeflow_options.csv`)."""

from collections.abc import Iterator
from typing import Any, cast

from pydantic.alias_generators import to_snake

from aks_facts import KubeflowOption, charmed_kubeflow_releases, kubeflow_options
from components.arguments.mistakes import Mistake
from program.settings import Settings
from program.settings.kubeflow import Options

_GROUP = "kubeflow.options"
_WHOLE = ("kubeflow.", "network.")
"""How paths of other settings begin."""
_CLUSTER = ("network.podCidr", "network.serviceCidr")


def option_problems(settings: Settings) -> Iterator[Mistake]:
    """Each option that is on has what it needs, and the layout of the release has options at all."""
    release = charmed_kubeflow_releases().get(settings.kubeflow.release)
    if release and release.root != "products-kubeflow" and settings.kubeflow.options != Options():
        yield Mistake(
            "kubeflow.release",
            release.release,
            f"a release whose Terraform has {_GROUP}, such as {[*charmed_kubeflow_releases()][-1]}",
        )
        return
    for option in kubeflow_options().values():
        if not is_on(settings, option.option):
            continue
        for need in option.needs:
            if not is_on(settings, need):
                yield _mistake(settings, need, f"{_expected(need)}{_why(option)}")
        for excluded in option.excludes:
            if is_on(settings, excluded):
                path, _, other = excluded.partition("=")
                expected = f"another than {other}" if other else "no value"
                yield _mistake(settings, path, f"{expected}{_why(option)}")
    if settings.kubeflow.options.proxy:
        yield from _exception_problems(settings)


def option_warnings(settings: Settings) -> Iterator[str]:
    """What the program does not do for an option."""
    options = settings.kubeflow.options
    if options.auth == "iam":
        yield (
            f"{_GROUP}.auth iam: the guard looks at kubeflow, controller-* and knative-*, not at the models of the "
            "identity platform and of Istio; their charms tolerate no spot node by themselves"
        )
    if options.mesh == "ambient":
        yield f"{_GROUP}.mesh ambient: Canonical tests it on AKS with none of the engines of network.policy"
    if options.proxy:
        yield f"{_GROUP}.proxy: only the charms use it; nodes pull images, and this stack's programs go out, without it"


def additional_applications(settings: Settings) -> int:
    """Number of applications that options add to the default deployment."""
    return sum(
        option.applications
        for option in kubeflow_options().values()
        if not option.on and is_on(settings, option.option)
    )


def is_on(settings: Settings, option: str) -> bool:
    """Whether a stack has an option, by its path in the catalogue."""
    path, equals, value = option.partition("=")
    current = _value(settings, path)
    return str(current).lower() == value if equals else bool(current)


def _value(settings: Settings, path: str) -> Any:
    """The value at a path; of a list, whether it has the last part."""
    value: Any = settings if path.startswith(_WHOLE) else settings.kubeflow.options
    for part in path.split("."):
        value = part in value if isinstance(value, tuple) else getattr(value, to_snake(part))
    return value


def _key(path: str) -> str:
    """The setting that holds an option."""
    setting = path.partition("=")[0]
    if setting.startswith(_WHOLE):
        return setting
    return f"{_GROUP}.components" if setting.startswith("components.") else f"{_GROUP}.{setting}"


def _expected(option: str) -> str:
    path, equals, value = option.partition("=")
    if path.startswith("components."):
        return f"{path.removeprefix('components.')} among them"
    return value if equals else "a value"


def _mistake(settings: Settings, option: str, expected: str) -> Mistake:
    path = option.partition("=")[0]
    listed = path.startswith("components.")
    value = settings.kubeflow.options.components if listed else _value(settings, path)
    shown = [*cast(tuple[str, ...], value)] if isinstance(value, tuple) else value
    return Mistake(_key(option), shown, expected)


def _why(option: KubeflowOption) -> str:
    return f" with {option.option.removeprefix('components.')}, because {option.because}"


def _exception_problems(settings: Settings) -> Iterator[Mistake]:
    """The cluster's own addresses are reached without the proxy."""
    exceptions = settings.kubeflow.options.no_proxy
    needed = [*(_value(settings, path) for path in _CLUSTER), ".svc"]
    if exceptions and (missing := [address for address in needed if address not in exceptions]):
        yield Mistake(
            f"{_GROUP}.noProxy",
            list(exceptions),
            f"{', '.join(missing)} among them, the addresses of pods and Services ({', '.join(_CLUSTER)})",
        )
