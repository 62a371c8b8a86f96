"""What the described answers are made of."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.core.http.input.fields import ObjectField
from apps.timeline.words import Removed


class Output(serializers.Serializer[Any]):
    """An object of an answer. Every key is always there, unless it says otherwise."""


def text(help_text: str = "", **options: Any) -> serializers.CharField:
    return serializers.CharField(help_text=help_text, **options)


def maybe_text(help_text: str = "") -> serializers.CharField:
    return serializers.CharField(allow_null=True, help_text=help_text)


def maybe_number(help_text: str = "") -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, help_text=help_text)


def open_object(help_text: str = "", *, required: bool = True) -> ObjectField:
    return ObjectField(required=required, allow_null=False, help_text=help_text)


class LastRollback(Output):
    """The newest rollback, which a running agent may not have noticed."""

    version = serializers.IntegerField()
    restored_version = serializers.IntegerField()
    at = serializers.DateTimeField()


class ListEnvelope(Output):
    """One page of a list."""

    object = text()
    has_more = serializers.BooleanField()
    first_id = maybe_text()
    last_id = maybe_text("Give it as `starting_after` for the next page.")


class Actor(Output):
    """Who did it: a user, a key or the system."""

    kind = text()
    id = text()
    label = text()


def differs_at() -> serializers.IntegerField:
    return serializers.IntegerField(
        required=False,
        help_text="Of two long texts: the first character that differs, counted from "
        "1; before and after are what stands around it.",
    )


def list_length() -> serializers.IntegerField:
    return serializers.IntegerField(
        required=False, help_text="Of a list that is not shown whole: its items."
    )


class ShownChange(Output):
    """One difference between two states."""

    pointer = text("RFC 6901, into the later state; for removed, the earlier.")
    kind = text("added, removed, changed, type_changed or moved")
    before = serializers.JSONField(required=False)
    after = serializers.JSONField(required=False)
    from_pointer = text(required=False)


class KeptChange(ShownChange):
    """A difference with its values shortened, so that what differs is still seen."""

    differs_at = differs_at()
    before_length = list_length()
    after_length = list_length()


class Step(Output):
    """What the agent told of its step."""

    step_number = maybe_number()
    parent_id = maybe_text()
    objective_status = maybe_text()
    schema_version = maybe_text()
    release = maybe_text()
    model = maybe_text()


class Tombstone(Output):
    """What stands for versions that a removal took, or emptied."""

    kind = serializers.ChoiceField(choices=Removed.choices)
    first_version = serializers.IntegerField()
    last_version = serializers.IntegerField()
    count = serializers.IntegerField(help_text="How many versions.")
    turns = serializers.IntegerField(help_text="How many turns were in them.")
    first_turn = maybe_number()
    last_turn = maybe_number()
    removal_id = text()
    reason = text("policy, or erasure.")
    removed_at = serializers.DateTimeField()


def removed(where: str) -> Tombstone:
    """A list of tombstones beside what is listed."""
    return Tombstone(many=True, help_text=f"What was removed {where}; not in `data`.")


def contents_erased(**given: Any) -> serializers.BooleanField:
    """Say whether an object stands without what it held."""
    return serializers.BooleanField(help_text="Its contents were erased.", **given)


class Spent(Output):
    """What turns said they used together; what rollbacks set aside is in it."""

    turns = serializers.IntegerField(help_text="Those that said what they used.")
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cached_tokens = serializers.IntegerField()
    tool_calls = serializers.IntegerField(help_text="Turns that told of one.")
    cost = maybe_text("Decimal text.")
    currency = maybe_text()
    costed = serializers.IntegerField(help_text="Turns that had a cost.")
    filled_in = serializers.IntegerField(help_text="Of those, by a price list.")
