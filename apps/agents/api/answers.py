"""One act for one idempotency key, and answers that are replayed byte for byte."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import cast

import orjson
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Caller
from apps.accounts.models import StoredAnswer
from apps.accounts.operations import Redaction, answer_once
from apps.accounts.operations.answers import KEPT
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core import json, provenance
from apps.core.http import ApiView, idempotency_key, request_digest

Body = tuple[int, bytes]


def answered(
    request: Request,
    *,
    scope: Scope,
    perform: Callable[[], Body],
    redaction: Redaction | None = None,
) -> Response:
    """Answer what `perform` returns, or what it returned to the same key before.

    What a `redaction` leaves out is not kept for that.

    Raises: IdempotencyKeyReused, and what `perform` raises.
    """
    view: ApiView = request.parser_context["view"]
    key, replayed = idempotency_key(request), False
    if key is None:
        status, body = perform()
    else:
        status, body, replayed = answer_once(
            project_id=scope.project.id,
            key=key,
            digest=_digest(request, scope),
            now=timezone.now(),
            perform=partial(_perform_anew, view, perform),
            redaction=redaction,
        )
    headers = {"Idempotent-Replayed": "true"} if replayed else None
    data = orjson.Fragment(body) if body else None
    return Response(data, status=status, headers=headers)


def is_answered(request: Request, *, scope: Scope) -> bool:
    """Say whether the request's key has an answer that still counts.

    Raises: what the request is refused for, if it has none.
    """
    key = idempotency_key(request)
    if key is None:
        return False
    answers = StoredAnswer.objects.filter(project_id=scope.project.id, key=key)
    if answers.filter(created_at__gt=timezone.now() - KEPT).exists():
        return True
    view: ApiView = request.parser_context["view"]
    view.require_understood()
    return False


def act_of(request: Request) -> Act:
    """Return the act of a request that came in by key; make it once in each view."""
    caller = cast(Caller, request.auth)
    return Act(
        scope=Scope(caller.project, caller.agents),
        actor=caller.actor,
        now=timezone.now(),
        request=provenance.Request(id=request._request.request_id),  # type: ignore[attr-defined]
        api_key_id=caller.key_id,
    )


def _perform_anew(view: ApiView, perform: Callable[[], Body]) -> Body:
    view.require_understood()
    return perform()


def _digest(request: Request, scope: Scope) -> bytes:
    """A key limited to some agents must not be told an answer about another one.

    What a deletion names may stand in the query.
    """
    seen_by = json.dumps(scope.agent_list)
    query = request.META.get("QUERY_STRING", "").encode()
    return hashlib.sha256(request_digest(request) + seen_by + query).digest()
