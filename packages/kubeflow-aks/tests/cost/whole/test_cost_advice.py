"""What lowers a bill: what is promised comes true once it is written, and nothing that matters is given up for it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.cost import command
from kubeflow_aks.cost.advice import Advised
from kubeflow_aks.cost.report.document import SCHEMA
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import Record
from tests.cost.whole.advised_stacks import (
    advised,
    all_advice,
    broken_promises,
    made_up,
    offered,
    ran,
    stack_of,
    tree,
    written,
)


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["cost", *arguments])


VALID: Any = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
AGENT_POOL = "azure-native:containerservice:AgentPool"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("advised")


@pytest.fixture(scope="module")
def dev(folder: Path) -> Advised:
    return advised(folder, stack_of("dev"), offered)


@pytest.fixture(scope="module")
def prod(folder: Path) -> Advised:
    return advised(folder, stack_of("prod"), offered)


def test_writing_the_lines_gives_exactly_the_promised_bill(dev: Advised, prod: Advised, folder: Path) -> None:
    assert list(broken_promises(folder, stack_of("dev"), dev)) == []
    assert list(broken_promises(folder, stack_of("prod"), prod)) == []


def test_so_it_does_where_a_setting_cannot_be_decrypted_which_is_not_touched(folder: Path) -> None:
    [_, stack] = made_up(2, seed=3)
    stack["systemPool"] = {"minCount": 3, "maxCount": 4, "name": {"secure": "v1:x"}}
    proposals = advised(folder, stack)
    assert len(proposals.advice) > 5
    assert not any("systemPool" in line for one in all_advice(proposals) for line in one.lines)
    assert list(broken_promises(folder, stack, proposals)) == []


def test_dev_with_the_blogs_work_ends_sixty_percent_under_the_same_work_on_demand(dev: Advised) -> None:
    assert dev.together
    assert dev.together.after.expected <= 0.4 * dev.on_demand.expected
    assert dev.together.before.expected > 0.5 * dev.on_demand.expected  # so it is the advice that does it


def test_the_best_comes_first_and_each_saves_something(dev: Advised) -> None:
    saved = [one.saves for one in dev.advice]
    assert saved == sorted(saved, reverse=True)
    assert min(saved) > 0


def test_advice_for_dev_has_its_options(dev: Advised) -> None:
    result = "\n".join(one.sentence for one in dev.advice)
    for expected in (
        "Monday to Friday",
        "checkpoint of training",
        "for general",
        "tier Standard",
        "are removed after 5 minutes",
        "the registry's tier Basic",
        "OS disks of 64 GiB",
    ):
        assert expected in result


def platform(record: Record) -> dict[str, tuple[Any, ...]]:
    """What each pool that is always there is: that it is on demand, and whether it is protected."""
    return {
        pool.inputs["agentPoolName"]: (pool.inputs.get("scaleSetPriority"), pool.options.get("protect"))
        for pool in record.of(AGENT_POOL)
        if pool.inputs["agentPoolName"] in ("general", "system2")
    }


def protected(record: Record) -> set[str]:
    return {resource.name for resource in record.resources.values() if resource.options.get("protect")}


def test_the_platform_stays_on_demand_and_what_is_protected_stays_so(dev: Advised, folder: Path) -> None:
    stack = stack_of("dev")
    before = ran(folder, stack)
    assert protected(before)
    for one in all_advice(dev):
        after = ran(folder, written(stack, one))
        assert platform(after) == platform(before)
        assert protected(after) == protected(before)


def test_another_region_and_less_support_are_left_to_people(dev: Advised) -> None:
    assert any(one.alone and "tier" in one.sentence for one in dev.advice)
    [region] = (it for it in dev.unknown if "region" in it.partition(":")[0])
    assert region.startswith(
        "the region northeurope instead of westeurope: for cpuspot it rests on assumed: 21 % of the price on demand, "
        "the bill now on assumed: 18 % of the price on demand, as quoted in the region, which can't be compared"
    )
    assert dev.together
    text = "\n".join(dev.together.lines)
    assert "location" not in text
    assert "tier" not in text


def test_a_stack_of_production_is_never_stopped_and_keeps_a_node_in_each_zone(prod: Advised) -> None:
    text = "\n".join(line for one in all_advice(prod) for line in one.lines)
    assert "officeHours" not in text
    assert "minCount: 2" not in text
    assert "Free" not in text


def test_a_reservation_is_bought_for_what_the_other_changes_leave(prod: Advised, dev: Advised) -> None:
    alone = "a reservation of 1 year for 3 D4s_v5 and 3 D16s_v5, which are always there"
    assert alone in {one.sentence for one in prod.advice if not one.alone}
    assert prod.together
    assert prod.changes[-1][0].startswith("a reservation of 1 year for ")
    then = written(stack_of("prod"), prod.together)
    sizes = {then["systemPool"].get("vmSize", "Standard_D4s_v5"), then["pools"]["general"]["vmSize"]}
    assert then["cost"]["commitments"].keys() == sizes
    assert {one.sentence[:24] for one in prod.advice if one.alone} >= {"a reservation of 3 years"}
    assert any("reservation of 1 year" in one.sentence for one in dev.advice)
    assert not any("reservation" in sentence for sentence, _ in dev.changes)  # its nodes stop at night


def test_the_command_tells_it_below_the_bill_and_its_json_keeps_its_contract(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    tree(folder, stack_of("dev"))
    real, made = command.advise, list[Advised]()

    def once(*arguments: Any) -> Advised:  # both forms show the same advice, which takes seconds
        made[:] = made or [real(*arguments)]
        return made[0]

    monkeypatch.setattr(command, "advise", once)
    assert main(["made", "--root", str(folder), "--offline", "--advise"]) == 0
    bill, _, advice = capsys.readouterr().out.partition("\nWhat would lower it\n")
    assert "whole stack" in bill
    assert "All of these together" in advice
    assert "  kubeflow-aks:officeHours:" in advice

    assert main(["made", "--root", str(folder), "--offline", "--advise", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    VALID.validate(result)
    assert result["advice"]["each"][0]["before"] == result["monthly"]


@pytest.mark.parametrize("more", [["--plan", "plan.json"], ["--format", "svg"]])
def test_advice_needs_a_stack_file_and_is_no_picture(
    more: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "plan.json").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["dev", "--root", str(PROJECT_ROOT), "--advise", *more]) == 2
    assert "leave out --plan and --format svg" in capsys.readouterr().err
