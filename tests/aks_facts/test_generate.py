"""The table of VM sizes from what `az vm list-skus` answers. Records: the SKU API in Karpenter's tests, 2023-12-12."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aks_facts._table import HERE, rows
from aks_facts.generate import main, renewed

D2S_V3 = {
    "MaxResourceVolumeMB": "16384",
    "vCPUs": "2",
    "vCPUsAvailable": "2",
    "MemoryGB": "8",
    "CpuArchitectureType": "x64",
    "LowPriorityCapable": "True",
    "PremiumIO": "True",
    "CachedDiskBytes": "53687091200",
    "EphemeralOSDiskSupported": "True",
    "EncryptionAtHostSupported": "True",
}
D2_V5 = D2S_V3 | {"MaxResourceVolumeMB": "0", "PremiumIO": "False", "EphemeralOSDiskSupported": "False"}
NEW = D2S_V3 | {
    "MemoryGB": "218.75",
    "GPUs": "1",
    "NvmeDiskSizeInMiB": "112640",
    "CpuArchitectureType": "Arm64",
}


def sku(name: str, family: str, sentence: dict[str, str], kind: str = "virtualMachines") -> dict[str, Any]:
    """One entry of the answer."""
    capabilities = [{"name": key, "value": value} for key, value in sentence.items()]
    return {"name": f"Standard_{name}", "family": family, "resourceType": kind, "capabilities": capabilities}


ANSWER = [
    sku("D2s_v3", "standardDSv3Family", D2S_V3),
    sku("D2_v5", "standardDv5Family", D2_V5),
    sku("ND2pds_v9", "standardNDpdsv9Family", NEW | {"LowPriorityCapable": "False"}),
    sku("ND2pds_v9", "standardNDpdsv9Family", NEW),  # another region
    sku("ND2pds_v9", "standardNDpdsv9Family", NEW | {"LowPriorityCapable": "False"}),
    sku("B1s", "standardBSFamily", D2S_V3 | {"vCPUsAvailable": "1", "MemoryGB": "1"}),
    sku("NC6s_v3", "standardNCSv3Family", D2S_V3),  # retired, though the API still lists it
    {"name": "Premium_LRS", "resourceType": "disks", "capabilities": None},
]
FACTS = sorted({*rows("vm_sizes")[0]} - {"source"})


def test_what_azure_answers_is_what_the_table_says() -> None:
    listed = {row["name"]: row for row in rows("vm_sizes")}
    names = {entry["name"] for entry in ANSWER[:2]}
    for row in renewed([listed[str(name)] for name in names], ANSWER[:2]):
        ours = listed[row["name"]]
        assert {key: row[key] for key in FACTS} == {key: ours[key] for key in FACTS}


def test_a_new_size_is_added_with_what_azure_says() -> None:
    table = {row["name"]: row for row in renewed([], ANSWER)}
    assert set(table) == {"Standard_D2s_v3", "Standard_D2_v5", "Standard_ND2pds_v9"}
    new = table["Standard_ND2pds_v9"]
    assert (new["memory_gib"], new["architecture"], new["gpus"], new["nvme_gib"]) == (
        "218.75",
        "arm64",
        "1",
        "110",
    )
    assert (new["spot"], new["mig"], new["gpu_model"]) == ("yes", "", "")


def test_what_azure_does_not_say_is_kept() -> None:
    t4 = next(row for row in rows("vm_sizes") if row["name"] == "Standard_NC4as_T4_v3")
    [row] = renewed([t4], [sku("NC4as_T4_v3", "Standard NCASv3_T4 Family", D2S_V3 | {"GPUs": "1"})])
    assert (row["gpu_model"], row["gpu_memory_gib"], row["mig"]) == ("NVIDIA T4", "16", "no")
    assert (row["memory_gib"], row["source"]) == ("8", "K/K/K")


def test_the_file_keeps_its_head_and_what_changed_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Path(shutil.copy(HERE / "vm_sizes.csv", tmp_path))
    before = table.read_text(encoding="utf-8").splitlines()
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(ANSWER)))
    assert main([], table) == 0
    after = table.read_text(encoding="utf-8").splitlines()
    assert [line for line in after if line not in before] == [
        "Standard_D2s_v3,standardDSv3Family,2,8,x64,0,,,no,50,16,0,yes,yes,yes,yes,2029-11-15,K/K/K",
        "Standard_D2_v5,standardDv5Family,2,8,x64,0,,,no,0,0,0,no,no,yes,yes,,K/K/K",
        "Standard_ND2pds_v9,standardNDpdsv9Family,2,218.75,arm64,1,,,,50,16,110,yes,yes,yes,yes,,K/K/K",
    ]
    assert len(after) == len(before) + 1
    result = capsys.readouterr().out.split()
    assert result == ["changed", "Standard_D2s_v3", "changed", "Standard_D2_v5", "new", "Standard_ND2pds_v9"]


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '[{"name": "x"}]'])
def test_another_answer_writes_nothing(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Path(shutil.copy(HERE / "vm_sizes.csv", tmp_path))
    before = table.read_bytes()
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main([], table) == 1
    assert table.read_bytes() == before
    assert "nothing is written" in capsys.readouterr().err
