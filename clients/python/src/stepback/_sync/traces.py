# Written by make_sync.py from _async/traces.py: do not edit.
"""Every act, as it was recorded."""

from __future__ import annotations

from stepback import answers
from stepback._sync.resource import Resource
from stepback.answers import page_of


class Traces(Resource):
    """Traces of all sessions, or of one."""

    def get(self, trace_id: str) -> answers.Trace:
        """Read one trace."""
        return self._ask(answers.Trace.of, ("traces", trace_id))

    def list(
        self,
        *,
        session_id: str | None = None,
        action: str | None = None,
        agent_id: str | None = None,
        user_id: str | None = None,
        resource_type: str | None = None,
        resource_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int = 50,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Trace]:
        """List traces, newest first, of all sessions or of one."""
        of_one = ("traces", "sessions", str(session_id), "traces")
        return self._ask(
            page_of(answers.Trace.of),
            ("traces",) if session_id is None else of_one,
            action=action,
            agent_id=agent_id,
            user_id=user_id,
            resource_type=resource_type,
            resource_id=resource_id,
            created_after=created_after,
            created_before=created_before,
            limit=limit,
            starting_after=starting_after,
        )
