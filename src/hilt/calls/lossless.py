"""Whether reading can alter a value, seen in pydantic's own schema of its type: what cannot needs no proof a call."""

from collections.abc import Callable, Mapping

from hilt.declarations.schema import Schema, is_array, is_object

_CHANGES_TEXT = ("strip_whitespace", "to_lower", "to_upper")
_CHANGES_MODELS = ("serialization", "custom_init", "post_init", "root_model", "computed_fields")
_OTHER_NAMES = ("validation_alias", "serialization_alias", "serialization_exclude")
_ANY: Mapping[str, object] = {"type": "any"}


def lossless(schema: object) -> bool:
    """Whether a strict reader of this schema gives back every JSON value it takes; False where that is not plain.

    A float is not: an integer of four hundred digits is read as infinity.
    """
    if not is_object(schema) or any(schema.get(name) for name in _CHANGES_MODELS):
        return False
    config = schema.get("config")
    if is_object(config) and any(config.get(f"str_{name}") for name in _CHANGES_TEXT):
        return False
    judge = _JUDGES.get(str(schema.get("type")))
    return judge is not None and judge(schema)


def _text(schema: Schema) -> bool:
    return not any(schema.get(name) for name in _CHANGES_TEXT)


def _literal(schema: Schema) -> bool:
    return all(isinstance(each, (str, int, type(None))) for each in _listed(schema.get("expected")))


def _map(schema: Schema) -> bool:
    keys = schema.get("keys_schema")
    return (
        is_object(keys) and keys.get("type") == "str" and lossless(keys) and lossless(schema.get("values_schema", _ANY))
    )


def _fields(schema: Schema) -> bool:
    fields = schema.get("fields")
    return is_object(fields) and all(
        is_object(field) and not any(name in field for name in _OTHER_NAMES) and lossless(field.get("schema"))
        for field in fields.values()
    )


def _inner(schema: Schema) -> bool:
    return lossless(schema.get("schema"))


def _always(schema: Schema) -> bool:
    del schema
    return True


_JUDGES: Mapping[str, Callable[[Schema], bool]] = {
    "str": _text,
    **dict.fromkeys(("int", "bool", "none", "any"), _always),
    "literal": _literal,
    "list": lambda schema: lossless(schema.get("items_schema", _ANY)),
    "dict": _map,
    "union": lambda schema: all(map(lossless, _listed(schema.get("choices")))),
    **dict.fromkeys(("nullable", "default", "model"), _inner),
    **dict.fromkeys(("typed-dict", "model-fields"), _fields),
}


def _listed(value: object) -> list[object]:
    return value if is_array(value) else []
