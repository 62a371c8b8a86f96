"""`manage.py rebuild_search`: what it makes is what the appends made."""

import random
from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.timeline import bodies
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from tests.acting import acting_as, erasing
from tests.feeding import project_all
from tests.timeline.runs import Begin, Clients, Run
from tests.timeline.search.asking import ids, page
from tests.timeline.search.lives import act, state

pytestmark = pytest.mark.django_db(transaction=True)

PROJECTIONS = {
    "timeline_term": "session_id, path_key, value_key",
    "timeline_text": "session_id, kind, number, words::text",
    "timeline_change": "session_id, path_key, number, role, kind, value_key",
    "timeline_unsearched": "session_id",
}
UNSEARCHED = """
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT id, project_id FROM timeline_session
"""


def stored() -> dict[str, list[Any]]:
    """Return everything that search reads, once all is projected."""
    project_all()
    found = {}
    with connection.cursor() as cursor:
        for table, columns in PROJECTIONS.items():
            cursor.execute(f"SELECT {columns} FROM {table} t ORDER BY t")
            found[table] = [
                tuple(bytes(one) if isinstance(one, memoryview) else one for one in row)
                for row in cursor.fetchall()
            ]
    return found


def forget() -> None:
    """Leave sessions without projections, listed as not searched yet."""
    project_all()
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("DELETE FROM timeline_term")
        cursor.execute("DELETE FROM timeline_text")
        cursor.execute("DELETE FROM timeline_change WHERE role = 4")
        cursor.execute(UNSEARCHED)


def test_beginnings_of_names_that_are_missing_are_completed(
    begin: Begin,
) -> None:
    named = begin({}, external_id="thread-1")
    named.patch({"n": 1}, external_id="checkpoint-17")
    begin({}, external_id="thread-2")
    before = stored()
    key = bytes(Project.objects.get().index_key)
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM timeline_term WHERE path_key = ANY (%s)",
            [list(index.tagged(key, SearchTag.NAMED, ["che", "checkpoi"]))],
        )
        cursor.execute(UNSEARCHED + "WHERE id = %s", [named.id])
    assert ids(named.client, "checkpoint-1") == []
    assert "1 sessions are not indexed yet" in str(page(named.client, "che")["notices"])
    assert ids(named.client, "checkpoint-17") == [named.id]

    call_command("rebuild_search")

    assert stored() == before
    assert ids(named.client, "checkpoint-1") == [named.id]


@pytest.mark.parametrize("seed", range(4))
def test_it_makes_what_the_appends_made(begin: Begin, seed: int) -> None:
    chance = random.Random(seed)
    made = [begin(state(chance)) for _ in range(2)]
    for _ in range(14):
        made += act(chance, chance.choice(made))
    before = stored()

    call_command("rebuild_search", "--check")
    call_command("rebuild_search", "--all")
    assert stored() == before
    forget()
    call_command("rebuild_search")
    assert stored() == before


def test_sessions_from_before_are_announced_until_it_has_run(run: Run) -> None:
    fork = run.fork()
    forget()

    assert "2 sessions" in page(run.client, "state.city=NYC")["notices"][0]
    call_command("rebuild_search", "--session", run.id)
    assert "1 sessions" in page(run.client, "state.city=NYC")["notices"][0]
    call_command("rebuild_search", "--project", "checkout")
    assert page(run.client, "ever:state.city=NYC")["notices"] == []
    assert ids(run.client, "ever:NYC forked:yes") == [fork.id]


def test_it_can_run_while_sessions_are_written_to(run: Run, project: Project) -> None:
    def write() -> None:
        try:
            for number in range(15):
                run.patch({"count": number}, reasoning=f"word{number}")
        finally:
            connections.close_all()

    writer = Thread(target=write)
    writer.start()
    while writer.is_alive():
        call_command("rebuild_search", "--all")
    writer.join()

    assert run.head == 17
    before = stored()
    call_command("rebuild_search", "--all")
    assert stored() == before
    assert ids(run.client, "state.count=14 words:word0 words:word14") == [run.id]


def test_a_session_that_cannot_be_read_stays_announced(run: Run, begin: Begin) -> None:
    other = begin({"city": "NYC"})
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_body SET data = '\\x00' WHERE session_id = %s", [run.id]
        )
    forget()
    bodies.cache.forget(run.id)

    with pytest.raises(CommandError, match="1 sessions could not be read"):
        call_command("rebuild_search")
    assert ids(other.client, "state.city=NYC") == [other.id]
    assert "1 sessions" in page(other.client, "NYC")["notices"][0]


@pytest.mark.parametrize(
    ("part", "broken"),
    [
        ("values and marks", "DELETE FROM timeline_term WHERE session_id = %s"),
        (
            "values and marks",
            "UPDATE timeline_term SET value_key = decode(repeat('00', 16), 'hex')"
            " WHERE session_id = %s",
        ),
        ("words", "DELETE FROM timeline_text WHERE session_id = %s"),
        (
            "words",
            "INSERT INTO timeline_text (session_id, kind, number, words)"
            " VALUES (%s, 1, 0, 'stray')",
        ),
        (
            "what a fork began with",
            "DELETE FROM timeline_change WHERE session_id = %s AND role = 4",
        ),
    ],
)
def test_a_check_names_what_differs_and_changes_nothing(
    run: Run, capsys: pytest.CaptureFixture[str], part: str, broken: str
) -> None:
    fork = run.fork()
    fork.patch({"n": 1}, reasoning="Because")
    fork.send("POST", "versions/1/labels", {"label": "good"})
    fork.turn("Where to?", "To Rome")
    whole = stored()
    call_command("rebuild_search", "--check")
    assert stored() == whole
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(broken, [fork.id])
    bad = stored()

    for which in ([], ["--project", "checkout"], ["--session", fork.id]):
        with pytest.raises(CommandError, match=f"of 1 sessions.*{fork.id}"):
            call_command("rebuild_search", "--check", *which)
        assert f"{fork.id}: {part}\n" in capsys.readouterr().err
    call_command("rebuild_search", "--check", "--session", run.id)
    assert stored() == bad


def test_it_wants_a_session_that_there_is(api: Clients) -> None:
    with pytest.raises(CommandError):
        call_command("rebuild_search", "--session", "sess_none")
