"""The door in front of Django: a table of plain cases, each answered without it.

Agents read and write states in a loop, and most of what such a request cost was not
the work: Django, REST framework and the ORM took 1.4 ms of the 1.5 of a read, and 1.0
of a write. The door answers where all is as usual and passes on everything else. So it
may know fewer cases than the ordinary views, never other rules:
`tests/timeline/door/` holds the two to equal answers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cached_property
from http import HTTPStatus
from time import perf_counter
from typing import Any, cast

import structlog
from django.db import connections
from django.urls import resolve
from psycopg import Connection
from psycopg_pool import ConnectionPool

from apps.core.database.base import DatabaseWrapper
from apps.core.http.bodies import JSONRenderer
from apps.core.http.views import allowed_methods
from apps.core.middleware import security_headers
from apps.core.monitoring import exposition
from apps.core.monitoring.log import write_request
from apps.timeline.api.door.acting import acting_cases
from apps.timeline.api.door.plain import (
    Environ,
    PlainAnswer,
    PlainCase,
    PlainRequest,
    plain_request,
    table_of,
)
from apps.timeline.api.door.reads import reading_cases
from apps.timeline.api.door.writes import writing_cases

Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Pool = ConnectionPool[Connection[Any]]


class Door:
    """A WSGI application around Django's."""

    def __init__(self, application: Application, cases: Iterable[PlainCase]) -> None:
        self._application = application
        self._table = table_of(cases)
        self._routes = {
            path: resolve(next(iter(cases.values())).example).route
            for path, cases in self._table.items()
        }
        self._headers = {
            (case.view, is_secure): {
                **security_headers(is_secure=is_secure),
                "Allow": allowed_methods(case.view),
                "Cache-Control": "no-store",
            }
            for cases in self._table.values()
            for case in cases.values()
            for is_secure in (False, True)
        }

    def __call__(
        self, environ: Environ, start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        found = plain_request(environ, self._table)
        if found is not None:
            case, request = found
            answer = _answered(case, request)
            if answer is not None:
                start_response(*self._finished(case, request, answer))
                return [answer.body]
        return self._application(environ, start_response)

    @cached_property
    def _observe(self) -> exposition.Observe | None:
        """Made by the first answer: before it, the worker may not be forked yet."""
        return exposition.observer()

    def _finished(
        self, case: PlainCase, request: PlainRequest, answer: PlainAnswer
    ) -> tuple[str, list[tuple[str, str]]]:
        """Count and log an answer; return its status and all of its headers."""
        milliseconds = (perf_counter() - request.started) * 1000
        request_id = request.request_id
        headers = {
            **self._headers[case.view, request.is_secure],
            **answer.allowance,
            **answer.headers,
            "X-Request-Id": request_id,
            "X-StateBase-Latency": str(round(milliseconds)),
        }
        if answer.body:
            headers["Content-Type"] = JSONRenderer.media_type
            headers["Content-Length"] = str(len(answer.body))
        route = self._routes[case.path]
        facts = {
            "method": case.method,
            "route": route,
            "status": answer.status,
            "duration_ms": round(milliseconds, 2),
            "bytes": len(answer.body),
            **({"received": str(len(request.body))} if request.body else {}),
            "key": answer.key_id,
        }
        write_request(facts, request_id=request_id, level=logging.INFO)
        if self._observe is not None:
            self._observe(
                method=case.method,
                route=route,
                status=answer.status,
                seconds=milliseconds / 1000,
            )
        phrase = f"{answer.status} {HTTPStatus(answer.status).phrase}"
        return phrase, list(headers.items())


def with_door(
    application: Application, *others: Callable[[Pool], Iterable[PlainCase]]
) -> Application:
    """Put the door in front where statements may be prepared on pooled connections.

    `others` give the cases of the apps above, on connections of this pool.
    """
    database = connections["default"]
    is_pooled = bool(database.settings_dict["OPTIONS"].get("pool"))
    is_prepared = database.settings_dict["OPTIONS"]["prepare_threshold"] is not None
    if not (is_pooled and is_prepared):
        return application
    pool: Pool = cast(DatabaseWrapper, database).pool
    above = [case for cases in others for case in cases(pool)]
    ours = [*reading_cases(pool), *writing_cases(), *acting_cases()]
    return Door(application, [*ours, *above])


def _answered(case: PlainCase, request: PlainRequest) -> PlainAnswer | None:
    """Ask the case; whatever it logs carries the request's id."""
    with structlog.contextvars.bound_contextvars(request_id=request.request_id):
        return case.answer(request)
