"""Effects, as answered."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.core.http.input.fields import ObjectField
from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.words import (
    CacheScope,
    CompensationStatus,
    EffectClass,
    EffectStatus,
)


class EffectUndo(Output):
    """A call that takes an effect back, as the agent told it."""

    tool = text()
    arguments = ObjectField(required=False)


class EffectOutcome(Output):
    """What an effect has come to."""

    object = text()
    status = serializers.ChoiceField(choices=EffectStatus.choices)
    result = serializers.JSONField(help_text="Any JSON; null where there is none.")
    result_reference = maybe_text("Where a larger result is kept.")
    result_digest = maybe_text()
    external_id = maybe_text("The provider's id of what was done.")


class ResultSource(Output):
    """The effect whose result answered in place of a call."""

    session_id = text()
    effect_id = text()
    version = serializers.IntegerField(help_text="The head when it was made.")
    made_at = serializers.DateTimeField()


class Result(Output):
    """A result that may answer its call again."""

    object = text()
    id = text("The id of the effect.")
    session_id = text()
    key = text()
    tool = text()
    arguments = ObjectField(
        required=True, help_text="Null where they are more than 256 KiB."
    )
    arguments_size = serializers.IntegerField(help_text="In bytes.")
    version = serializers.IntegerField(help_text="The head when it was made.")
    made_at = serializers.DateTimeField()
    scope = serializers.ChoiceField(choices=CacheScope.choices)
    reused = serializers.IntegerField(
        help_text="How many effects of its own session it has answered."
    )
    result = serializers.JSONField(help_text="Any JSON; null where there is none.")
    result_reference = maybe_text("Where a larger result is kept.")
    result_digest = maybe_text()
    external_id = maybe_text("The provider's id of what was done.")


class ResultList(ListEnvelope):
    """One page of results."""

    data = Result(many=True)


class ResultsForgotten(Output):
    """What answers nobody any more."""

    object = text()
    id = text()
    by = serializers.ChoiceField(choices=["all", "tool", "call"])
    tool = maybe_text("Null where all is forgotten.")
    reason = text()
    created_at = serializers.DateTimeField(help_text="What was begun until then.")
    created_by = text()


class Effect(EffectOutcome):
    """One act of an agent outside."""

    id = text()
    session_id = text()
    key = text()
    tool = text()
    class_declared = serializers.BooleanField(
        help_text="False: nothing was said, which counts as irreversible."
    )
    attempt = serializers.IntegerField()
    number = serializers.IntegerField(help_text="The version it was decided on.")
    call_id = text("The id under which the call is reported in a turn.")
    arguments = ObjectField(
        required=True, help_text="Null where they are more than 256 KiB."
    )
    arguments_size = serializers.IntegerField(help_text="In bytes.")
    undo = EffectUndo(allow_null=True)
    undo_until = serializers.DateTimeField(allow_null=True)
    takes_provider_key = serializers.BooleanField()
    provider_key = text("For the tool: the same for each attempt.")
    deadline = serializers.DateTimeField(
        allow_null=True, help_text="While it is begun: from then on it is unknown."
    )
    reason = maybe_text("Why a person settled it so.")
    source = ResultSource(
        allow_null=True, help_text="What answered it from the record, if something did."
    )
    created_at = serializers.DateTimeField()
    created_by = text()
    updated_at = serializers.DateTimeField()
    updated_by = text()

    def get_fields(self) -> dict[str, Any]:
        said = serializers.ChoiceField(choices=EffectClass.choices)
        return super().get_fields() | {"class": said}


class CrossedEffect(Output):
    """An effect that a rollback goes behind; the rest stands at its address."""

    object = text()
    id = text()
    key = text()
    tool = text()
    call_id = text()
    class_declared = serializers.BooleanField()
    status = serializers.ChoiceField(choices=EffectStatus.choices)
    attempt = serializers.IntegerField()
    version = serializers.IntegerField(help_text="The head when this became so.")
    at = serializers.DateTimeField()
    undo_until = serializers.DateTimeField(allow_null=True)
    has_undo = serializers.BooleanField()

    def get_fields(self) -> dict[str, Any]:
        said = serializers.ChoiceField(choices=EffectClass.choices)
        return super().get_fields() | {"class": said}


class Compensation(CrossedEffect):
    """What is owed for an effect that a rollback has crossed."""

    session_id = text()
    rollback_version = serializers.IntegerField(help_text="The first that crossed it.")
    compensation = serializers.ChoiceField(choices=CompensationStatus.choices)
    reason = maybe_text()
    updated_at = serializers.DateTimeField(allow_null=True)
    updated_by = maybe_text()


class CompensationList(ListEnvelope):
    """One page of what is or was owed in a session."""

    outside_may_differ = serializers.BooleanField(
        help_text="Something is open that the head does not know of."
    )
    data = Compensation(many=True)


class EffectList(ListEnvelope):
    """One page of effects."""

    data = Effect(many=True)


class EffectBegin(EffectOutcome):
    """Whether a call is to be made now; if not, what it came to or waits for."""

    run = serializers.BooleanField(help_text="Make the call if it is true, only then.")
    status = serializers.ChoiceField(
        choices=EffectStatus.choices,
        allow_null=True,
        help_text="Null where an approval is waited for: nothing is begun then.",
    )
    id = maybe_text()
    attempt = maybe_number("Finish it with this attempt.")
    provider_key = text("For the tool: the same for each attempt.")
    number = maybe_number("The version it was decided on.")
    deadline = serializers.DateTimeField(
        allow_null=True, help_text="Finish it by then; later it reads as unknown."
    )
    source = ResultSource(
        allow_null=True, help_text="What answered it from the record, if something did."
    )
    approval = ObjectField(
        required=True, help_text="What has to be approved first; then begin again."
    )
