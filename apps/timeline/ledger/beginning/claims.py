"""Claim the id of a session by an idempotency key, and by the caller's name of it.

Whoever writes a claim first decides the session's id; each is idempotent by itself, so
a retry after a lost answer meets its own session.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.agents.acts import Act
from apps.core.errors import IdempotencyKeyReused
from apps.core.provenance import Request
from apps.timeline.ledger.facts.about import About
from apps.timeline.models import RequestKey, SessionName


@dataclass(frozen=True, slots=True)
class Claims:
    """What a new session is claimed by, and what is known of it from then on."""

    act: Act
    about: About

    @property
    def request(self) -> Request:
        return self.act.request

    @property
    def expires_at(self) -> datetime | None:
        ttl = self.about.ttl_seconds
        return self.act.now + timedelta(seconds=ttl) if ttl else None

    def by_key(self) -> RequestKey | None:
        """Return the claim of this key, if it was written before.

        Raises: IdempotencyKeyReused.
        """
        if self.request.key is None:
            return None
        known = RequestKey.objects.filter(
            project_id=self.act.project_id, key=self.request.key
        ).first()
        if known is not None:
            self._require_same(known)
        return known

    def keyed(self, session_id: str, metadata: bytes) -> str:
        """Write the key first; whoever wrote it before decides the session's id."""
        if self.request.key is None:
            return session_id
        mine = RequestKey(
            project_id=self.act.project_id,
            key=self.request.key,
            digest=self.request.digest,
            session_id=session_id,
            title=self.about.title,
            metadata=metadata,
            expires_at=self.expires_at,
            requested_at=self.act.now,
        )
        RequestKey.objects.bulk_create([mine], ignore_conflicts=True)
        known = RequestKey.objects.get(
            project_id=self.act.project_id, key=self.request.key
        )
        self._require_same(known)
        return str(known.session_id)

    def named(self, session_id: str) -> str:
        """Write the name; whoever wrote it before decides the session's id.

        If its creator died before it made the session, this request makes it; if
        the session is there, the create function says so.
        """
        if self.about.external_id is None:
            return session_id
        mine = SessionName(
            project_id=self.act.project_id,
            external_id=self.about.external_id,
            session_id=session_id,
        )
        SessionName.objects.bulk_create([mine], ignore_conflicts=True)
        known = SessionName.objects.get(
            project_id=self.act.project_id, external_id=self.about.external_id
        )
        return str(known.session_id)

    def _require_same(self, known: RequestKey) -> None:
        if bytes(known.digest) != self.request.digest:
            raise IdempotencyKeyReused(param="Idempotency-Key")
