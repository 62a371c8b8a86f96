"""What callers may send, field by field; every optional field accepts null."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core import json
from apps.core.errors import InvalidRequest
from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    ListField,
    ObjectField,
    OpaqueField,
    SaidField,
    TextField,
    WholeNumberField,
)
from apps.core.http.input.patches import OperationsField
from apps.timeline.api.summaries.inputs import SummaryChoice
from apps.timeline.bodies import Part, bundles
from apps.timeline.versions.reading import Step
from apps.timeline.words import Crossing

# Each removal from a list moves what stands behind it: a million of them, which fit
# into one request, would take hours.
MOST_REMOVALS = 1_000
# What says which version to roll back to.
TARGETS = ("version", "count", "turn_id")
# What a rollback that goes behind effects does.
ON_EFFECTS = ("record", "refuse")
# What always fits the column, and never int()'s own limit of digits.
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


class StateField(ObjectField):
    """A state, held to the rules of states here, where its own name is known."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        return json.check(data, at=f"/{self.field_name}")


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


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class PointersField(ListField):
    """JSON pointers."""


class StoryInput(InputSerializer):
    """The story around a version."""

    synonyms = {"reason": "reasoning"}
    # Whether `external_id` names the version; on a create it names the session.
    names_version: ClassVar[bool] = False

    reasoning = TextField(help_text="Why this change was made.")
    reason = TextField(help_text="Another name for `reasoning`.")
    trace_id = TextField(help_text="Your trace id; ours is made without one.")
    step_number = WholeNumberField(min_value=0)
    parent_id = TextField(help_text="Your id of the step this one follows.")
    objective_status = TextField(help_text="e.g. In Progress, WAITING_FOR_APPROVAL")
    schema_version = TextField(help_text="The version of your state's format.")
    release = TextField(help_text="The release of your agent.")
    model = TextField(help_text="The model that decided.")

    def step(self) -> Step:
        """Return the step metadata that was sent."""
        given = self.validated_data
        return Step(
            reasoning=given.get("reasoning") or given.get("reason"),
            trace_id=given.get("trace_id") or None,
            external_id=given.get("external_id") if self.names_version else None,
            step_number=given.get("step_number"),
            step_parent_id=given.get("parent_id"),
            objective_status=given.get("objective_status"),
            schema_version=given.get("schema_version"),
            release=given.get("release"),
            model=given.get("model"),
        )


class StepInput(StoryInput):
    """The story around a state, and the other parts of a checkpoint."""

    refused = {
        "environment": "what an agent runs in is not kept; name it in `artifacts`.",
    }

    messages = ListField()
    tool_results = ObjectField(help_text="Results by tool call id.")
    model_params = ObjectField(help_text="model, version, temperature, seed, ...")
    tasks = ListField(help_text="Tasks with their status.")
    artifacts = ListField(help_text="References to files and blobs.")
    facts = ListField(
        help_text="What the agent remembers of the world: `key`, `value`, `source`, "
        "`observed_at`, `max_age` in seconds, `tolerance`."
    )
    opaque = OpaqueField()

    def parts(self) -> tuple[Part, ...]:
        """Return the other parts of the checkpoint that were sent."""
        return bundles.named_parts(self.validated_data)


class HeadInput(StoryInput):
    """What every version takes that is built on a head."""

    names_version = True

    external_id = TextField(help_text="Your id of this version, unique in the session.")
    expected_version = WholeNumberField(
        min_value=0, help_text="The head you built on; 409 if it has moved."
    )


class WriteInput(HeadInput, StepInput):
    """What every write of a state takes."""


@extend_schema_serializer(component_name="UpdateState")
class UpdateInput(WriteInput):
    """PATCH: keys to merge into the state, pointers to remove."""

    state = StateField(help_text="Top-level keys to set; null is stored as null.")
    updates = StateField(help_text="Another name for `state`.")
    remove = PointersField(help_text="JSON pointers to remove after the merge.")
    operations = OperationsField(
        help_text="A JSON Patch (RFC 6902), in place of these: all of it, or 409 "
        "`patch_failed` and nothing."
    )

    def validate_remove(self, value: list[Any] | None) -> list[Any] | None:
        if value is not None and not all(isinstance(one, str) for one in value):
            raise serializers.ValidationError("This must be a list of JSON pointers.")
        if value is not None and len(value) > MOST_REMOVALS:
            raise serializers.ValidationError(
                f"This takes at most {MOST_REMOVALS:,} pointers."
            )
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        merge, other = ("state", "updates", "remove"), ("opaque", *bundles.PART_SHAPES)
        if all(attrs.get(name) is None for name in (*merge, "operations", *other)):
            raise serializers.ValidationError({"state": "There is nothing to update."})
        both = [name for name in merge if attrs.get(name) is not None]
        if both and attrs.get("operations") is not None:
            message = "Give `operations` or the others: which came first is not said."
            raise serializers.ValidationError({both[0]: message})
        return attrs

    def patch(self) -> dict[str, Any]:
        """Return the keys to set; both names may be used, `state` wins."""
        updates: Mapping[str, Any] = self.validated_data.get("updates") or {}
        return {**updates, **(self.validated_data.get("state") or {})}


@extend_schema_serializer(component_name="ReplaceState")
class ReplaceInput(WriteInput):
    """PUT and POST: the state as a whole."""

    refused = {
        **WriteInput.refused,
        **dict.fromkeys(
            ("updates", "remove", "operations"),
            "PATCH merges; here send `state` whole.",
        ),
    }

    state = StateField(required=True, allow_null=False)


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


@extend_schema_serializer(component_name="MigrateState")
class MigrateInput(HeadInput):
    """To which schema of the agent the state is migrated, and why."""

    refused = {"schema_version": "`to` says it."}

    to = TextField(
        required=True, allow_null=False, allow_blank=False, help_text="Its version."
    )
    reason = TextField(help_text="Another name for `reasoning`.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field that Python has no name for; leave out what `to` says."""
        fields = super().get_fields()
        fields.pop("schema_version")
        return {
            **fields,
            "from": TextField(
                allow_blank=False,
                help_text="What a state is taken to be of that names no schema.",
            ),
        }


@extend_schema_serializer(component_name="Undo")
class UndoInput(HeadInput):
    """Which rollback to take back, and why."""

    version = WholeNumberField(
        min_value=0,
        help_text="The rollback's own number; the head's if unset, and 409 if that "
        "moves meanwhile.",
    )
    reason = TextField(help_text="Why; kept as the reasoning of the new version.")


@extend_schema_serializer(component_name="Hold")
class HoldInput(StoryInput):
    """Pause, resume and close take a reason."""

    expected_version = WholeNumberField(min_value=0)


@extend_schema_serializer(component_name="AddTurn")
class TurnInput(WriteInput):
    """One exchange, and the state it left."""

    input = SaidField()
    output = SaidField()
    metadata = ObjectField()
    state_before = StateField()
    state_after = StateField()
    usage = UsageField()


@extend_schema_serializer(component_name="BuildContext")
class ContextInput(SummaryChoice):
    """What goes into the context of the next call."""

    query = TextField()
    memory_limit = WholeNumberField(min_value=0, max_value=20)
    turn_limit = WholeNumberField(min_value=0, max_value=50)
    include_set_aside = FlagField()


def whole_number(text: str, name: str) -> int:
    """Return a number that stands in a URL.

    Raises: InvalidRequest.
    """
    if not _WHOLE_NUMBER.fullmatch(text):
        raise InvalidRequest(
            f"{name} must be a whole number of at most 18 digits.", param=name
        )
    return int(text)
