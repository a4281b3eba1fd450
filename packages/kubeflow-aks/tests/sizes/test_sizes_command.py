"""`kubeflow-aks sizes`: VM sizes side by side."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from aks_facts import vm_sizes
from kubeflow_aks.cli.process import main
from kubeflow_aks.cost.prices import open_market
from kubeflow_aks.sizes import command as sizes_command
from kubeflow_aks.sizes.report import SCHEMA
from tests.clients.az_placement import FORBIDDEN, installed, words
from tests.cost.prices.azure import Azure, row, served, spot

VALIDATOR: Any = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
USAGE = json.dumps(
    [
        {"currentValue": "8", "limit": "100", "name": {"value": "standardNCASv3_T4Family"}},
        {"currentValue": "0", "limit": "50", "name": {"value": "lowPriorityCores"}},
    ]
)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Azure's price list nor an `az` of the user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def listed(words: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    assert main(["sizes", *words.split(), "--format", "json"]) == code
    document = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(document)
    return document


def test_offline_the_catalogue_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = listed("--offline --vcpus 8 --memory 32 --location northeurope", capsys)
    assert (len(sizes["sizes"]), sizes["region"]) == (20, "northeurope")
    assert sizes["matching"] > 20
    for size in sizes["sizes"]:
        fact = vm_sizes()[size["name"]]
        assert (fact.vcpus, fact.gpus, fact.architecture) == (8, 0, "x64")
        assert fact.memory_gib >= 32
        assert fact.spot is not False
        assert size["spot"]["expected"] < size["onDemand"]["expected"]
        assert size["score"] is size["quota"] is size["evictionsPerHour"] is None
    prices = [size["spot"]["expected"] for size in sizes["sizes"]]
    assert prices == sorted(prices)
    assert sizes["notes"] == ["Scores and quota are not queried: --offline."]


def test_gpus_are_nvidias_and_compared_by_the_price_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = listed("--offline --gpu --most 100", capsys)
    assert len(sizes["sizes"]) == sizes["matching"]
    assert all(size["gpu"].startswith("NVIDIA ") for size in sizes["sizes"])
    prices = [size["spot"]["expected"] / size["gpus"] for size in sizes["sizes"]]
    assert prices == sorted(prices)


def test_arm_is_listed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = listed("--offline --arm --vcpus 8", capsys)
    assert {size["architecture"] for size in sizes["sizes"]} == {"arm64"}


def test_columns_that_were_not_queried_say_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "118")
    assert main(["sizes", "--vcpus", "8", "--most", "3", "--offline"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "VM sizes for spot pools in westeurope, the 3 cheapest on demand" in lines[0]
    assert [line.count("not queried") for line in lines[3:6]] == [3, 3, 3]


def test_azures_answers_stand_beside_the_prices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    size = "Standard_NC4as_T4_v3"
    family = vm_sizes()[size].family
    log = installed(
        tmp_path / "bin",
        usage=USAGE.replace("standardNCASv3_T4Family", family),
        scores={size: "Medium"},
        lacks=(size,),
    )
    azure = Azure([row(size, "westeurope", 0.6), spot(size, "westeurope", 0.2)])
    with served(azure) as address:
        monkeypatch.setattr(sizes_command, "open_market", partial(open_market, address=address))
        sizes = listed("--gpu --vcpus 4 --count 6", capsys)
        assert main(["sizes", "--gpu", "--vcpus", "4", "--count", "6"]) == 0
    [first, *_] = sizes["sizes"]
    assert (first["name"], first["onDemand"]["expected"], first["spot"]["expected"]) == (size, 0.6, 0.2)
    assert first["score"] == {"score": "Medium", "quotaAvailable": False}
    assert first["quota"] == {"used": 8, "limit": 100}
    assert sizes["spotQuota"] == {"used": 0, "limit": 50}
    shown = " ".join(capsys.readouterr().out.split())
    assert "Quota of all spot VMs, in vCPU: 50 of 50 free" in shown
    assert "A score is for 6 spot VMs at once: a snapshot, no promise." in shown
    assert "role Compute Recommendations Role" in shown
    [request, *_] = [line for line in words(log) if line[0] == "compute-recommender"]
    assert request[request.index("--desired-count") + 1] == "6"


@pytest.mark.parametrize("role", [True, False])
def test_a_missing_right_leaves_the_rest(
    *, role: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Signed in without the role, and not signed in at all."""
    installed(tmp_path / "bin", usage=USAGE if role else "", error=FORBIDDEN)
    with served(Azure()) as address:
        monkeypatch.setattr(sizes_command, "open_market", partial(open_market, address=address))
        sizes = listed("--vcpus 8 --most 2", capsys)
    assert [size["score"] for size in sizes["sizes"]] == [None, None]
    assert (sizes["spotQuota"] is not None) == role
    reason = (
        "it needs the role Compute Recommendations Role" if role else "not the output of `az vm list-usage"
    )
    assert any(reason in note for note in sizes["notes"])


def test_nothing_matches(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed("--offline --vcpus 3", capsys, code=1)["sizes"] == []
    assert main(["sizes", "--offline", "--vcpus", "3"]) == 1
    assert capsys.readouterr().out == "No VM size in westeurope matches.\n"


def test_an_unknown_region_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sizes", "--offline", "--location", "narnia"]) == 2
    assert capsys.readouterr().err == (
        "error: --location: narnia is not allowed; expected a region of Azure's public cloud, such as westeurope\n"
    )


BLOCK = """\
config:
  kf:location: westeurope
  kf:pools:
    one: {priority: Spot, vmSizes: [Standard_D8s_v5], maxCount: 3}
    cpuspot:
      priority: Spot # cheap
      maxCount: 10
      vmSizes: # vmSizes by Azure's placement score of 2026-01-01
        - Standard_D8ds_v5
        - Standard_D8ads_v5 # AMD
        - Standard_D8as_v5"""
FLOW = "config:\n  location: westeurope\n  pools: {cpuspot: {vmSizes: [%s], priority: Spot, maxCount: 10}}\n"
SIZES = ("Standard_D8ds_v5", "Standard_D8ads_v5", "Standard_D8as_v5")
SCORES = {"Standard_D8ds_v5": "Low", "Standard_D8as_v5": "DataNotFoundOrStale"}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            BLOCK,
            BLOCK.replace(" # vmSizes by Azure's placement score of 2026-01-01", "  # <note>")
            .replace("- Standard_D8ds_v5", "- x")
            .replace("Standard_D8ads_v5 # AMD", "Standard_D8ds_v5")
            .replace("- x", "- Standard_D8ads_v5 # AMD"),
        ),
        (
            FLOW % ", ".join(SIZES),
            f"{FLOW[:-1] % 'Standard_D8ads_v5, Standard_D8ds_v5, Standard_D8as_v5'}  # <note>\n",
        ),
    ],
    ids=["block", "flow"],
)
def test_the_order_by_score_is_written_with_its_day(
    text: str, after: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: kf\nruntime: python\n", encoding="utf-8")
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(text, encoding="utf-8")
    log = installed(tmp_path / "bin", scores=SCORES)
    command = ["sizes", "--order", "dev", "--root", str(tmp_path)]
    assert main(command) == 1
    assert file.read_text(encoding="utf-8") == text
    assert capsys.readouterr().out.splitlines() == [
        (
            "cpuspot in westeurope, 10 spot VMs at once: Standard_D8ads_v5 (High), Standard_D8ds_v5 (Low), "
            "Standard_D8as_v5 (no recent data)"
        ),
        "Another order than in the stack file: cpuspot. Take it over with --write.",
    ]
    assert main([*command, "--write"]) == 0
    note = f"vmSizes by Azure's placement score of {datetime.now(UTC).date()}"
    assert file.read_text(encoding="utf-8") == after.replace("<note>", note)
    assert main(command) == 0
    assert {line[line.index("--desired-count") + 1] for line in words(log)} == {"10"}


@pytest.mark.parametrize(
    ("text", "more", "refusal"),
    [
        (FLOW % SIZES[0], [], "expected a stack whose file has a spot pool with several vmSizes"),
        (
            FLOW.replace("location", "odd") % ", ".join(SIZES),
            [],
            "expected a stack whose file has a location",
        ),
        (FLOW % ", ".join(SIZES), ["--offline"], "leave out --offline and --format"),
    ],
)
def test_an_order_that_cannot_be_had_is_refused(
    text: str, more: list[str], refusal: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: kf\nruntime: python\n", encoding="utf-8")
    (tmp_path / "Pulumi.dev.yaml").write_text(text, encoding="utf-8")
    assert main(["sizes", "--order", "dev", "--root", str(tmp_path), *more]) == 2
    assert refusal in " ".join(capsys.readouterr().err.split())


def test_without_scores_there_is_no_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: kf\nruntime: python\n", encoding="utf-8")
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(FLOW % ", ".join(SIZES), encoding="utf-8")
    installed(tmp_path / "bin", error=FORBIDDEN)
    assert main(["sizes", "--order", "dev", "--root", str(tmp_path), "--write"]) > 1
    assert "it needs the role Compute Recommendations Role" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == FLOW % ", ".join(SIZES)
