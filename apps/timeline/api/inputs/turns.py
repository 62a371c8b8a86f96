"""What callers may send of a turn."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer

from apps.core.http.input.fields import ObjectField, SaidField
from apps.timeline.api.inputs.states import StateField, WriteInput

_COUNT = {"type": ["integer", "null"], "minimum": 0}


@extend_schema_field(
    {
        "type": "object",
        "description": "What the turn used, as far as it is known.",
        "properties": {
            "input_tokens": _COUNT,
            "output_tokens": _COUNT,
            "cached_tokens": _COUNT | {"description": "A part of the input's."},
            "cost": {"type": ["string", "null"], "description": "Decimal text."},
            "currency": {"type": ["string", "null"], "pattern": "^[A-Z]{3}$"},
        },
        "additionalProperties": False,
    }
)
class UsageField(ObjectField):
    """What a turn used; the operation says what of it cannot be."""


@extend_schema_serializer(component_name="AddTurn")
class TurnInput(WriteInput):
    """One exchange, and the state it left."""

    input = SaidField()
    output = SaidField()
    metadata = ObjectField()
    state_before = StateField()
    state_after = StateField()
    usage = UsageField()
