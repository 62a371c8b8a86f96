"""What the API of exports takes."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import FlagField, InputSerializer, TextField
from apps.exports.words import Kind
from apps.timeline.words import Outcome

LONGEST = 255


@extend_schema_serializer(component_name="AskExport")
class ExportInput(InputSerializer):
    """What is exported: sessions that all filters let in."""

    kind = serializers.ChoiceField(choices=Kind.choices)
    agent = TextField(max_length=LONGEST, help_text="Of one agent.")
    release = TextField(max_length=LONGEST, help_text="Whose head has this release.")
    model = TextField(max_length=LONGEST, help_text="Whose head has this model.")
    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        required=False,
        allow_null=True,
        help_text="What the newest review says.",
    )
    rolled_back = FlagField(help_text="Whether it was ever rolled back.")
    unmasked = FlagField(
        help_text="Leave mail addresses, card and account numbers in; recorded."
    )
