"""What the API of exports takes."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    NumberField,
    TextField,
    WholeNumberField,
)
from apps.exports.words import AuditFormat, Kind
from apps.timeline.words import Outcome


@extend_schema_serializer(component_name="AskExport")
class ExportInput(InputSerializer):
    """What is exported; each kind takes filters of its own."""

    kind = serializers.ChoiceField(choices=Kind.choices)
    agent = TextField(help_text="Trajectories, audit: of one agent.")
    release = TextField(help_text="Trajectories: whose head has this release.")
    model = TextField(help_text="Trajectories: whose head has this model.")
    label = TextField(  # type: ignore[assignment]
        help_text="Trajectories: of which a live version has this label."
    )
    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        required=False,
        allow_null=True,
        help_text="Trajectories: what the newest review says.",
    )
    rolled_back = FlagField(help_text="Trajectories: whether it ever was.")
    most_tokens = WholeNumberField(
        min_value=0, help_text="Trajectories: whose turns report so many at most."
    )
    most_cost = NumberField(
        min_value=0, help_text="Trajectories: whose turns report so much at most."
    )
    session_id = TextField(help_text="Session: which one.")
    user_id = TextField(help_text="Person: whose, by your name.")
    start = TextField(help_text="Audit: from this date or time on.")
    end = TextField(help_text="Audit: before this date or time.")
    format = serializers.ChoiceField(
        choices=AuditFormat.choices,
        required=False,
        allow_null=True,
        help_text="Audit: json (a line an event) unless said.",
    )
    unmasked = FlagField(
        help_text="Leave mail addresses, card and account numbers in; recorded."
    )
