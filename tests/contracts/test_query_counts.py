"""Reading takes as many statements for many rows as for few.

Statements are counted where they leave for the database, so that the ORM's and those
of `apps.core.sql` count alike.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import Role, User
from apps.core.actors import SYSTEM
from apps.timeline import bodies
from apps.timeline.body_cache import Cache
from apps.worker import health
from tests.contracts.routes import Route, api_routes, page_routes
from tests.contracts.world import World

pytestmark = pytest.mark.django_db

READS = [route for route in api_routes() if not route.is_write]
# Query parameters that ask for more than a plain list does.
MORE = {
    "GET /v1/sessions": {"limit": "100"},
    "GET /v1/agents": {"limit": "100"},
    "GET /v1/webhooks": {"limit": "100"},
    "GET /v1/dashboard/keys": {"limit": "100"},
    "GET /v1/webhooks/{webhook_id}/deliveries": {"limit": "100"},
    "GET /v1/traces": {"limit": "100"},
    "GET /v1/search": {"limit": "100", "q": "changed:state.city forked:no"},
    "GET /v1/sessions/{session_id}/turns": {"limit": "100"},
    "GET /v1/sessions/{session_id}/notes": {"limit": "100"},
    "GET /v1/sessions/{session_id}/history": {"limit": "100"},
    "GET /v1/sessions/{session_id}/state/history": {"limit": "100"},
    "GET /v1/sessions/{session_id}/versions": {
        "limit": "100",
        "include_state": "true",
    },
    "GET /v1/traces/sessions/{session_id}/traces": {"limit": "100"},
}
PAGES = [page for page in page_routes() if page[0].startswith("/console/")]


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect every statement that is sent on this thread's connection.

    Other threads send some of their own: a probe of the database, a pool that tries
    its connections. And every page asks once in a while whether a worker runs.
    """
    sent: list[str] = []
    execute = psycopg.Cursor.execute
    ours = connection.connection

    def counting(self: Any, query: Any, *args: Any, **options: Any) -> Any:
        if self.connection is ours:
            sent.append(str(query))
        return execute(self, query, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", counting)
        patch.setattr(health, "_remembered", (math.inf, "healthy"))
        yield sent


def statements(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], tuple[int, bytes]]
) -> tuple[list[str], int]:
    """Return what one read sends, with nothing remembered from an earlier one.

    The second value is the size of the answer, to see that it had more to tell.
    """
    read()  # notes the use of the key, loads what a process loads once
    monkeypatch.setattr(bodies, "cache", Cache())
    with counted(monkeypatch) as sent:
        status, content = read()
    assert status == 200, content
    return sent, len(content)


@pytest.mark.parametrize("route", READS, ids=str)
def test_more_rows_take_no_more_statements(
    route: Route, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {**route.query, **MORE.get(str(route), {})}

    def read() -> tuple[int, bytes]:
        path = route.path(world.parameters)
        answer = world.client_for(route).send(
            route.method, path, route.body, None, query
        )
        return answer.status, answer.content

    few, size = statements(monkeypatch, read)
    world.grow()
    many, larger = statements(monkeypatch, read)

    assert few, "Nothing was counted."
    assert larger > size or str(route) not in MORE, "The list did not grow."
    assert len(many) == len(few), f"Few: {few}\n\nMany: {many}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page[0]))
def test_more_rows_take_a_page_no_more_statements(
    page: tuple[str, tuple[str, ...]],
    world: World,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client.force_login(member_of(world), "django.contrib.auth.backends.ModelBackend")
    pattern, parameters = page
    samples = {**world.parameters, "slug": world.project.slug}
    missing = [name for name in parameters if name not in samples]
    assert not missing, f"{pattern} has parameters without a sample: {missing}"

    def read() -> tuple[int, bytes]:
        response = client.get(pattern.format(**samples), follow=True)
        return response.status_code, response.content

    if read()[0] == 405:
        return  # what only acts is for tests/contracts/test_pages.py

    few, _ = statements(monkeypatch, read)
    world.grow()
    many, _ = statements(monkeypatch, read)

    assert len(many) == len(few), f"Few: {few}\n\nMany: {many}"


def test_a_statement_per_row_would_be_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted(monkeypatch) as sent:
        world.client.get(world.session)
        once = len(sent)
        world.client.get(world.session)

    assert len(sent) >= 2 * once - 1 > 0


def member_of(world: World) -> User:
    about = {"actor": SYSTEM, "now": timezone.now(), "request_id": "req_test"}
    user = accounts.create_user(username="alice", **about)
    accounts.add_member(project=world.project, user=user, role=Role.ADMIN, **about)
    return user
