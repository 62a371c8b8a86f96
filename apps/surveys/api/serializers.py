"""What the API of surveys takes and answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.checks import LONGEST_TEXT as LONGEST_CHECK
from apps.core.http.input.fields import TextField
from apps.surveys.words import FEWEST, MOST, MOST_GROUPS
from apps.timeline.api.outputs.common import ListEnvelope, Output, maybe_text, text
from apps.timeline.search import LONGEST_TEXT


@extend_schema_serializer(component_name="AskSurvey")
class SurveyInput(serializers.Serializer[Any]):
    """What should hold, and in which sessions that is looked for."""

    check = TextField(
        required=True,
        allow_null=False,
        max_length=LONGEST_CHECK,
        help_text="What should hold in every version, in one line such as "
        "state.total<=1500.",
    )
    search = TextField(
        max_length=LONGEST_TEXT,
        help_text=f"The newest {MOST:,} sessions that this finds; if unset, of all.",
    )


@extend_schema_serializer(component_name="SurveyShare")
class ShareOutput(Output):
    """The sessions of one release or model."""

    name = maybe_text("Null: nothing was told of it.")
    sessions = serializers.IntegerField(
        help_text="In which it wrote while they still passed, and that are decided."
    )
    bad = serializers.IntegerField(
        help_text="In which it wrote the first version that does not pass."
    )
    undecided = serializers.IntegerField(help_text="In no share: nobody knows.")
    share = serializers.FloatField(
        allow_null=True, help_text=f"`bad` of `sessions`; null below {FEWEST}: too few."
    )
    low = serializers.FloatField(
        allow_null=True, help_text="The lower bound of the share, at 95 % (Wilson)."
    )
    high = serializers.FloatField(allow_null=True, help_text="The upper bound.")


@extend_schema_serializer(component_name="ListedSurvey")
class ListedSurveyOutput(Output):
    """A survey without what was found."""

    object = text()
    id = text()
    check = maybe_text("What should hold; null: it named a person who was erased.")
    q = maybe_text("The search; null: all sessions.")
    is_all = serializers.BooleanField(
        help_text="Whether these are all that the search finds, or the newest of them."
    )
    reaches_to = serializers.DateTimeField(help_text="When the oldest of them began.")
    asked_by = text()
    created_at = serializers.DateTimeField()
    looked_at = serializers.DateTimeField(
        allow_null=True, help_text="Null: the worker still looks."
    )


@extend_schema_serializer(component_name="Survey")
class SurveyOutput(ListedSurveyOutput):
    """In which share of the sessions a check broke, of those that the caller sees."""

    sessions = serializers.IntegerField()
    not_looked_into = serializers.IntegerField()
    good = serializers.IntegerField(help_text="In which every version passes.")
    bad = serializers.IntegerField(help_text="With a version that does not pass.")
    unknown = serializers.IntegerField(
        help_text="Nobody can decide: versions are gone, or too many."
    )
    inherited = serializers.IntegerField(
        help_text="Of `bad`: forks that were wrong before they began. Of no release."
    )
    unplaced = serializers.IntegerField(
        help_text="Of `bad`: nobody knows since which version."
    )
    by_release = ShareOutput(
        many=True, help_text=f"Worst first, of the {MOST_GROUPS} of most sessions."
    )
    by_model = ShareOutput(many=True, help_text="Likewise.")


@extend_schema_serializer(component_name="SurveyList")
class SurveyListOutput(ListEnvelope):
    """A page of surveys, the newest first."""

    data = ListedSurveyOutput(many=True)  # type: ignore[assignment]
