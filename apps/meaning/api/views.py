"""`/v1/search/meaning`: versions of the project, by why they were made and changed."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.meaning.past.searching import (
    LONGEST_QUERY,
    PastFound,
    PastMatch,
    PastPlace,
    search_past,
)
from apps.timeline.api import parameters
from apps.timeline.api.base import TimelineView

_PLACE = re.compile(r"(sess_[0-9a-z]{26})\.([0-9]{1,18})", re.ASCII)


class MeaningMatch(serializers.Serializer[Any]):
    """A version, and how near the question it is."""

    object = serializers.CharField()
    session_id = serializers.CharField()
    version = serializers.IntegerField()
    agent_id = serializers.CharField(help_text="Your name of the agent.")
    user_id = serializers.CharField(allow_null=True)
    external_id = serializers.CharField(
        allow_null=True, help_text="Your id of the session."
    )
    text = serializers.CharField(
        help_text="What was compared: the reasoning, then what changed."
    )
    similarity = serializers.FloatField(
        help_text="0 to 1; from 0.7 on texts are near each other. That of meaning or "
        "of words, whichever is higher."
    )
    distance = serializers.FloatField(help_text="Of meaning alone: 1 less the cosine.")


class MeaningSearchList(serializers.Serializer[Any]):
    """The nearest versions of a page, and how far was looked."""

    object = serializers.CharField()
    data = MeaningMatch(many=True)  # type: ignore[assignment]
    has_more = serializers.BooleanField(help_text="Whether there are older versions.")
    next = serializers.CharField(
        allow_null=True, help_text="Give it as `starting_after` to look at older ones."
    )
    looked_at = serializers.IntegerField(help_text="Versions that were compared.")
    pending = serializers.IntegerField(
        help_text="Versions that wait to be embedded, of 1,000 sessions at most."
    )
    catching_up = serializers.BooleanField(
        help_text="Sessions from before it was switched on are still to be embedded."
    )
    model = serializers.CharField()


class MeaningSearchView(TimelineView):
    """Finds old states by what they mean."""

    @extend_schema(
        operation_id="search_by_meaning",
        parameters=[
            OpenApiParameter(
                "q",
                str,
                required=True,
                description=f"A question, at most {LONGEST_QUERY:,} characters.",
            ),
            parameters.limit(10),
            parameters.text("starting_after", "The `next` of an earlier answer."),
        ],
        responses={200: MeaningSearchList, **errors(400, 401, 403, 409, 429, 503)},
    )
    def get(self, request: Request) -> Response:
        """Find versions by the meaning of their reasoning and changes.

        Each page compares the question with 20,000 versions, newest first; `next` goes
        on to older ones. An administrator has to switch it on for the project.
        """
        found = search_past(
            self.scope,
            request.GET.get("q", ""),
            after=_place_of(request),
            limit=paging.limit_of(request, 10),
            now=self.now,
        )
        return Response(_list_object(found))


def _place_of(request: Request) -> PastPlace:
    given = paging.text_of(request, "starting_after")
    if given is None:
        return PastPlace()
    found = _PLACE.fullmatch(given)
    if found is None:
        raise InvalidRequest(
            "starting_after takes the next of an earlier answer.",
            param="starting_after",
        )
    return PastPlace(session_id=found[1], number=int(found[2]))


def _list_object(found: PastFound) -> dict[str, Any]:
    place = found.next
    return {
        "object": "list",
        "data": [_match_object(one) for one in found.matches],
        "has_more": place is not None,
        "next": place and f"{place.session_id}.{place.number}",
        "looked_at": found.looked_at,
        "pending": found.pending,
        "catching_up": found.is_catching_up,
        "model": found.model,
    }


def _match_object(match: PastMatch) -> dict[str, Any]:
    return {
        "object": "meaning_match",
        "session_id": match.session.id,
        "version": match.version.number,
        "agent_id": match.version.agent,
        "user_id": match.version.user_id,
        "external_id": match.session.external_id,
        "text": match.text,
        "similarity": match.similarity,
        "distance": match.distance,
    }
