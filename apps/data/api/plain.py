"""The plain cases of agents' data for the door: a value is written, a value is read.

Without an idempotency key, by a key for every agent, of an agent that this process has
seen before. A blocked write is no plain one: the ordinary view records it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import Any

import psycopg
from django.db import Error, connections
from django.utils import timezone
from psycopg_pool import PoolClosed, PoolTimeout

from apps.accounts.access import GRANTS, Caller, Permission
from apps.accounts.recognition import CALLERS
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core import json
from apps.core.errors import DomainError
from apps.core.http.headers import digest_of
from apps.core.http.views import allowance_of
from apps.core.processes.served import ALLOWANCE
from apps.core.provenance import Request
from apps.data import operations as data
from apps.data.api import shapes
from apps.data.api.data import DataCollection, DataDetail
from apps.data.documents.values import NewValue, WriteResult
from apps.timeline.api.door import inputs
from apps.timeline.api.door.plain import PlainAnswer, PlainCase, PlainRequest
from apps.timeline.api.door.reads import Pool, borrowed
from apps.timeline.api.door.writes import Told, answer_write

# As the routes have them, of visible ASCII; what is no key is left to its own view.
_AGENT = r"/agents/([!-.0-~]+)"
_KEY = r"(?!batch\Z|search\Z|prefix/)([!-~]+)(?<!/full)(?<!/versions)"
_ROOTS = ("/v1", "")
_VALUE: dict[str, type] = {
    **dict.fromkeys(("key", "value", "reasoning"), str),
    "metadata": dict,
    "expected_version": int,
}
_MOST_REASONING = 32_768
# They say more about a write than its body.
_CONDITIONS = ("HTTP_IDEMPOTENCY_KEY", "HTTP_IF_MATCH")


def plain_cases(pool: Pool) -> list[PlainCase]:
    """Return the cases that the door answers, on connections of this pool."""
    return [case for root in _ROOTS for case in _cases(root, pool)]


def _cases(root: str, pool: Pool) -> list[PlainCase]:
    return [
        PlainCase(
            method="POST",
            path=re.compile(f"{root}{_AGENT}/data", re.ASCII),
            example=f"{root}/agents/id/data",
            view=DataCollection,
            takes_body=True,
            answer=_written,
        ),
        PlainCase(
            method="GET",
            path=re.compile(f"{root}{_AGENT}/data/{_KEY}", re.ASCII),
            example=f"{root}/agents/id/data/key",
            view=DataDetail,
            takes_body=False,
            answer=partial(_read, pool),
        ),
    ]


def _written(request: PlainRequest) -> PlainAnswer | None:
    if any(name in request.environ for name in _CONDITIONS):
        return None
    return answer_write(
        request,
        partial(_stored, request),
        lambda stored: Told(200, shapes.write_object(stored)),
    )


def _stored(request: PlainRequest, caller: Caller) -> WriteResult | None:
    """Write the value that is sent; None where that takes the ordinary view.

    Raises: NotPlain, DomainError, Error.
    """
    given = inputs.parsed(request.body)
    inputs.require(given, _VALUE)
    reasoning = given.get("reasoning")
    if len(reasoning or "") > _MOST_REASONING:
        return None
    (reference,) = request.names
    return data.write_plainly(
        act=_act(request, caller, digest=_digest(request)),
        reference=reference,
        item=_value(given),
        reasoning=reasoning,
    )


def _value(given: Mapping[str, Any]) -> NewValue:
    """Raises: NotPlain."""
    key, value = given.get("key"), given.get("value")
    if key is None or value is None:
        raise inputs.NotPlain
    return NewValue(
        key=key,
        value=value,
        metadata=given.get("metadata") or {},
        expected=given.get("expected_version"),
    )


def _read(pool: Pool, request: PlainRequest) -> PlainAnswer | None:
    """Answer, unless the key, the agent or the caller's limit is out of the usual."""
    caller = _reader(request)
    if caller is None:
        return None
    # Before it is read, for the record says that it was.
    allowance = allowance_of(caller.key_id, caller.rate_limit)
    request.environ[ALLOWANCE] = allowance
    if allowance.is_exceeded:
        return None
    reference, key = request.names
    try:
        with borrowed(pool) as connection:
            reading = data.read_value_plainly(
                connection=connection,
                act=_act(request, caller, digest=b""),
                reference=reference,
                key=key,
            )
    except (DomainError, PoolTimeout, PoolClosed, psycopg.Error):
        return None
    if reading is None:
        return None
    body = json.splice(shapes.value_object(reading))
    return PlainAnswer(200, {}, body, allowance.headers, caller.key_id)


def _reader(request: PlainRequest) -> Caller | None:
    secret = request.secret()
    if secret is None:
        return None
    try:
        caller = CALLERS.find(secret, now=timezone.now())
    except (DomainError, Error):
        return None
    finally:
        # As after a request of Django's: back to the pool.
        connections["default"].close_if_unusable_or_obsolete()
    may_read = Permission.READ in GRANTS.get(str(caller.scope), ())
    return caller if may_read and caller.agents is None else None


def _digest(request: PlainRequest) -> bytes:
    """Return what tells an act from another, as `DataView.act` has it."""
    path, tag = request.environ["PATH_INFO"], request.header("HTTP_IF_MATCH")
    digest = digest_of(request.environ["REQUEST_METHOD"], path, tag, request.body)
    return sha256(digest).digest()


def _act(request: PlainRequest, caller: Caller, *, digest: bytes) -> Act:
    """Return the act, as `DataView.act` has it; of a read nobody asks which it was."""
    return Act(
        scope=Scope(caller.project),
        actor=caller.actor,
        now=timezone.now(),
        api_key_id=caller.key_id,
        request=Request(id=request.request_id, key=None, digest=digest),
    )
