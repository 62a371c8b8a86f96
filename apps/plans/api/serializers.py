"""What the API of plans takes and answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.checks import LONGEST_TEXT as LONGEST_CHECK
from apps.core.http.input.fields import FlagField, TextField, WholeNumberField
from apps.plans.cases import OFFERED
from apps.plans.cases.targets import RULES, VERSIONS
from apps.plans.models import ItemState, PlanStatus, Verdict
from apps.plans.operations import FASTEST, MOST, MOST_PICKED
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
# Those of which all sessions can be picked at once.
PICKED_VERDICTS = [Verdict.CLEAN.value, Verdict.LOOK.value]


def _ids(help_text: str, most: int = MOST) -> Any:
    return serializers.ListField(
        child=TextField(max_length=31, allow_null=False),
        required=False,
        allow_null=True,
        max_length=most,
        help_text=help_text,
    )


@extend_schema_serializer(component_name="RollbackTarget")
class TargetInput(serializers.Serializer[Any]):
    """Which version each session goes back to: one rule, looked up in each.

    But for `versions`, among those that are live: none that a rollback set aside.
    """

    before = TextField(help_text="A moment: the last version from before it.")
    check = TextField(
        max_length=LONGEST_CHECK,
        help_text="What should hold, such as state.total<=1500: the version before the "
        "first that does not pass.",
    )
    release = TextField(max_length=200, help_text="The last version of this release.")
    label = TextField(  # type: ignore[assignment]
        max_length=MAX_LABEL, help_text="The last version with this label."
    )
    versions = serializers.DictField(
        child=WholeNumberField(min_value=0, required=True, allow_null=False),
        required=False,
        allow_null=True,
        help_text="By hand: a version for each session.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Have exactly one rule."""
        given = {name: value for name, value in attrs.items() if value is not None}
        if len(given) != 1:
            raise serializers.ValidationError(f"Give one of {', '.join(RULES)}.")
        return given

    @staticmethod
    def params(said: dict[str, Any]) -> dict[str, Any]:
        """Return the rule as plans take it; versions stand with the sessions."""
        (name,) = said
        return {"rule": name} | ({} if name == VERSIONS else {name: said[name]})


class ActInput(serializers.Serializer[Any]):
    """An act, and what it takes beside the sessions that it is for."""

    kind = serializers.ChoiceField(choices=KINDS)
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
    target = TargetInput(
        required=False, allow_null=True, help_text="For the kind rollback: where to."
    )


@extend_schema_serializer(component_name="MakePlan")
class PlanInput(ActInput):
    """An act, and the sessions that it is for: named, or the first of a search."""

    sessions = _ids("Their ids, in place of `q`.")
    q = TextField(
        max_length=LONGEST_TEXT,
        help_text=f"A search, of which the first {MOST} are meant, in place of "
        "`sessions`.",
    )


@extend_schema_serializer(component_name="ChangePlan")
class ChangeInput(serializers.Serializer[Any]):
    """One change: whether it goes on, how fast, or which sessions are picked."""

    status = serializers.ChoiceField(
        choices=["running", "paused", "stopped"],
        required=False,
        allow_null=True,
        help_text="Of a confirmed plan. What was stopped is not gone on with.",
    )
    pace = WholeNumberField(
        min_value=1, max_value=FASTEST, help_text="At most so many sessions a minute."
    )
    pick = _ids("To be done as well: ids of sessions of a draft.", MOST_PICKED)
    unpick = _ids("Not to be done.", MOST_PICKED)
    pick_verdict = serializers.ChoiceField(
        choices=PICKED_VERDICTS,
        required=False,
        allow_null=True,
        help_text="All that the dry run judges so.",
    )
    unpick_verdict = serializers.ChoiceField(
        choices=PICKED_VERDICTS, required=False, allow_null=True
    )


@extend_schema_serializer(component_name="ConfirmPlan")
class ConfirmInput(serializers.Serializer[Any]):
    """Why it is done, and what was seen of it."""

    reason = TextField(
        max_length=LONGEST_REASON,
        help_text="Kept with each version or review that is made.",
    )
    digest = TextField(
        max_length=64,
        help_text="That of the plan as you have seen it, needed for a rollback: 409 "
        "`plan_changed` where something else would be done by now.",
    )
    crosses = FlagField(
        help_text="Of a rollback: what cannot be undone, or is not known, may be gone "
        "behind."
    )
    pace = WholeNumberField(
        min_value=1, max_value=FASTEST, help_text="At most so many sessions a minute."
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
    target = maybe_number("The version that a rollback restores.")
    verdict = serializers.ChoiceField(
        choices=Verdict.choices,
        allow_null=True,
        help_text="Of a rollback: clean is picked by itself, look by somebody.",
    )
    about = serializers.DictField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="What the dry run counted: changes, set_aside, turns, later_turns, "
        "effects, owed, grave, forks, labels.",
    )


@extend_schema_serializer(component_name="PlanCounts")
class CountsOutput(Output):
    """How many sessions are in each state."""

    unseen = serializers.IntegerField(help_text="The dry run has not come to them.")
    planned = serializers.IntegerField()
    unpicked = serializers.IntegerField(help_text="Could be done; nobody picked them.")
    left_out = serializers.IntegerField()
    done = serializers.IntegerField()
    moved = serializers.IntegerField(help_text="The head was another by then.")
    refused = serializers.IntegerField()
    failed = serializers.IntegerField(help_text="These can be tried again.")
    stopped = serializers.IntegerField()
    undone = serializers.IntegerField()


@extend_schema_serializer(component_name="ListedPlan")
class ListedPlanOutput(Output):
    """A plan without its sessions."""

    object = text()
    id = text()
    kind = text(
        "hold, resume, label, review, export, migrate, rollback; unlabel, unreview "
        "and unrollback are undos"
    )
    label = maybe_text()  # type: ignore[assignment]
    outcome = maybe_text("Of a review.")
    to_schema = maybe_text("Of a migration.")
    status = serializers.ChoiceField(choices=PlanStatus.choices)
    target = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Of a rollback: the rule by which versions were found.",
    )
    undo_of = maybe_text("The plan that it takes back.")
    incident_id = maybe_text("The incident whose sessions these are.")
    pace = maybe_number("At most so many sessions a minute.")
    digest = maybe_text("Of what would be done; confirming takes it.")
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
    """A plan with its frozen list of sessions, or its first 500."""

    verdicts = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many are judged how."
    )
    items = ItemOutput(many=True)
    has_more_items = serializers.BooleanField(help_text="GET …/items has all.")


@extend_schema_serializer(component_name="PlanItemList")
class ItemListOutput(ListEnvelope):
    """A page of a plan's sessions, in the order of its list."""

    data = ItemOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="PlanList")
class PlanListOutput(ListEnvelope):
    """A page of plans, the newest first."""

    data = ListedPlanOutput(many=True)  # type: ignore[assignment]
