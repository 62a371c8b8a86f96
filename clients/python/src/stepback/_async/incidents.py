"""Incidents: what went wrong in many sessions, who looks after it, what was done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import IncidentChanges, PlanKind, Repeatable, RollbackTarget


class AsyncIncidents(AsyncResource):
    """Incidents: opened, read, changed, noted on, reported."""

    async def open(
        self,
        title: str,
        *,
        search: str | None = None,
        sessions: Sequence[str] | None = None,
        release: str | None = None,
        check: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Incident:
        """Open an incident over the sessions that are named, or that are found.

        Give one of `search`, `sessions` and `release`. Their list is frozen. Where a
        `check` says what should hold, the worker looks for the first version of each
        that does not pass.
        """
        named = None if sessions is None else list(sessions)
        body = given(
            title=title, search=search, sessions=named, release=release, check=check
        )
        read = answers.Incident.of
        return await self._send("POST", ("incidents",), body, read, idempotency_key)

    async def plan(
        self,
        incident_id: str,
        kind: PlanKind,
        *,
        label: str | None = None,
        outcome: Literal["fine", "failed"] | None = None,
        to_schema: str | None = None,
        from_schema: str | None = None,
        target: RollbackTarget | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Plan:
        """Plan an act on all sessions that are in it; `plans.confirm` has it done.

        A rollback without a `target` goes back before the first bad version that the
        incident's check has found.
        """
        body = given(
            kind=kind,
            label=label,
            outcome=outcome,
            to_schema=to_schema,
            from_schema=from_schema,
            target=None if target is None else dict(target),
        )
        segments, read = ("incidents", incident_id, "plans"), answers.Plan.of
        return await self._send("POST", segments, body, read, idempotency_key)

    async def get(self, incident_id: str) -> answers.Incident:
        """Read an incident, and how many sessions it has by what they share."""
        return await self._ask(answers.Incident.of, ("incidents", incident_id))

    async def list(
        self,
        *,
        status: Literal["open", "watching", "resolved"] | None = None,
        number: int | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.ListedIncident]:
        """List incidents, newest first."""
        return await self._ask(
            page_of(answers.ListedIncident.of),
            ("incidents",),
            status=status,
            number=number,
            limit=limit,
            starting_after=starting_after,
        )

    async def change(
        self, incident_id: str, **changes: Unpack[IncidentChanges]
    ) -> answers.Incident:
        """Change its title, status, owner or check: what is not named stays."""
        read = answers.Incident.of
        return await self._send("PATCH", ("incidents", incident_id), changes, read)

    async def note(
        self, incident_id: str, text: str, **once: Unpack[Repeatable]
    ) -> answers.IncidentNote:
        """Write a note on an incident."""
        segments, key = ("incidents", incident_id, "notes"), calls.key_in(once)
        return await self._send(
            "POST", segments, {"text": text}, answers.IncidentNote.of, key
        )

    async def notes(
        self, incident_id: str, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.IncidentNote]:
        """List what was done with an incident, in order."""
        return await self._ask(
            page_of(answers.IncidentNote.of),
            ("incidents", incident_id, "notes"),
            limit=limit,
            starting_after=starting_after,
        )

    async def members(
        self, incident_id: str, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.IncidentMember]:
        """List the sessions of an incident, newest first, also those taken out."""
        return await self._ask(
            page_of(answers.IncidentMember.of),
            ("incidents", incident_id, "members"),
            limit=limit,
            starting_after=starting_after,
        )

    async def add(
        self, incident_id: str, sessions: Sequence[str], **once: Unpack[Repeatable]
    ) -> answers.Incident:
        """Add sessions as they are now; those taken out come back."""
        segments, key = (
            ("incidents", incident_id, "members"),
            calls.key_in(once),
        )
        body, read = {"sessions": list(sessions)}, answers.Incident.of
        return await self._send("POST", segments, body, read, key)

    async def remove(
        self, incident_id: str, session_id: str, **once: Unpack[Repeatable]
    ) -> None:
        """Take a session out of an incident; that it was in it stays said."""
        segments = ("incidents", incident_id, "members", session_id)
        await self._remove(segments, calls.key_in(once))

    async def report(self, incident_id: str) -> answers.IncidentReport:
        """Report an incident; `markdown` has the whole report."""
        segments = ("incidents", incident_id, "report")
        return await self._ask(answers.IncidentReport.of, segments)
