"""When a demo stack ends, and which stacks are left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeflow_aks.ci import demo, expiry
from kubeflow_aks.ci.expiry import LeftError
from kubeflow_aks.cli.process import ended
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import record

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def state(expires: Any = "2026-11-22T10:00:00Z", **more: Any) -> dict[str, Any]:
    tags = {} if expires is None else {"expires": expires}
    group = {
        "urn": "urn:pulumi:demo-x::kubeflow-aks::azure-native:resources:ResourceGroup::kubeflow-aks-demo-x",
        "type": "azure-native:resources:ResourceGroup",
        "inputs": {"tags": tags},
    }
    return {"resources": [{"urn": "urn:x::y::z::stack", "type": "pulumi:pulumi:Stack"}, {**group, **more}]}


@pytest.mark.parametrize(
    ("tag", "moment"),
    [
        ("2026-11-22T10:00:00Z", datetime(2026, 11, 22, 10, tzinfo=UTC)),
        ("2026-11-22T10:00:00.5+00:00", datetime(2026, 11, 22, 10, microsecond=500_000, tzinfo=UTC)),
        ("2026-11-22T12:00:00+02:00", datetime(2026, 11, 22, 10, tzinfo=UTC)),
    ],
)
def test_the_tag_is_read_in_any_time_zone(tag: str, moment: datetime) -> None:
    assert expiry.expires(state(tag)) == moment


def test_in_a_group_of_others_the_tag_of_the_cluster_counts() -> None:
    assert expiry.expires(state(type="azure-native:containerservice:ManagedCluster")) == datetime(
        2026, 11, 22, 10, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ({}, "is empty"),
        ({"resources": None}, "is empty"),
        (state(None), "has no tag expires"),
        (state("tomorrow"), "expires is 'tomorrow'; expected a moment"),
        (state("2026-11-22T10:00:00"), "without a time zone"),
        (state("2026-11-22"), "without a time zone"),
        (state("1970-01-01T00:00:00Z\nnow"), "expected a moment"),
        (state(5), "expected a moment"),
        (state({"4dabf18193072939515e22adb298388d": "x"}), "expected a moment"),
        (state(protect=True), "is protected (kubeflow-aks-demo-x)"),
        ({**state(), "pending_operations": [{"type": "creating"}]}, "interrupted"),
        ({"resources": [*state()["resources"], *state()["resources"]]}, "has 2 resource groups"),
        ({"resources": state()["resources"][:1]}, "has 0 resource groups"),
    ],
    ids=range(13),
)
def test_a_stack_that_does_not_say_clearly_when_it_ends_is_left(left: dict[str, Any], words: str) -> None:
    with pytest.raises(LeftError) as raised:
        expiry.expires(left)
    assert words in str(raised.value)


@pytest.mark.parametrize(("after", "over"), [(-60, False), (0, False), (299, False), (301, True)])
def test_a_clock_that_goes_a_little_fast_ends_nothing_early(after: int, over: bool) -> None:
    assert expiry.is_over(NOW, NOW + timedelta(seconds=after)) is over


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("Pulumi.demo.yaml", "Pulumi.yaml", "__main__.py"):
        (tmp_path / name).write_bytes((PROJECT_ROOT / name).read_bytes())
    return tmp_path


def made(name: str, hours: str, root: Path) -> int:
    """Runs the command."""
    return ended(lambda: demo.run(name, hours, root, NOW))


def test_every_resource_of_a_demo_carries_the_tag_and_the_longest_name_fits(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "a" * 13 + "-1"
    assert demo.run(name, "5", root, NOW) == 0
    assert capsys.readouterr().out == f"stack=demo-{name}\n"
    file = root / f"Pulumi.demo-{name}.yaml"
    config = yaml.safe_load(file.read_text(encoding="utf-8"))["config"]
    config["kubeflow-aks:asOf"] = "2026-11-21"
    file.write_text(yaml.safe_dump({"config": config}), encoding="utf-8")
    recorded = record(f"demo-{name}", root=root)
    tagged = [made.inputs["tags"] for made in recorded.resources.values() if "tags" in made.inputs]
    assert len(tagged) > 5
    assert {tags["expires"] for tags in tagged} == {"2026-11-22T17:00:00Z"}
    assert not any(made.options.get("protect") for made in recorded.resources.values())


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a" * 16, "../x", "a\nb=c", "$(id)", "ä"])
def test_a_name_that_can_not_be_is_one_line(
    name: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert made(name, "1", root) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: name: ")
    assert printed.err.count("\n") == 1
    assert sorted(file.name for file in root.glob("Pulumi.demo*")) == ["Pulumi.demo.yaml"]


@pytest.mark.parametrize("hours", ["", "0", "73", "1.5", "-1", "1e1", "١", "9999999999"])
def test_hours_that_can_not_be_are_one_line(
    hours: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert made("a", hours, root) == 2
    assert capsys.readouterr().err.startswith("error: hours: ")


def test_both_mistakes_are_reported_at_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert made("A", "x", root) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error: name: ")
    assert "\nhours: " in printed


def test_a_file_of_the_repository_is_never_overwritten(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = root / "Pulumi.demo-a.yaml"
    file.write_text("config: {}\n", encoding="utf-8")
    assert made("a", "1", root) == 1
    assert "is there already" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "config: {}\n"


def test_a_template_that_protects_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = root / "Pulumi.demo.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("protect: false", "protect: true"), encoding="utf-8"
    )
    assert made("a", "1", root) == 1
    assert "protect" in capsys.readouterr().err
