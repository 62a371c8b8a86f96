"""Reading takes as many statements for many rows as for few.

Statements are counted where they leave for the database, so that the ORM's and those
of `apps.core.sql` count alike.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from apps.accounts import authentication
from apps.accounts import operations as accounts
from apps.accounts.models import BrowserSession, Role, User
from apps.accounts.views import visits
from apps.timeline import bodies
from apps.timeline.bodies.caching import Cache
from apps.worker import health
from tests.acts import act_by
from tests.contracts.routes import Route, api_routes, page_routes, prepared
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
    "GET /v1/retention/policies": {"limit": "100"},
    "GET /v1/retention/previews": {"limit": "100"},
    "GET /v1/retention/removals": {"limit": "100"},
    "GET /v1/retention/legal-holds": {"limit": "100"},
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
# The page of components shows nothing that is stored, and is there in debug only.
PAGES = [
    page
    for page in page_routes()
    if page[0].startswith("/console/") and page[0] != "/console/components"
]

Read = Callable[[], tuple[int, bytes]]
# No answer is so large.
ACTS = -1


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect every statement that is sent on this thread's connection.

    Other threads send some of their own: a probe of the database, a pool that tries
    its connections. And every page asks once in a while whether a worker runs, and
    notes once a minute that the key or the browser session is used.
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
        patch.setattr(health.STATUS, "_kept", (math.inf, "healthy"))
        # Or it is noted by whichever read is the first after a minute.
        patch.setattr(authentication, "USE_RESOLUTION", timedelta(days=1))
        patch.setattr(visits, "NOTED_EVERY", timedelta(days=1))
        yield sent


def statements(monkeypatch: pytest.MonkeyPatch, read: Read) -> tuple[list[str], int]:
    """Return what one read sends, with nothing remembered from an earlier one.

    The second value is the size of the answer, to see that it had more to tell. Of an
    address that only acts it is nothing and `ACTS`.
    """
    # This one notes the use of the key, loads what a process loads once.
    if read()[0] == 405:
        return [], ACTS
    monkeypatch.setattr(bodies, "cache", Cache())
    with counted(monkeypatch) as sent:
        status, content = read()
    assert status == 200, content
    return sent, len(content)


def reads(world: World) -> dict[str, Read]:
    """Return what reads each route and each page, by its name."""
    client = Client()
    client.force_login(member_of(world), "django.contrib.auth.backends.ModelBackend")
    routes = {str(route): partial(read_route, route, world) for route in READS}
    return routes | {page[0]: partial(read_page, page, world, client) for page in PAGES}


def read_route(route: Route, world: World) -> tuple[int, bytes]:
    query = {**route.query_of(world.parameters), **MORE.get(str(route), {})}
    path = prepared(route, world).path(world.parameters)
    answer = world.client_for(route).send(route.method, path, route.body, None, query)
    return answer.status, answer.content


def read_page(
    page: tuple[str, tuple[str, ...]], world: World, client: Client
) -> tuple[int, bytes]:
    pattern, parameters = page
    samples = {**world.parameters, "slug": world.project.slug}
    missing = [name for name in parameters if name not in samples]
    assert not missing, f"{pattern} has parameters without a sample: {missing}"
    response = client.get(pattern.format(**samples), follow=True)
    # A file is sent in pieces.
    whole = response.getvalue() if response.streaming else response.content
    return response.status_code, whole


@dataclass
class Grown:
    """A world that has more rows by now, and what reading it took before that.

    A world takes longer to grow than all else here, so it does that once for all. What
    went wrong before is raised where that is asked for.
    """

    reads: dict[str, Read]
    few: dict[str, tuple[list[str], int] | Exception]

    def before(self, name: str) -> tuple[list[str], int]:
        found = self.few[name]
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture(scope="module")
def grown_once(made_once: World, django_db_blocker: Any) -> Iterator[Grown]:
    """The world of this module, before and after it grew."""
    with django_db_blocker.unblock(), transaction.atomic():
        grown = Grown(reads(made_once), {})
        with pytest.MonkeyPatch.context() as patch:
            for name, read in grown.reads.items():
                grown.few[name] = undone(partial(statements, patch, read))
        made_once.grow()
        yield grown
        transaction.set_rollback(True)


@pytest.fixture
def grown(grown_once: Grown, world: World) -> Grown:
    """The same; each test undoes what it did to it."""
    return grown_once


def undone(
    look: Callable[[], tuple[list[str], int]],
) -> tuple[list[str], int] | Exception:
    """Return what was seen, or what was wrong; whatever was written is undone."""
    try:
        with transaction.atomic():
            seen = look()
            transaction.set_rollback(True)
    except Exception as fault:  # noqa: BLE001 - it belongs to the test of that address
        return fault
    return seen


@pytest.mark.parametrize("name", [str(route) for route in READS])
def test_more_rows_take_no_more_statements(
    name: str, grown: Grown, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, size = grown.before(name)
    many, larger = statements(monkeypatch, grown.reads[name])

    assert few, "Nothing was counted."
    assert larger > size or name not in MORE, "The list did not grow."
    assert len(many) == len(few), f"Few: {few}\n\nMany: {many}"


@pytest.mark.parametrize("name", [page[0] for page in PAGES])
def test_more_rows_take_a_page_no_more_statements(
    name: str, grown: Grown, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, _ = grown.before(name)
    many, size = statements(monkeypatch, grown.reads[name])
    if size == ACTS:
        return  # what only acts is for tests/contracts/test_pages.py

    assert few, "Nothing was counted."
    assert len(many) == len(few), f"Few: {few}\n\nMany: {many}"


def test_a_statement_per_row_would_be_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted(monkeypatch) as sent:
        world.client.get(world.session)
        once = len(sent)
        world.client.get(world.session)

    assert len(sent) >= 2 * once - 1 > 0


def test_that_a_browser_session_is_used_is_not_counted(
    grown: Grown, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = grown.reads["/console/{slug}/sessions"]
    read()
    BrowserSession.objects.update(last_seen_at=timezone.now() - timedelta(minutes=2))

    with counted(monkeypatch) as sent:
        read()

    assert sent
    assert not [text for text in sent if text.startswith("UPDATE")]


def member_of(world: World) -> User:
    about = {"act": act_by()}
    user = accounts.create_user(username="alice", **about)
    accounts.add_member(project=world.project, user=user, role=Role.ADMIN, **about)
    return user
