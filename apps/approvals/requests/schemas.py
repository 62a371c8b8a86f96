"""What arguments may be: a JSON Schema that came with the request.

The schema is an agent's, so it is hostile: see `core.json.schemas`.
"""

from __future__ import annotations

from typing import Any

from apps.approvals.errors import UnacceptableApproval, UnacceptableArguments
from apps.core.json.schemas import NotASchema, Shape


def require_schema(schema: dict[str, Any]) -> None:
    """Raises: UnacceptableApproval for what is no schema, or leads elsewhere."""
    _shape(schema)


def require_passing(schema: dict[str, Any] | None, arguments: Any) -> None:
    """Raises: UnacceptableArguments, with the places that do not pass."""
    if schema is None:
        return
    faults = _shape(schema).faults(arguments, at="/arguments")
    if faults:
        places = ", ".join(one["param"] for one in faults[:3])
        raise UnacceptableArguments(
            f"The arguments do not pass the schema of the request: {places}.",
            param=faults[0]["param"],
            errors=faults,
        )


def _shape(schema: dict[str, Any]) -> Shape:
    try:
        return Shape(schema)
    except NotASchema as refused:
        raise UnacceptableApproval(
            refused.message, param=f"/schema{refused.at}"
        ) from None
