"""The page of settings and the `config:` block of Pulumi.yaml, generated from the models."""

import json
import shutil
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.stack_files import read_stack
from kubeflow_aks.text.generated import main
from program.settings import Settings, SettingsError, parse
from program.settings.reference import PAGE, PROJECT_FILE, page

_MODULE = "program.settings.reference"

TAGS = {"tags": {"owner": "me", "environment": "trial"}}


def declared() -> dict[str, dict[str, Any]]:
    return yaml.safe_load((PROJECT_ROOT / PROJECT_FILE).read_text(encoding="utf-8"))["config"]


def leaves(value: Any, path: str = "") -> list[str]:
    if not isinstance(value, dict) or not value:
        return [path]
    items = cast(dict[str, Any], value).items()
    return [leaf for key, item in items for leaf in leaves(item, f"{path}.{key}" if path else key)]


def test_the_generated_files_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", _MODULE]) == 0, capsys.readouterr().out


def test_a_stale_file_is_reported_and_then_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(PROJECT_ROOT / PROJECT_FILE, tmp_path)
    assert main(["--check", _MODULE], tmp_path) == 1
    assert not (tmp_path / PAGE).exists()
    assert main(["--write", _MODULE], tmp_path) == 0
    assert main(["--check", _MODULE], tmp_path) == 0
    assert capsys.readouterr().out == f"{PAGE}: stale; run make docs\n{PAGE}: written\n"


def test_every_setting_is_on_the_page() -> None:
    text = page()
    everything = Settings.model_validate_json(json.dumps(TAGS)).model_dump(mode="json", by_alias=True)
    pools = everything.pop("pools")["cpuspot"]
    keys = [*leaves(everything), *(f"pools.<name>.{key}" for key in leaves(pools))]
    assert [key for key in keys if f"`{key}`" not in text and f"## {key}\n" not in text] == []


def test_a_row_has_limits_default_unit_and_source() -> None:
    row = next(
        line for line in page().splitlines() if line.startswith("| `kubernetes.maintenance.durationHours`")
    )
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "`kubernetes.maintenance.durationHours`",
        "whole number from 4 to 24",
        "`6`",
        "hours",
        "Length of the window.",
        "planned-maintenance.md: 4 to 24",
    ]


def test_every_table_has_as_many_cells_in_each_row() -> None:
    rows = [line.replace("\\|", "") for line in page().splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {7}


def test_pulumi_yaml_declares_every_key_with_type_and_description() -> None:
    assert list(declared()) == [field.alias for field in Settings.model_fields.values()]
    for key, declaration in declared().items():
        assert declaration["type"] in {"string", "integer", "boolean", "array", "object"}, key
        assert declaration["description"], key


def test_only_what_a_stack_must_say_has_no_default() -> None:
    assert [key for key, declaration in declared().items() if "default" not in declaration] == ["tags"]


def test_the_declared_defaults_are_the_models_own() -> None:
    defaults = {
        key: declaration["default"] for key, declaration in declared().items() if "default" in declaration
    }
    assert parse(defaults | TAGS) == parse(TAGS)


def test_a_default_has_the_declared_type() -> None:
    types = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
    for key, declaration in declared().items():
        if "default" in declaration:
            assert type(declaration["default"]) is types[declaration["type"]], key


@pytest.mark.parametrize("key", ["asOf", "ssh"])
def test_a_key_that_is_left_out_by_its_default_may_still_be_set_wrongly(key: str) -> None:
    with pytest.raises(SettingsError):
        parse(TAGS | {key: "nonsense"})


def test_an_empty_value_stands_for_left_out_only_where_null_is_the_default() -> None:
    assert parse(TAGS | {"asOf": "", "ssh": {}}) == parse(TAGS)
    with pytest.raises(SettingsError, match=r"^location: ") as caught:
        parse(TAGS | {"location": ""})
    assert len(caught.value.problems) == 1


def test_a_stack_gets_the_declared_defaults(tmp_path: Path) -> None:
    shutil.copy(PROJECT_ROOT / PROJECT_FILE, tmp_path)
    (tmp_path / "Pulumi.trial.yaml").write_text("config: {}", encoding="utf-8")
    values = read_stack(tmp_path, "trial").values
    assert values["kubeflow-aks:location"] == "westeurope"
    assert json.loads(values["kubeflow-aks:gpu"]) == {"driver": "Install", "plugin": "devicePlugin"}
    assert "kubeflow-aks:tags" not in values
