"""What was stored before a project encrypted is sealed in its place, step by step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import DataKey, Project
from apps.core import sql
from apps.core.processes.shared_values import SharedValues
from apps.core.roles.names import Role
from apps.timeline import bodies
from apps.timeline.hooks.keeping import allowed
from apps.timeline.models import Body, Opening, Session, Text, Turn, Version
from apps.timeline.operations.keeping import seal_older, seal_session
from apps.timeline.verification import verify_session
from apps.timeline.versions import heads
from apps.timeline.versions.copies import Copies
from apps.timeline.versions.heads import RememberedHeads
from tests.acting import acting_as
from tests.acts import act_by
from tests.encryption.conftest import forget
from tests.feeding import project_all
from tests.timeline import runs

pytestmark = pytest.mark.django_db
CANARY = "canary5d1e77"


@pytest.fixture
def run(api: runs.Clients, keys: Path) -> runs.Run:
    """A session of a project that does not encrypt, with words in all that is said."""
    made = runs.begin(api(), {"step": 0, "said": CANARY}, user_id="u_1")
    made.patch({"step": 1}, reasoning=f"{CANARY} because")
    made.turn(f"{CANARY} hello", f"{CANARY} heard", reasoning=CANARY)
    made.patch({"step": 2, "messages": [{"role": "user", "content": CANARY}]})
    made.rollback(1, reason=CANARY)
    project_all()
    return made


def begin_encrypting(project: Project) -> None:
    accounts.encrypt_project(act=act_by(), project=project)
    project.refresh_from_db()


def seal(project: Project, session_id: str) -> int:
    """Seal all of a session as the process that may; return how much it was."""
    rows = 0
    with acting_as(Role.RETENTION):
        while True:
            step = seal_session(project=project, session_id=session_id)
            rows += step.rows
            if not step.has_more:
                return rows


def tables_with(word: str) -> list[str]:
    """Return the columns of all tables in which the word stands as text or bytes."""
    found = []
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("""
            SELECT c.table_name FROM information_schema.tables c
             WHERE c.table_schema = 'public' AND c.table_type = 'BASE TABLE'""")
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM "{table}" t'
                " WHERE position(%s in t::text) > 0 OR position(%s in t::text) > 0",
                [word, word.encode().hex()],
            )
            if cursor.fetchone()[0]:
                found.append(table)
    return sorted(found)


def told(run: runs.Run) -> Any:
    """Return all that the API says of a session, but for what follows from time."""
    versions = run.get("versions", limit=50)["data"]
    states = [run.get("versions", one["version"])["state"] for one in versions]
    return versions, states, run.get("turns")["data"], run.get("history")


@pytest.mark.django_db(transaction=True)
def test_of_what_it_writes_from_then_on_no_copy_is_left_for_other_workers(
    run: runs.Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = SharedValues(1)
    made = RememberedHeads(copies=lambda: Copies(None, copies))
    monkeypatch.setattr(heads, "REMEMBERED", made)
    run.patch({"step": 3})
    assert CANARY.encode() in (copies.get(run.id) or b"")

    begin_encrypting(project)
    run.patch({"step": 4})
    assert copies.get(run.id) is None

    begun = runs.begin(run.client, {"said": CANARY})
    assert copies.get(begun.id) is None


def test_sealing_changes_nothing_of_what_is_told(
    run: runs.Run, project: Project
) -> None:
    before = told(run)
    begin_encrypting(project)
    assert seal(project, run.id) > 5
    bodies.cache.forget(run.id)
    forget()
    assert told(run) == before
    report = verify_session(run.id)
    assert (report.first_broken, report.first_derived) == (None, None)


def test_nothing_of_it_is_left_in_clear(run: runs.Run, project: Project) -> None:
    assert {"timeline_version", "timeline_turn"} <= set(tables_with(CANARY))
    begin_encrypting(project)
    seal(project, run.id)
    assert tables_with(CANARY) == []
    assert all(one.codec > 16 for one in Body.objects.filter(session_id=run.id))
    assert all(one.codec > 16 for one in Turn.objects.filter(session_id=run.id))
    assert not Opening.objects.filter(session_id=run.id).exists()
    assert not Text.objects.filter(session_id=run.id, kind__in=(1, 2, 5)).exists()
    assert Session.objects.get(id=run.id).facets == {}


def test_sealing_twice_does_nothing_more(run: runs.Run, project: Project) -> None:
    begin_encrypting(project)
    seal(project, run.id)
    assert seal(project, run.id) == 0


def test_what_waits_to_be_projected_keeps_the_pass_open(
    run: runs.Run, project: Project
) -> None:
    run.patch({"step": 7}, reasoning=CANARY)
    begin_encrypting(project)
    seal(project, run.id)
    assert seal(project, run.id) == 1
    project_all()
    seal(project, run.id)
    assert seal(project, run.id) == 0
    assert tables_with(CANARY) == []


def test_passes_go_on_until_one_finds_nothing(run: runs.Run, project: Project) -> None:
    begin_encrypting(project)
    now = timezone.now()
    never: Callable[[], bool] = lambda: False  # noqa: E731
    with acting_as(Role.RETENTION):
        seal_older(now, never)
        assert DataKey.objects.get().swept_at is None
        # Somebody may still write in clear, so it looks once more.
        seal_older(now + timedelta(hours=2), never)
        assert DataKey.objects.get().swept_at is not None
    assert tables_with(CANARY) == []


def test_a_stopped_pass_goes_on_where_it_was(run: runs.Run, project: Project) -> None:
    runs.begin(run.client, {"said": CANARY})
    project_all()
    begin_encrypting(project)
    asked = iter([False, True])
    with acting_as(Role.RETENTION):
        seal_older(timezone.now(), lambda: next(asked, True))
        after = DataKey.objects.get().sweep["after"]
        assert after
        seal_older(timezone.now(), lambda: False)
    assert tables_with(CANARY) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE timeline_body SET data = 'x', codec = 1",
        "UPDATE timeline_body SET data = 'x', codec = codec + 16, size = 1",
        "UPDATE timeline_body SET data = 'x', codec = codec - 16",
        "UPDATE timeline_turn SET reasoning = 'another', codec = codec + 16",
        "UPDATE timeline_version SET reasoning = 'another'",
        "UPDATE timeline_version SET reasoning = NULL",
        "UPDATE timeline_version SET changes = '[]' WHERE changes <> '[]'",
        "UPDATE timeline_version SET op = 'update', reasoning = reasoning",
    ],
)
def test_the_database_refuses_to_rewrite_what_is_sealed(
    run: runs.Run, project: Project, change: str
) -> None:
    begin_encrypting(project)
    seal(project, run.id)
    with (
        acting_as(Role.RETENTION),
        transaction.atomic(),
        allowed(),
        pytest.raises(IntegrityError),
        transaction.atomic(),
    ):
        sql.rows(f"{change} RETURNING 1", [])


def test_rows_say_nothing_of_their_texts(run: runs.Run, project: Project) -> None:
    begin_encrypting(project)
    seal(project, run.id)
    mine = Version.objects.filter(session_id=run.id).exclude(reasoning=None)
    stored = list(mine.values_list("reasoning", flat=True))
    assert stored
    assert all(one.startswith(bodies.SEALED_TEXT) for one in stored)
    # Whoever reads a row, as messages of webhooks do, has it opened.
    assert all(CANARY in one.reasoning for one in mine)
    assert all("pointer" in change for one in mine for change in one.changes)
