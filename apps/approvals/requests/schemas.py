"""What arguments may be: a JSON Schema that came with the request.

The schema is an agent's, so it is hostile: nothing is fetched for it, a pattern takes
linear time, and of arguments that do not pass only the places are said.
"""

from __future__ import annotations

from typing import Any, NoReturn

import jsonschema_rs

from apps.approvals.errors import UnacceptableApproval, UnacceptableArguments
from apps.core import json

# So many places at fault are named.
MOST_NAMED = 20
# Keywords that lead to another schema.
_LEADING = ("$ref", "$dynamicRef", "$recursiveRef")
_PATTERNS = jsonschema_rs.RegexOptions(size_limit=1 << 20)


def require_schema(schema: dict[str, Any]) -> None:
    """Raises: UnacceptableApproval for what is no schema, or leads elsewhere."""
    _require_own(schema, ["schema"])
    _validator(schema)


def require_passing(schema: dict[str, Any] | None, arguments: Any) -> None:
    """Raises: UnacceptableArguments, with the places that do not pass."""
    if schema is None:
        return
    faults = []
    for error in _validator(schema).iter_errors(arguments):
        keyword = str(error.schema_path[-1]) if error.schema_path else "schema"
        at = json.pointer(["arguments", *map(str, error.instance_path)])
        faults.append(
            {"param": at, "message": f"It does not pass {json.cleaned(keyword)}."}
        )
        if len(faults) == MOST_NAMED:
            break
    if faults:
        places = ", ".join(one["param"] for one in faults[:3])
        raise UnacceptableArguments(
            f"The arguments do not pass the schema of the request: {places}.",
            param=faults[0]["param"],
            errors=faults,
        )


def _validator(schema: dict[str, Any]) -> Any:
    try:
        return jsonschema_rs.validator_for(
            schema, retriever=_refuse, pattern_options=_PATTERNS
        )
    except (ValueError, TypeError, OverflowError, jsonschema_rs.ReferencingError):
        raise UnacceptableApproval(
            "This is no JSON Schema that can be read.", param="/schema"
        ) from None


def _refuse(uri: str) -> NoReturn:
    raise ValueError("Nothing is fetched for a schema.")


def _require_own(value: Any, place: list[str]) -> None:
    """Refuse what leads out of the document; depth was bounded as it was read."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name in _LEADING and not (isinstance(one, str) and one[:1] == "#"):
                raise UnacceptableApproval(
                    "A reference leads into the schema itself: #/….",
                    param=json.pointer([*place, name]),
                )
            _require_own(one, [*place, name])
    elif isinstance(value, list):
        for index, one in enumerate(value):
            _require_own(one, [*place, str(index)])
