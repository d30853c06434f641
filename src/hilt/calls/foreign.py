"""Validators for JSON Schemas that somebody else wrote."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hilt.errors import DeclarationError

if TYPE_CHECKING:
    from jsonschema_rs import Validator


def schema_validator(schema: Mapping[str, object], tool: str) -> "Validator":
    """A validator for a schema without open references. Raises `DeclarationError` where it is no schema."""
    import jsonschema_rs  # lazy: only tools with a foreign schema need it

    try:
        return jsonschema_rs.validator_for(dict(schema), validate_formats=False)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        problem = getattr(error, "message", None) or str(error).splitlines()[0]
        raise DeclarationError(
            f"{tool}: its schema is no JSON Schema: {problem}", "correct it where it is written"
        ) from None
