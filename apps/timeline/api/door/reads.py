"""The plain read of a head: one statement, and nothing parsed.

For masked keys there is a second one, of what the masks are by now.

0.16 ms of a processor, where the ordinary view takes 1.5 (the empty view of a bare
REST framework: 0.25).
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from django.utils import timezone
from psycopg import Connection
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from apps.accounts import secrets
from apps.accounts.access import GRANTS, Permission
from apps.accounts.authentication import USE_RESOLUTION
from apps.accounts.masks import ProjectMasks
from apps.accounts.models import Scope
from apps.core import json
from apps.core.http.views import allowance_of
from apps.core.processes.served import ALLOWANCE
from apps.timeline import bodies
from apps.timeline.api.door.plain import (
    PlainAnswer,
    PlainCase,
    PlainRequest,
    session_path,
)
from apps.timeline.api.masks.masked import drawn
from apps.timeline.api.states import SHOWN_AT, StateView, state_object
from apps.timeline.versions import plain_head
from apps.timeline.versions.plain_head import PlainHead

Pool = ConnectionPool[Connection[Any]]

# No longer than a busy pool needs: the ordinary view then waits its own time.
POOL_SECONDS = 0.2


def reading_cases(pool: Pool) -> list[PlainCase]:
    """Return the reads that the door answers, on connections of this pool."""
    return [
        PlainCase(
            method="GET",
            path=session_path("state"),
            example="/v1/sessions/id/state",
            view=StateView,
            takes_body=False,
            answer=lambda request: _answer(pool, request),
        )
    ]


def _answer(pool: Pool, request: PlainRequest) -> PlainAnswer | None:
    """Answer, unless the key, the session or the caller's limit is out of the usual."""
    found = _read(pool, request)
    if found is None:
        return None
    head = found.head
    allowance = allowance_of(head.key_id, head.rate_limit)
    request.environ[ALLOWANCE] = allowance
    if allowance.is_exceeded:
        return None
    tag = f'"v{head.number}"'
    # What a masked key has kept was drawn by masks that may be others by now.
    is_known = request.header("HTTP_IF_NONE_MATCH") == tag and found.masks is None
    body = b"" if is_known else _written(found)
    return PlainAnswer(
        304 if is_known else 200, {"ETag": tag}, body, allowance.headers, head.key_id
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A head and its state, and by which masks a masked key is shown it."""

    head: PlainHead
    state: bytes
    masks: ProjectMasks | None


def _read(pool: Pool, request: PlainRequest) -> _Found | None:
    """Return the head and its state, if this key may read them."""
    secret = request.secret()
    if secret is None:
        return None
    digest, now = secrets.digest(secret), timezone.now()
    masks = None
    try:
        with borrowed(pool) as connection:
            head = plain_head.read(
                connection,
                digest=digest,
                session_id=request.names[0],
                now=now,
                stale=now - USE_RESOLUTION,
            )
            if head is None or not hmac.compare_digest(head.secret_hash, digest):
                return None
            state = plain_head.state(connection, head)
            if head.scope == Scope.MASKED:
                masks = plain_head.masks(connection, head)
    except (bodies.CorruptBody, PoolTimeout, PoolClosed, psycopg.Error):
        return None
    # Who does not see all is answered with the masks, or not here.
    needed = Permission.READ if masks is None else Permission.READ_MASKED
    if state is None or needed not in GRANTS.get(head.scope, ()):
        return None
    return _Found(head, state, masks)


@contextmanager
def borrowed(pool: Pool) -> Iterator[Connection[Any]]:
    """Give a connection of the pool, in autocommit.

    Raises: PoolTimeout, PoolClosed.
    """
    connection = pool.getconn(timeout=POOL_SECONDS)
    try:
        yield connection
    finally:
        pool.putconn(connection)


def _written(found: _Found) -> bytes:
    told = state_object(found.head, found.state, found.head.last_rollback)
    if found.masks is not None:
        return drawn(found.masks, told, SHOWN_AT)
    return json.dumps(told)
