"""What callers may send to roll back, and to take that back."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import FlagField, TextField, WholeNumberField
from apps.timeline.api.inputs.states import HeadInput
from apps.timeline.words import Crossing

# What says which version to roll back to.
TARGETS = ("version", "count", "turn_id")
# What a rollback that goes behind effects does.
ON_EFFECTS = ("record", "refuse")


@extend_schema_serializer(component_name="Rollback")
class RollbackInput(HeadInput):
    """Which version to restore with all its parts, and why."""

    synonyms = {**HeadInput.synonyms, "targetTurnId": "turn_id"}
    refused = {
        "paths": "a rollback restores a version whole; PATCH sets single values back.",
        "turn_count": "how far turns reach back is not certain where states are sent "
        "apart from them; give `count` (of versions), `turn_id` or `version`.",
    }

    version = WholeNumberField(
        min_value=-(2**31),
        help_text="The number to restore; -1 is the version before the head. "
        "Needed, unless `count` or `turn_id` says which.",
    )
    count = WholeNumberField(
        min_value=1, max_value=2**31, help_text="So many versions back from the head."
    )
    turn_id = TextField(
        allow_blank=False,
        help_text="To the version that was the head once this turn was recorded.",
    )
    targetTurnId = TextField(allow_blank=False, help_text="Another name for `turn_id`.")
    reason = TextField(help_text="Why; kept as the reasoning of the new version.")
    reason_code = TextField(help_text="A short code for statistics.")
    on_effects = TextField(
        help_text="refuse: 409 `effects_crossed` where the agent did something outside "
        "that the restored state does not know of; record, as if unset: what is owed "
        "for it is listed under `compensations`."
    )
    hold = FlagField(help_text="Pause the session as well.")
    migrate_to = TextField(
        allow_blank=False,
        help_text="Migrate the restored state to this schema in the same batch: a "
        "second version, stored with the first or not at all.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Have exactly one of the three say which version."""
        attrs["turn_id"] = attrs.get("turn_id") or attrs.pop("targetTurnId", None)
        given = [name for name in TARGETS if attrs.get(name) is not None]
        if not given:
            raise serializers.ValidationError({"version": "This field is required."})
        if len(given) > 1:
            message = f"Give one of {', '.join(TARGETS)}."
            raise serializers.ValidationError({given[-1]: message})
        return attrs

    def to(self) -> int | None:
        """Return the number to restore; None where a turn says which."""
        count: int | None = self.validated_data.get("count")
        number: int | None = self.validated_data.get("version")
        return number if count is None else -count

    def crossing(self) -> Crossing:
        refuses = self.validated_data.get("on_effects") == "refuse"
        return Crossing.NOTHING_OWED if refuses else Crossing.ANYTHING

    def validate_on_effects(self, value: str | None) -> str | None:
        if value not in (None, *ON_EFFECTS):
            raise serializers.ValidationError(f"This takes {' or '.join(ON_EFFECTS)}.")
        return value

    def validate_reason_code(self, value: str | None) -> str | None:
        return value or None


@extend_schema_serializer(component_name="Undo")
class UndoInput(HeadInput):
    """Which rollback to take back, and why."""

    version = WholeNumberField(
        min_value=0,
        help_text="The rollback's own number; the head's if unset, and 409 if that "
        "moves meanwhile.",
    )
    reason = TextField(help_text="Why; kept as the reasoning of the new version.")
