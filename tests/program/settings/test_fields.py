"""Every setting says what it is, in which unit, and where it comes from; every model is closed and frozen."""

from collections.abc import Iterator
from typing import Any, Literal, cast, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from program.settings import Settings, UserPool
from program.settings._model import SettingsModel
from program.settings.root import Tags


def models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """A model and every model its fields hold."""
    yield model
    for field in model.model_fields.values():
        for kind in concrete(field.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from models(kind)


def concrete(annotation: Any) -> Iterator[Any]:
    """The types inside an annotation, the values of a Literal aside."""
    inner = () if get_origin(annotation) is Literal else get_args(annotation)
    if not inner:
        yield annotation
    for part in inner:
        yield from concrete(part)


def derived(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The models that stand in no other's bases, and those that are not there for that."""
    for inner in model.__subclasses__():
        yield from derived(inner)
        if not inner.__subclasses__() or inner in MODELS:
            yield inner


MODELS = list(dict.fromkeys(models(Settings)))
FIELDS = {f"{m.__name__}.{name}": field for m in MODELS for name, field in m.model_fields.items()}


def extra(field: FieldInfo) -> dict[str, str]:
    return cast(dict[str, str], field.json_schema_extra)


def test_every_model_is_found() -> None:
    assert set(MODELS) == {
        model for model in derived(SettingsModel) if model.__module__.startswith("program.settings.")
    }


def test_every_field_has_a_sentence_about_it() -> None:
    assert [name for name, field in FIELDS.items() if not (field.description or "").endswith(".")] == []


def test_every_field_has_a_source() -> None:
    assert [name for name, field in FIELDS.items() if not extra(field)["source"]] == []


def test_every_pattern_has_words() -> None:
    patterns = {
        name: next(limit.pattern for limit in field.metadata if hasattr(limit, "pattern"))
        for name, field in FIELDS.items()
        if any(getattr(limit, "pattern", None) for limit in field.metadata)
    }
    assert len(patterns) > 10
    assert [name for name in patterns if not extra(FIELDS[name])["form"]] == []
    assert [name for name, field in FIELDS.items() if set("^$[]\\?*") & set(extra(field)["form"])] == []


def test_every_number_has_a_unit() -> None:
    numbers = {
        name: field for name, field in FIELDS.items() if {int, float} & set(concrete(field.annotation))
    }
    assert len(numbers) > 10
    assert [name for name, field in numbers.items() if not extra(field)["unit"]] == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_model_is_frozen_and_takes_no_other_form(model: type[BaseModel]) -> None:
    assert model.model_config.get("frozen")
    assert model.model_config.get("strict")


@pytest.mark.parametrize("model", [m for m in MODELS if m is not Tags], ids=lambda model: model.__name__)
def test_a_model_takes_no_unknown_key(model: type[BaseModel]) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        model.model_validate({"no_such_key": 1})


def test_any_further_key_of_tags_is_a_tag() -> None:
    tags = Tags.model_validate({"owner": "ml", "environment": "dev", "costCentre": "4711"})
    assert tags.as_dict() == {"owner": "ml", "environment": "dev", "costCentre": "4711"}


@pytest.mark.parametrize("price", [-1, 0.00001, 0.12345, 3, 98765.4321, None])
def test_a_price_is_minus_one_or_positive_with_up_to_five_decimals(price: float | None) -> None:
    assert UserPool(vm_size="Standard_D8ds_v5", max_count=1, max_price=price).max_price == price


@pytest.mark.parametrize("price", [0, -0.5, -2, 0.000001, 0.123456])
def test_any_other_price_is_refused(price: float) -> None:
    with pytest.raises(
        ValidationError, match="-1, or a price in USD per hour above 0 with at most 5 decimals"
    ):
        UserPool(vm_size="Standard_D8ds_v5", max_count=1, max_price=price)
