"""What the API of experiments takes and answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.checks import LONGEST_TEXT as LONGEST_CHECK
from apps.checks import Outcome as CheckOutcome
from apps.core.http.input.fields import TextField
from apps.experiments.words import (
    FEWEST_VARIANTS,
    LONGEST_NAME,
    MOST_CHECKS,
    MOST_VARIANTS,
    Status,
)
from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.words import Outcome

OUTCOMES = [(one.value, one.value) for one in CheckOutcome]


@extend_schema_serializer(component_name="MakeExperiment")
class ExperimentInput(serializers.Serializer[Any]):
    """Forks of one version, and the checks that decide between them."""

    name = TextField(
        required=True,
        allow_null=False,
        help_text=f"At most {LONGEST_NAME} characters.",
    )
    sessions = serializers.ListField(
        child=TextField(max_length=31, allow_null=False),
        help_text=f"{FEWEST_VARIANTS} to {MOST_VARIANTS} forks of one version.",
    )
    checks = serializers.ListField(
        child=TextField(max_length=LONGEST_CHECK, allow_null=False),
        required=False,
        help_text=f"What should hold at the head of each; at most {MOST_CHECKS}, in "
        "one line such as state.total<=1500.",
    )


@extend_schema_serializer(component_name="RenameExperiment")
class RenameInput(serializers.Serializer[Any]):
    """Another name."""

    name = TextField(
        required=True,
        allow_null=False,
        help_text=f"At most {LONGEST_NAME} characters.",
    )


@extend_schema_serializer(component_name="VariantCheck")
class CheckedOutput(Output):
    """What one check says of the head of a fork."""

    check = text()
    outcome = serializers.ChoiceField(
        choices=OUTCOMES,
        help_text="Undecided is no pass: contents are gone, or it would take too much.",
    )


@extend_schema_serializer(component_name="Variant")
class VariantOutput(Output):
    """One fork, since it began."""

    session_id = text()
    agent_id = text()
    deleted = serializers.BooleanField(
        help_text="It is gone: all that follows is null, or none."
    )
    title = maybe_text()
    status = maybe_text()
    head_version = maybe_number("Its newest version.")
    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        allow_null=True,
        help_text="What the newest review says; null: nobody has reviewed it.",
    )
    checks = CheckedOutput(many=True)
    turns = maybe_number("Its own.")
    tokens = maybe_number("Input and output; null: no turn said what it used.")
    cost = maybe_text("What its turns cost, as a decimal; null: nothing says.")
    currency = maybe_text("Of the cost.")
    seconds = serializers.FloatField(
        allow_null=True, help_text="From its beginning to its newest version."
    )
    effects = maybe_number("What it did outside, without what only read.")
    irreversible = maybe_number("Of these, what cannot be undone.")
    flagged = maybe_number("Its versions that look wrong.")


@extend_schema_serializer(component_name="ListedExperiment")
class ListedExperimentOutput(Output):
    """An experiment without its forks."""

    object = text()
    id = text()
    name = text()
    status = serializers.ChoiceField(choices=Status.choices)
    session_id = maybe_text("Of which session they are forks; null: it was removed.")
    version = serializers.IntegerField(help_text="Of which version of it.")
    checks = serializers.ListField(child=serializers.CharField())
    made_by = text()
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="Experiment")
class ExperimentOutput(ListedExperimentOutput):
    """Forks of one version, side by side."""

    variants = VariantOutput(many=True)


@extend_schema_serializer(component_name="ExperimentList")
class ExperimentListOutput(ListEnvelope):
    """A page of experiments, the newest first."""

    data = ListedExperimentOutput(many=True)  # type: ignore[assignment]
