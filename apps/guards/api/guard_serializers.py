"""What the API of guards takes and answers."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import (
    InputSerializer,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.guards.api.serializers import chosen
from apps.guards.operations.trying import MOST_DAYS
from apps.guards.words import Did, Kind, Mode, Said, TrialStatus
from apps.timeline.api.outputs.common import ListEnvelope, Output, maybe_text, text

RULE = (
    "What its kind takes: `schema` a JSON Schema, `check` one line, `times`, `turns`, "
    "`values`, `failures` or `attempts` a whole number, `least` a number up to 1, "
    "`fields` pointers. What has a usual value may be left out."
)


@extend_schema_field(
    {
        "type": "object",
        "properties": {
            "schema": {"type": "object"},
            "check": {"type": "string"},
            **{
                name: {"type": "integer"}
                for name in ("times", "turns", "values", "failures", "attempts")
            },
            "least": {"oneOf": [{"type": "number"}, {"type": "string"}]},
            "fields": {"type": "array", "items": {"type": "string"}},
        },
    }
)
class RuleField(ObjectField):
    """What a kind takes; the operation says what of it is no rule."""


@extend_schema_serializer(component_name="CreateGuard")
class GuardInput(InputSerializer):
    """What an agent's writes are held to."""

    agent_id = TextField(
        required=True, allow_null=False, help_text="Your name of the agent, or our id."
    )
    name = TextField(required=True, allow_null=False, help_text="One of the agent's.")
    kind = serializers.ChoiceField(
        choices=Kind.choices, help_text="What it looks for; it stays."
    )
    rule = RuleField(help_text=RULE)


@extend_schema_serializer(component_name="ChangeGuard")
class GuardChange(InputSerializer):
    """What is to be otherwise."""

    name = TextField(help_text="Another name.")
    rule = RuleField(help_text=RULE)
    mode = chosen(Mode, "What it does; more than `observe` once it was tried.")


@extend_schema_serializer(component_name="TryGuard")
class TrialInput(InputSerializer):
    """How many days are looked at."""

    days = WholeNumberField(
        min_value=1, max_value=MOST_DAYS, help_text="7 if not said."
    )


@extend_schema_serializer(component_name="Guard")
class GuardOutput(Output):
    """A guard, and the newest trial of its revision."""

    object = text()
    id = text()
    agent_id = text("Your name of the agent.")
    name = text()
    kind = serializers.ChoiceField(choices=Kind.choices)
    mode = serializers.ChoiceField(choices=Mode.choices)
    revision = serializers.IntegerField(help_text="Counted up with each other rule.")
    rule = RuleField(required=True, allow_null=False)
    line = text("The rule in one line, as it is typed.")
    words = text("What a write does not pass by it, in one line of words.")
    trial_id = maybe_text()
    trial_status = serializers.ChoiceField(choices=TrialStatus.choices, allow_null=True)
    refused_last_7_days = serializers.IntegerField(help_text="Writes.")
    created_by = text()
    created_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class GuardListOutput(ListEnvelope):
    """One page of guards."""

    data = GuardOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="Verdict")
class VerdictOutput(Output):
    """What a guard said of one write that does not pass."""

    object = text()
    id = text()
    session_id = maybe_text("Null where a session that would have begun was refused.")
    version = serializers.IntegerField(
        help_text="The version, or the turn's head. Of a write that was `refused` the "
        "one that it would have made: nothing was stored."
    )
    turn_number = serializers.IntegerField(allow_null=True)
    guard_id = text()
    name = text("The guard's name.")
    kind = serializers.ChoiceField(choices=Kind.choices)
    revision = serializers.IntegerField()
    outcome = serializers.ChoiceField(
        choices=Said.choices, help_text="Undecided is never a pass."
    )
    did = serializers.ChoiceField(choices=Did.choices)
    created_at = serializers.DateTimeField()


class VerdictListOutput(ListEnvelope):
    """One page of verdicts."""

    data = VerdictOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="GuardTrialDay")
class TrialDayOutput(Output):
    """What was written on one day."""

    date = serializers.DateField()
    looked_at = serializers.IntegerField()
    failed = serializers.IntegerField()
    undecided = serializers.IntegerField()


@extend_schema_serializer(component_name="GuardTrialExample")
class TrialExampleOutput(Output):
    """A write that does not pass."""

    session_id = text()
    version = serializers.IntegerField()
    turn_number = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()
    outcome = serializers.ChoiceField(choices=Said.choices)


@extend_schema_serializer(component_name="GuardTrial")
class TrialOutput(Output):
    """How far a trial is, and what it has found until now."""

    object = text()
    id = text()
    guard_id = text()
    revision = serializers.IntegerField()
    status = serializers.ChoiceField(choices=TrialStatus.choices)
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    sessions = serializers.IntegerField()
    sessions_failed = serializers.IntegerField()
    looked_at = serializers.IntegerField(help_text="Versions and turns.")
    failed = serializers.IntegerField()
    undecided = serializers.IntegerField()
    unreadable = serializers.IntegerField(help_text="What is gone, or was before it.")
    days = TrialDayOutput(many=True)
    examples = TrialExampleOutput(many=True)
    created_by = text()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
