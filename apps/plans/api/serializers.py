"""What the API of plans takes and answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import TextField
from apps.plans.cases import OFFERED
from apps.plans.models import ItemState, PlanStatus
from apps.plans.operations import MOST
from apps.plans.operations.confirming import LONGEST_REASON
from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.operations import MAX_LABEL
from apps.timeline.search import LONGEST_TEXT
from apps.timeline.words import Outcome

KINDS = [case.kind for case in OFFERED]


@extend_schema_serializer(component_name="MakePlan")
class PlanInput(serializers.Serializer[Any]):
    """An act, and the sessions that it is for: named, or the first of a search."""

    kind = serializers.ChoiceField(choices=KINDS)
    sessions = serializers.ListField(
        child=TextField(max_length=31, allow_null=False),
        required=False,
        allow_null=True,
        max_length=MOST,
        help_text="Their ids, in place of `q`.",
    )
    q = TextField(
        max_length=LONGEST_TEXT,
        help_text=f"A search, of which the first {MOST} are meant, in place of "
        "`sessions`.",
    )
    label = TextField(  # type: ignore[assignment]
        max_length=MAX_LABEL, help_text="For the kind label: its name."
    )
    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        required=False,
        allow_null=True,
        help_text="For the kind review: how the sessions went.",
    )
    to_schema = TextField(
        help_text="For the kind migrate: the schema of their agents that they are "
        "migrated to."
    )
    from_schema = TextField(
        help_text="For the kind migrate: what states are taken to be of that name "
        "no schema."
    )


@extend_schema_serializer(component_name="ConfirmPlan")
class ConfirmInput(serializers.Serializer[Any]):
    """Why it is done."""

    reason = TextField(
        max_length=LONGEST_REASON,
        help_text="Kept with each version or review that is made.",
    )


@extend_schema_serializer(component_name="PlanItem")
class ItemOutput(Output):
    """One session of a plan, and what came of it."""

    session_id = text()
    state = serializers.ChoiceField(choices=ItemState.choices)
    code = maybe_text(
        "Why it was left out or has failed, or what one that is planned overrules; "
        "decide by this."
    )
    why = maybe_text("The same, for people.")
    version = maybe_number("The head that the dry run saw, or that an undo needs.")
    result_version = maybe_number(
        "The version that was made, labelled, or up to which it is exported."
    )
    size = maybe_number("Bytes of the states that are exported.")


@extend_schema_serializer(component_name="PlanCounts")
class CountsOutput(Output):
    """How many sessions are in each state."""

    planned = serializers.IntegerField()
    left_out = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()


@extend_schema_serializer(component_name="ListedPlan")
class ListedPlanOutput(Output):
    """A plan without its sessions."""

    object = text()
    id = text()
    kind = text(
        "hold, resume, label, review, export, migrate; unlabel, unreview are undos"
    )
    label = maybe_text()  # type: ignore[assignment]
    outcome = maybe_text("Of a review.")
    to_schema = maybe_text("Of a migration.")
    status = serializers.ChoiceField(choices=PlanStatus.choices)
    undo_of = maybe_text("The plan that it takes back.")
    q = maybe_text("The search that the list was taken from.")
    has_more = serializers.BooleanField(help_text="That search may find more.")
    reason = maybe_text()
    made_by = text()
    confirmed_by = maybe_text("Whose acts they are.")
    created_at = serializers.DateTimeField()
    confirmed_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    counts = CountsOutput()


@extend_schema_serializer(component_name="Plan")
class PlanOutput(ListedPlanOutput):
    """A plan with its frozen list of sessions."""

    items = ItemOutput(many=True)


@extend_schema_serializer(component_name="PlanList")
class PlanListOutput(ListEnvelope):
    """A page of plans, the newest first."""

    data = ListedPlanOutput(many=True)  # type: ignore[assignment]
