"""Search results, as answered."""

from __future__ import annotations

from rest_framework import serializers

from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.words import Status


class SearchMatch(Output):
    """Why it was found: where one term is met, the newest such place.

    A bare term that is an id and occurs in texts has one for each.
    """

    clause = text("The term, as it was written.")
    where = text(
        "user, agent, external_id, session, trace, label, release or reason: what "
        "the term is or begins, with the whole of it in `value`; head, state, "
        "change (the version that last changed the thing that the term names), "
        "reasoning, turn, messages (kept with that version), summary (`turn_number` "
        "is its last), flag, rollback, without "
        "(for a term with a minus), or a property of the session."
    )
    version = maybe_number("null: true of the session as a whole.")
    pointer = maybe_text("RFC 6901, into the state of that version.")
    turn_number = maybe_number()
    quote = serializers.CharField(
        required=False, help_text="The words around it, where it is in a text."
    )
    value = serializers.JSONField(
        required=False, help_text="What was found there, shortened."
    )


class FoundSession(Output):
    """A session, without its state."""

    id = text()
    agent_id = text("Your name of the agent.")
    user_id = maybe_text()
    external_id = maybe_text()
    status = serializers.ChoiceField(choices=Status.choices)
    version = serializers.IntegerField(help_text="The number of the head.")
    forked_from = maybe_text()
    rollback_count = serializers.IntegerField(
        help_text="Taking a rollback back is none of its own."
    )
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class SearchResult(Output):
    """A session, or a version of it, and why it was found."""

    object = text()
    session_id = text()
    version = maybe_number("The version found; null where sessions are searched.")
    session = FoundSession()
    matches = SearchMatch(many=True)


class SearchFacet(Output):
    """What some of the sessions share, as the term that finds those."""

    of = serializers.ChoiceField(choices=["schema", "task", "cost", "open"])
    term = text("Add it to `q`.")
    count = serializers.IntegerField()


class SearchFacets(Output):
    """What the newest sessions that were found share of their work."""

    counted = serializers.IntegerField(help_text="Sessions; at most 1,000.")
    is_all = serializers.BooleanField(help_text="Whether these are all there are.")
    data = SearchFacet(many=True)


class SearchList(ListEnvelope):
    """One page of results."""

    data = SearchResult(many=True)
    next = maybe_text("Give it as `starting_after` for the next page.")
    notices = serializers.ListField(
        child=serializers.CharField(),
        help_text="What was not answered from an index, and how far it was looked.",
    )
    facets = SearchFacets(required=False, help_text="With `include_facets` alone.")
    as_of = serializers.DateTimeField(
        allow_null=True,
        help_text="null: whatever is stored was looked at. Else, what was stored since "
        "then is not indexed yet, and some of it may be missing.",
    )
