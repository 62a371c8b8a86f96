"""What an agent needs for its next call: state, memories, summary, turns since."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.core.http.openapi.schema import errors
from apps.timeline import hooks
from apps.timeline.api import examples, outputs, shapes
from apps.timeline.api.base import TimelineView
from apps.timeline.api.outputs.gaps import removed_among_turns
from apps.timeline.api.summaries.context import condensed
from apps.timeline.api.summaries.inputs import ContextInput
from apps.timeline.api.turns import turn_objects
from apps.timeline.queries import listing
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.lineage import Lineage

CONTEXT_TURNS = 10
CONTEXT_MEMORIES = 5


class ContextView(TimelineView):
    """What an agent needs for its next call."""

    required_scope = Permission.READ  # a POST, but it only reads

    @extend_schema(
        operation_id="build_context",
        request=ContextInput,
        examples=examples.CONTEXT,
        responses={200: outputs.Context, **errors(400, 401, 403, 404, 415, 422, 429)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Return the state, memories, the newest summary and the turns since.

        What was set aside is among none of them, unless it is asked for.
        """
        given = self.read(ContextInput).validated_data
        head = self.version(session_id, None)
        memories = given.get("memory_limit")
        # Begun here: the question is embedded while all else is read.
        recalling = hooks.recall(
            hooks.RecallAsked(
                act=self.act,
                head=head,
                query=given.get("query"),
                limit=CONTEXT_MEMORIES if memories is None else memories,
                includes_set_aside=bool(given.get("include_set_aside")),
            )
        )
        limit = given.get("turn_limit")
        n_turns = CONTEXT_TURNS if limit is None else limit
        lineage = Lineage(session_id, head.number)
        told = condensed(session_id, lineage, given)
        recent = listing.recent_turns(
            session_id,
            lineage=None if given.get("include_set_aside") else lineage,
            limit=n_turns,
            since=told.last_turn,
        )
        rollback = shapes.last_rollback(fetching.last_rollback(head))
        recalled = recalling()
        return Response(
            {
                "session_id": session_id,
                "version": head.number,
                "state": Fragment(reading.state(head)),
                "memories": recalled.memories,
                "average_relevance": recalled.average_relevance,
                "drift_warning": recalled.is_drifting,
                **told.fields,
                "recent_turns": turn_objects(session_id, recent),
                "removed": removed_among_turns(
                    head, recent, since=told.last_turn, is_all=len(recent) < n_turns
                ),
                "last_rollback": rollback,
            }
        )
