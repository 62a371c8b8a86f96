"""Search: sessions, or versions, by what they hold, held, changed, say and are."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.diffs.changes import MISSING
from apps.timeline.api import parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.outputs.search import SearchList
from apps.timeline.search import answering
from apps.timeline.search.clauses import Query
from apps.timeline.search.conditions.base import Candidate
from apps.timeline.search.cursors import Place, place_of
from apps.timeline.search.finder import Found
from apps.timeline.search.grammar.language import LONGEST_TEXT, parse_query
from apps.timeline.search.grammar.writing import write_clause
from apps.timeline.search.telling import working_facets
from apps.timeline.search.telling.explaining import Match, Result

SESSIONS, VERSIONS = "sessions", "versions"
# How many sessions are counted for facets, and how many schemas are told.
COUNTED = 1_000
SCHEMAS = 20


class SearchView(TimelineView):
    """Finds sessions and versions."""

    @extend_schema(
        operation_id="search",
        parameters=[
            OpenApiParameter(
                "q",
                str,
                description="Terms, all of which have to hold, such as "
                'agent:travel state.order.id="A-17" ever:state.status=refunded '
                "changed:state.customer rolled-back:yes age<2h flag:null cust_3084 "
                '"bare words". A bare term is the id of a user, agent, session, '
                "version or trace, or the beginning of one (3 characters or more), "
                "or words, or a whole value. Without it: every session.",
            ),
            OpenApiParameter(
                "kind",
                str,
                enum=[SESSIONS, VERSIONS],
                default=SESSIONS,
                description="versions: each version that meets all terms about "
                "versions, in sessions that meet the others.",
            ),
            parameters.limit(20),
            parameters.text("starting_after", "The `next` of an earlier answer."),
            parameters.include("include_facets", default=False),
        ],
        responses={200: SearchList, **errors(400, 401, 403, 429, 503)},
    )
    def get(self, request: Request) -> Response:
        """Find sessions or versions, newest first, and tell why each was found.

        Every page looks at a bounded number of sessions: with `next` there may be
        more, also where the page is short or empty. What could not be answered from
        an index alone is said in `notices`, and where nothing was found, as what a
        bare term was looked for.
        """
        find = (
            answering.search_versions
            if _kind_of(request) == VERSIONS
            else answering.search_sessions
        )
        query = self._query(request)
        with_facets = paging.flag_of(request, "include_facets")
        if with_facets and _kind_of(request) == VERSIONS:
            raise InvalidRequest("Facets are of sessions.", param="include_facets")
        found = find(
            self.scope,
            query,
            now=self.now,
            after=_place_of(request),
            limit=paging.limit_of(request),
        )
        answer = _list_object(found)
        if with_facets:
            answer["facets"] = self._facets(query)
        return Response(answer)

    def _facets(self, query: Query) -> dict[str, Any]:
        """Return what the newest sessions that are found share, and how many are."""
        counted = answering.count_sessions(
            self.scope, query, now=self.now, most=COUNTED
        )
        found = working_facets.shared(
            self.scope.project,
            [one.id for one in counted.sessions],
            most=SCHEMAS,
            now=self.now,
        )
        return {
            "counted": len(counted.sessions),
            "is_all": counted.is_all,
            "data": [
                {"of": of, "term": write_clause(one.clause), "count": one.count}
                for of, some in found.items()
                for one in some
            ],
        }

    def _query(self, request: Request) -> Query:
        """Raises: InvalidRequest with the position of what is not understood."""
        text = request.GET.get("q", "")
        if len(text) > LONGEST_TEXT:
            raise InvalidRequest(
                f"q takes at most {LONGEST_TEXT:,} characters.", param="q"
            )
        return parse_query(text, now=self.now)


def _kind_of(request: Request) -> str:
    given = paging.text_of(request, "kind")
    if given not in (None, SESSIONS, VERSIONS):
        raise InvalidRequest("kind takes sessions or versions.", param="kind")
    return given or SESSIONS


def _place_of(request: Request) -> Place | None:
    given = paging.text_of(request, "starting_after")
    if given is None:
        return None
    found = place_of(given)
    if found is None:
        raise InvalidRequest(
            "starting_after takes the next of an earlier answer.",
            param="starting_after",
        )
    return found


def _list_object(found: Found) -> dict[str, Any]:
    return {
        "object": "list",
        "data": [_result_object(result) for result in found.results],
        "has_more": found.next is not None,
        "first_id": _id_of(found.results[0]) if found.results else None,
        "last_id": _id_of(found.results[-1]) if found.results else None,
        "next": None if found.next is None else str(found.next),
        "notices": list(found.notices),
        "as_of": found.as_of,
    }


def _id_of(result: Result) -> str:
    return str(Place(result.session.id, result.number))


def _result_object(result: Result) -> dict[str, Any]:
    return {
        "object": "search_result",
        "session_id": result.session.id,
        "version": result.number,
        "session": _session_object(result.session),
        "matches": [_match_object(match) for match in result.matches],
    }


def _session_object(session: Candidate) -> dict[str, Any]:
    return {
        "id": session.id,
        "agent_id": session.agent,
        "user_id": session.user_id,
        "external_id": session.external_id,
        "status": session.status,
        "version": session.head_number,
        "forked_from": session.origin_session_id,
        "rollback_count": session.rollback_count,
        "created_at": utc_text(session.created_at),
        "updated_at": utc_text(session.updated_at),
    }


def _match_object(match: Match) -> dict[str, Any]:
    hit = match.hit
    shown: dict[str, Any] = {
        "clause": match.clause,
        "where": hit.where,
        "version": hit.version,
        "pointer": hit.pointer,
        "turn_number": hit.turn_number,
    }
    if hit.quote is not None:
        shown["quote"] = hit.quote
    if hit.value is not MISSING:
        value = json.cleaned(hit.value, max_depth=3, max_entries=20)
        shown["value"] = Fragment(json.dumps(value))
    return shown
