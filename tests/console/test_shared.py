"""The pages of shared documents: which there are, who holds one, who wrote it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.timeline import bodies
from apps.timeline.queries import list_shared, show_shared
from tests.acting import erasing
from tests.acts import act_in
from tests.console.agent_pages import plain
from tests.console.test_approvals import Person
from tests.timeline import runs
from tests.timeline.runs import succeeded

pytestmark = pytest.mark.django_db
BOARD = "public/board"


@pytest.fixture
def vera(project: Any) -> Person:
    return Person(project, Role.VIEWER, "vera")


@pytest.fixture
def client(api: runs.Clients) -> Any:
    return api()


def write(client: Any, name: str = BOARD, **state: Any) -> Any:
    return succeeded(client.send("PATCH", f"/v1/shared/{name}", {"state": state})).body


def lease(client: Any, holder: str, seconds: int = 60) -> Any:
    said = {"holder": holder, "seconds": seconds}
    return succeeded(client.post(f"/v1/shared/{BOARD}/lease", said)).body


def test_documents_are_listed_by_name_or_those_of_an_agent(
    vera: Person, client: Any
) -> None:
    assert "There are no shared documents" in plain(vera.looks("shared"))
    runs.begin(client, {"step": "begin"})
    write(client, seat="3C")
    write(client, "agent/travel/notes", seat="3C")

    page = plain(vera.looks("shared"))
    mine = plain(vera.looks("shared", begins="agent/travel/"))

    assert page.index("agent/travel/notes") < page.index(BOARD)
    assert "agent/travel/notes" in mine
    assert BOARD not in mine
    assert "of that name" in plain(vera.looks("shared", begins="agent/nobody/"))
    agent = Agent.objects.get(external_id="travel").id
    assert "?begins=agent/travel/" in vera.looks("agent_detail", agent)


def test_a_page_says_who_holds_it_and_who_wrote_which_version(
    vera: Person, client: Any
) -> None:
    write(client, seat="12A")
    before = plain(vera.looks("shared_document", BOARD))
    taken = lease(client, "planner <b>")
    page = vera.looks("shared_document", BOARD)
    released = {"fence": taken["fence"]}
    succeeded(client.post(f"/v1/shared/{BOARD}/lease/release", released))
    after = plain(vera.looks("shared_document", BOARD))

    assert "Nobody has ever held it" in before
    assert "v1 update" in before
    assert "planner &lt;b&gt;" in page
    assert f"under fence {taken['fence']}: any other write is refused" in plain(page)
    assert "Nobody holds it. planner" in after
    assert "What v1 says, the newest" in after
    assert '"seat": "12A"' in after


def test_a_rollback_is_told_as_one_and_old_versions_stand_on_another_page(
    vera: Person, client: Any
) -> None:
    write(client, n=1)
    write(client, n=2)
    succeeded(client.post(f"/v1/shared/{BOARD}/rollback", {"version": 1}))

    page = plain(vera.looks("shared_document", BOARD))
    older = plain(vera.looks("shared_document", BOARD, after=1))

    assert "v3 rolled back to v1" in page
    assert "v0 create" in older
    assert "v1 " not in older


def test_a_version_says_what_stood_then_and_what_it_changed(
    vera: Person, client: Any
) -> None:
    write(client, seat="12A", row="aisle")
    write(client, seat="14C <i>")
    write(client, seat="14C <i>")

    first = plain(vera.looks("shared_document", BOARD, version=1))
    page = vera.looks("shared_document", BOARD, version=2)
    second, third = plain(page), plain(vera.looks("shared_document", BOARD, version=3))

    assert "What v1 says" in first
    assert '"seat": "12A"' in first
    assert "Since v1:" in second
    assert "seat" in second[second.index("Since v1:") :][:200]
    assert "14C &lt;i&gt;" in page
    assert "<i>" not in page
    assert "It says the same as v2." in third
    assert vera.looks("shared_document", BOARD, status=404, version=4)
    assert vera.looks("shared_document", BOARD, status=400, version="x")


def test_who_sees_masked_values_sees_them_masked(
    vera: Person, client: Any, project: Any
) -> None:
    write(client, email="ann@example.org", seat="12A")
    write(client, email="bob@example.org")
    said = masks_of([{"pointer": "/email", "style": "hide"}])
    accounts.set_masks(act=act_in(project), project=project, masks=said)

    page = plain(vera.looks("shared_document", BOARD))

    assert "example.org" not in page
    assert '"seat": "12A"' in page


def test_a_state_that_is_not_what_was_written_is_not_shown(
    vera: Person, client: Any, project: Any
) -> None:
    write(client, seat="12A")
    (row,) = list_shared(Scope(project), "", None, 1)
    document = show_shared(
        Scope(project), row.name, number=None, after=None, limit=1, now=timezone.now()
    )
    session_id = document.head.session_id
    with erasing(), connection.cursor() as cursor:
        spoilt = "UPDATE timeline_body SET salt = 'x' WHERE session_id = %s"
        cursor.execute(spoilt, [session_id])
    bodies.cache.forget(session_id)

    page = plain(vera.looks("shared_document", BOARD))

    assert "The stored state is not the one that was written" in page
    assert "12A" not in page


@pytest.mark.parametrize("name", ["public/none", "secret/board", "public", "x"])
def test_what_is_no_document_is_no_page(vera: Person, client: Any, name: str) -> None:
    write(client, n=1)

    assert vera.looks("shared_document", name, status=404)


def test_another_projects_documents_are_not_seen(
    vera: Person, api: runs.Clients, make_key: Any, other_project: Any
) -> None:
    theirs = api(make_key(project=other_project))
    write(theirs, n=1)

    assert BOARD not in vera.looks("shared")
    assert vera.looks("shared_document", BOARD, status=404)


def test_a_place_that_is_none_is_refused(vera: Person, client: Any) -> None:
    write(client, n=1)

    assert vera.looks("shared_document", BOARD, status=400, after="x")
    assert vera.looks("shared", status=400, begins="x" * 501)
    assert vera.looks("shared", status=400, after="\0")
