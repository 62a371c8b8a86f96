"""What callers may send of summaries."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer

from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    TextField,
    WholeNumberField,
)
from apps.timeline.operations import MAX_SUMMARY

MOST_OLDER = 20


@extend_schema_serializer(component_name="AddSummary")
class SummaryInput(InputSerializer):
    """What was said from one turn to another, told shortly."""

    first_turn = WholeNumberField(
        required=True, allow_null=False, min_value=1, help_text="Its `turn_number`."
    )
    last_turn = WholeNumberField(
        required=True, allow_null=False, min_value=1, help_text="Not before the first."
    )
    text = TextField(
        required=True,
        allow_null=False,
        allow_blank=False,
        help_text=f"At most {MAX_SUMMARY:,} characters.",
    )


class SummaryChoice(InputSerializer):
    """What a context is to have of summaries."""

    include_summary = FlagField(
        help_text="False: turns alone, as if nothing had been summarised."
    )
    older_summaries = WholeNumberField(
        min_value=0,
        max_value=MOST_OLDER,
        help_text="How many others to answer; with a `query`, those nearest to it.",
    )


@extend_schema_serializer(component_name="BuildContext")
class ContextInput(SummaryChoice):
    """What goes into the context of the next call."""

    query = TextField()
    memory_limit = WholeNumberField(min_value=0, max_value=20)
    turn_limit = WholeNumberField(min_value=0, max_value=50)
    include_set_aside = FlagField()
