# Written by make_sync.py from _async/sessions.py: do not edit.
"""Sessions: begun, found, forked, held, handed on, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import UNSAID, Unsaid, given
from stepback.stories import (
    Checkpointed,
    Held,
    Json,
    Repeatable,
)


class SessionLives(Resource):
    """What becomes of a session as a whole."""

    def create(
        self,
        agent_id: str,
        initial_state: Mapping[str, Json] | None = None,
        *,
        reasoning: str | None = None,
        user_id: str | None = None,
        external_id: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        ttl_seconds: int | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Checkpointed],
    ) -> answers.Session:
        """Begin a session with version 0. `external_id` is your name for it.

        `title` says what it is about, in at most 300 characters.

        Raises: ExternalIdTaken with the session that has the name.
        """
        body = given(
            agent_id=agent_id,
            initial_state=initial_state,
            reasoning=reasoning,
            user_id=user_id,
            external_id=external_id,
            title=title,
            metadata=metadata,
            ttl_seconds=ttl_seconds,
            **story,
        )
        return self._send(
            "POST", ("sessions",), body, answers.Session.of, idempotency_key
        )

    def get(self, session_id: str) -> answers.Session:
        """Read a session with the state of its head."""
        return self._ask(answers.Session.of, ("sessions", session_id))

    def list(
        self,
        *,
        agent_id: str | None = None,
        user_id: str | None = None,
        status: str | None = None,
        external_id: str | None = None,
        review: str | None = None,
        score: str | None = None,
        forked_from: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Session]:
        """List sessions, newest first.

        `review` is `fine`, `failed` or `none`; `score` a comparison: `reward<0.5`.
        """
        return self._ask(
            page_of(answers.Session.of),
            ("sessions",),
            agent_id=agent_id,
            user_id=user_id,
            status=status,
            external_id=external_id,
            review=review,
            score=score,
            forked_from=forked_from,
            metadata=None if metadata is None else dict(metadata),
            created_after=created_after,
            created_before=created_before,
            limit=limit,
            starting_after=starting_after,
        )

    def update(
        self,
        session_id: str,
        *,
        title: str | Unsaid | None = UNSAID,
        metadata: Mapping[str, Json] | None = None,
        ttl_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.SessionMetadata:
        """Set the title (None removes it), merge metadata (None removes a key).

        `ttl_seconds` sets the time to live from now (0: for ever).
        """
        body = given(metadata=metadata, ttl_seconds=ttl_seconds)
        if title is not UNSAID:
            body["title"] = title
        segments = ("sessions", session_id)
        read = answers.SessionMetadata.of
        return self._send("PATCH", segments, body, read, idempotency_key)

    def delete(self, session_id: str, **once: Unpack[Repeatable]) -> None:
        """Delete it for agents; its versions stay as evidence."""
        self._remove(("sessions", session_id), calls.key_in(once))

    def fork(
        self,
        session_id: str,
        version: int | None = None,
        *,
        reason: str | None = None,
        agent_id: str | None = None,
        state: Mapping[str, Json] | None = None,
        user_id: str | None = None,
        external_id: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        ttl_seconds: int | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Checkpointed],
    ) -> answers.Session:
        """Begin a new session from any version, the head if unset.

        `state` is merged into its version 0. The session forked from stays as it is.
        """
        body = given(
            version=version,
            reason=reason,
            agent_id=agent_id,
            state=state,
            user_id=user_id,
            external_id=external_id,
            title=title,
            metadata=metadata,
            ttl_seconds=ttl_seconds,
            **story,
        )
        return self._send(
            "POST",
            ("sessions", session_id, "fork"),
            body,
            answers.Session.of,
            idempotency_key,
        )

    def hand_off(
        self,
        session_id: str,
        version: int | None = None,
        *,
        to_agent: str | None = None,
        idempotency_key: str | None = None,
    ) -> Mapping[str, Json]:
        """Return a descriptor of a version, signed by the server, to be adopted."""
        return self._send(
            "POST",
            ("sessions", session_id, "handoffs"),
            given(version=version, to_agent=to_agent),
            answers.described,
            idempotency_key,
        )

    def adopt(
        self,
        handoff: Mapping[str, Json],
        *,
        agent_id: str | None = None,
        user_id: str | None = None,
        external_id: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        ttl_seconds: int | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Checkpointed],
    ) -> answers.Session:
        """Begin a session from what was handed off.

        Raises: HandoffNotVerified for a descriptor that the server did not sign.
        """
        body = given(
            handoff=handoff,
            agent_id=agent_id,
            user_id=user_id,
            external_id=external_id,
            title=title,
            metadata=metadata,
            ttl_seconds=ttl_seconds,
            reason=reason,
            **story,
        )
        return self._send(
            "POST",
            ("handoffs", "adopt"),
            body,
            answers.Session.of,
            idempotency_key,
        )

    def pause(
        self, session_id: str, reason: str | None = None, **held: Unpack[Held]
    ) -> answers.State:
        """Refuse agents' writes (`SessionPaused`) until the session is resumed."""
        return self._hold(session_id, "pause", reason, held)

    def resume(
        self, session_id: str, reason: str | None = None, **held: Unpack[Held]
    ) -> answers.State:
        """Let agents write again."""
        return self._hold(session_id, "resume", reason, held)

    def close(
        self, session_id: str, reason: str | None = None, **held: Unpack[Held]
    ) -> answers.State:
        """End the session for good; it can still be read and forked."""
        return self._hold(session_id, "close", reason, held)

    def _hold(
        self, session_id: str, verb: str, reason: str | None, held: Held
    ) -> answers.State:
        body = given(reason=reason, **held)
        segments = ("sessions", session_id, verb)
        return self._send("POST", segments, body, answers.State.of)
