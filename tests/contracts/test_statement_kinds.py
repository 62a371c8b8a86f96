"""Statements on tables of sessions are of one of three kinds, and the recorder sees it.

The recorder (`tests/statements/recorder.py`) watches all tests; these prove that it
would notice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.db import connection

from apps.core import sql
from apps.core.database.prepared import Prepared
from apps.timeline.models import Label, Session, Turn, Version
from tests.statements import schema
from tests.statements.kinds import reading
from tests.statements.recorder import (
    ACROSS,
    OLD,
    SAVEPOINTS,
    WORKERS_KEY,
    Plugin,
    Recorder,
    listed,
    watching,
)

ROOT = Path(__file__).resolve().parents[2]

OF_SESSION = [
    "SELECT n FROM timeline_version WHERE session_id = %(session)s",
    "SELECT v.n FROM timeline_version v WHERE %(session)s::varchar = v.session_id",
    "SELECT v.n FROM timeline_version v WHERE (v.session_id = $1 AND v.n > $2)",
    'SELECT "timeline_label"."name" FROM "timeline_label"'
    ' WHERE ("timeline_label"."session_id" = %s AND "timeline_label"."number" = %s)',
    "SELECT v.n FROM timeline_version v JOIN timeline_session s"
    " ON s.id = %(session)s WHERE v.session_id = %(session)s",
    "SELECT v.n FROM timeline_session s JOIN agents_agent a ON a.id = s.agent_id"
    " LEFT JOIN timeline_version v ON v.session_id = %(session)s AND v.n = s.head"
    " WHERE s.id = %(session)s AND v.n BETWEEN 1 AND 2",
    "WITH RECURSIVE w AS (SELECT n FROM timeline_version WHERE session_id = %(session)s"
    " UNION ALL SELECT v.n FROM w JOIN timeline_version v"
    " ON v.session_id = %(session)s AND v.n = w.n - 1) SELECT n FROM w",
    "SELECT n FROM unnest(%(numbers)s) k (n) CROSS JOIN LATERAL (SELECT FROM"
    " timeline_turn t WHERE t.session_id = %(session)s AND t.n = k.n LIMIT 1) t",
    "SELECT EXISTS (SELECT FROM timeline_turn WHERE session_id = %s), least("
    "(SELECT 1), (SELECT min(n) FROM timeline_version WHERE session_id = %s))",
    "INSERT INTO timeline_label (session_id, name) VALUES (%s, %s) ON CONFLICT DO"
    " NOTHING RETURNING 1",
    "INSERT INTO timeline_term (session_id, key) SELECT %(session)s, k.key"
    " FROM unnest(%(keys)s) k (key)",
    "UPDATE timeline_session SET status = %s WHERE timeline_session.id = %s",
    "DELETE FROM timeline_open o USING unnest(%(numbers)s) n (number)"
    " WHERE o.session_id = %(session)s AND o.number = n.number",
    "SELECT * FROM timeline_append_v10(_now => %(now)s, _session => %(session)s::text)",
    "SELECT timeline_note_text_v2(%s, %s, 1, 2, 'x') IS NULL",
]
NOT_OF_SESSION = {
    "does not name the session of timeline_version by a parameter": [
        "SELECT n FROM timeline_version LIMIT 1",
        "SELECT n FROM timeline_version WHERE session_id = 'sess_1'",
        "SELECT n FROM timeline_version WHERE session_id <> %s",
        "SELECT n FROM timeline_version WHERE session_id = ANY (%s)",
        "SELECT n FROM timeline_version WHERE session_id = %s OR n = 1",
        "SELECT n FROM timeline_version WHERE NOT (session_id = %s)",
        "SELECT n FROM timeline_version WHERE session_id = %s || ''",
        "SELECT n FROM timeline_version WHERE trace_id = %s",
        "SELECT 1 WHERE EXISTS (SELECT FROM timeline_version)",
        "(SELECT 1) UNION (SELECT n FROM timeline_version)",
        "WITH w AS (SELECT n FROM timeline_version) SELECT n FROM w",
        "UPDATE timeline_version SET session_id = %s",
        "DELETE FROM timeline_version",
        "INSERT INTO timeline_version (n) VALUES (%s)",
        "INSERT INTO timeline_version (session_id) VALUES ('sess_1')",
        "INSERT INTO timeline_version (session_id) VALUES (%s), (lower(%s))",
        "INSERT INTO timeline_version SELECT * FROM timeline_version",
    ],
    "does not name the session of timeline_version h by a parameter": [
        "SELECT s.id FROM timeline_session s JOIN LATERAL (SELECT h.n FROM"
        " timeline_version h WHERE h.session_id = s.id LIMIT 1) head ON true"
        " WHERE s.id = %(session)s",
        "SELECT s.id FROM timeline_session s JOIN timeline_version h"
        " ON h.session_id = s.id WHERE s.id = %(session)s",
        "SELECT s.id FROM timeline_session s JOIN timeline_version h USING (id)"
        " WHERE s.id = %(session)s",
        # What a LEFT JOIN is on says nothing of the other side.
        "SELECT h.n FROM timeline_version h LEFT JOIN timeline_session s"
        " ON h.session_id = %(session)s AND s.id = %(session)s",
    ],
    "names sessions by several parameters": [
        "SELECT v.n FROM timeline_version v JOIN timeline_session s ON s.id = %(other)s"
        " WHERE v.session_id = %(session)s",
    ],
    "reads timeline_requestkey, which is distributed by project": [
        "SELECT k.key FROM timeline_requestkey k JOIN timeline_session s"
        " ON s.id = %(session)s WHERE k.project_id = %(project)s",
    ],
    "reads metrics_due, which is on one node": [
        "SELECT d.hour FROM metrics_due d, timeline_session s WHERE s.id = %(session)s",
    ],
    "calls timeline_note_text_v2 for a session that is no parameter": [
        "SELECT timeline_note_text_v2(%(project)s, t.session_id, 1, 2, 'x')"
        " FROM timeline_turn t WHERE t.session_id = %(session)s",
    ],
    "calls timeline_project_v2, which is not of one session": [
        "SELECT timeline_project_v2(%(sessions)s, %(numbers)s, %(turns)s)",
    ],
    "names timeline_version where it is not understood": [
        "SELECT timeline_version FROM timeline_version WHERE session_id = %s",
        "SELECT 1 FROM ROWS FROM (timeline_version)",
    ],
    "is not understood: it neither reads nor writes rows": [
        "LOCK TABLE timeline_version",
        "TRUNCATE timeline_version",
        "COPY timeline_version TO STDOUT",
    ],
}
FLAT = [
    "SELECT id FROM timeline_session WHERE project_id = %s ORDER BY id DESC LIMIT 9",
    "SELECT s.id FROM timeline_session s JOIN timeline_version v"
    " ON v.session_id = s.id WHERE s.project_id = %s LIMIT 9",
    "SELECT DISTINCT t.session_id FROM timeline_term t JOIN agents_agent a"
    " ON a.id = %s ORDER BY t.session_id DESC LIMIT %(limit)s",
    "SELECT count(*), min(at) FROM timeline_pending",
    "SELECT s.id FROM timeline_session s WHERE s.agent_id = (SELECT a.id FROM"
    " agents_agent a LIMIT 1) LIMIT 9",
]
NOT_FLAT = {
    "has no LIMIT": ["SELECT id FROM timeline_session WHERE project_id = %s"],
    "has an OFFSET": ["SELECT id FROM timeline_session LIMIT 9 OFFSET 9"],
    "locks rows": ["SELECT id FROM timeline_session LIMIT 9 FOR UPDATE SKIP LOCKED"],
    "is recursive": [
        "WITH RECURSIVE w AS (SELECT 1) SELECT id FROM timeline_session LIMIT 9"
    ],
    "has a LATERAL": [
        "SELECT s.id FROM timeline_session s CROSS JOIN LATERAL (SELECT 1) x LIMIT 9"
    ],
    "has grouping sets": [
        "SELECT agent_id FROM timeline_session GROUP BY GROUPING SETS ((), (agent_id))"
        " LIMIT 9"
    ],
    "reads a list or a function beside tables": [
        "SELECT s.id FROM unnest(%s) w (id) JOIN timeline_session s ON s.id = w.id"
        " LIMIT 9"
    ],
    "calls metrics_set_aside_v1, which reads tables itself": [
        "SELECT metrics_set_aside_v1(session_id, 1, 2) FROM timeline_version LIMIT 9"
    ],
    "reads tables of sessions in a part of it, so it is not flat": [
        "SELECT id FROM (SELECT id FROM timeline_session LIMIT 9) s LIMIT 9",
        "SELECT 1 FROM agents_agent WHERE EXISTS (SELECT FROM timeline_open) LIMIT 9",
        "SELECT id FROM timeline_session UNION SELECT id FROM timeline_session LIMIT 9",
        "WITH w AS (SELECT id FROM timeline_session) SELECT id FROM w LIMIT 9",
    ],
    "does not join timeline_version v on the session": [
        "SELECT s.id FROM timeline_session s JOIN timeline_version v"
        " ON v.session_id = s.origin_session_id LIMIT 9",
        "SELECT s.id FROM timeline_session s, timeline_version v LIMIT 9",
    ],
    "reads timeline_sessionname, which is distributed by project": [
        "SELECT s.id FROM timeline_session s JOIN timeline_sessionname n"
        " ON n.session_id = s.id LIMIT 9",
    ],
}
UNCONCERNED = [
    "SELECT 1",
    "SELECT name FROM accounts_user",
    "SELECT 'timeline_version'",
    "SELECT x -- of timeline_version\n  FROM accounts_project",
    "CREATE INDEX i ON timeline_version (n)",
    "GRANT SELECT ON timeline_version TO somebody",
]


def pairs(by_fault: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(text, fault) for fault, texts in by_fault.items() for text in texts]


@pytest.mark.parametrize("text", OF_SESSION)
def test_a_statement_of_a_session_is_seen(text: str) -> None:
    assert reading(text).is_concerned
    assert reading(text).of_session == ()


@pytest.mark.parametrize(("text", "fault"), pairs(NOT_OF_SESSION))
def test_one_that_is_not_of_a_session_is_seen(text: str, fault: str) -> None:
    assert fault in reading(text).of_session


@pytest.mark.parametrize("text", FLAT)
def test_a_flat_statement_across_sessions_is_seen(text: str) -> None:
    assert reading(text).of_session
    assert reading(text).across == ()


@pytest.mark.parametrize(("text", "fault"), pairs(NOT_FLAT))
def test_one_that_is_not_flat_is_seen(text: str, fault: str) -> None:
    assert fault in reading(text).across


@pytest.mark.parametrize("text", UNCONCERNED)
def test_others_are_let_be(text: str) -> None:
    assert not reading(text).is_concerned


def test_tables_are_those_of_the_schema() -> None:
    assert schema.session_tables()["timeline_session"] == "id"
    assert schema.session_tables()["timeline_change_current"] == "session_id"
    assert schema.session_tables()["audit_event"] == "stream_id"
    assert "timeline_requestkey" not in schema.session_tables()
    assert schema.session_functions()["timeline_append_v10"] == 0
    assert schema.session_functions()["timeline_project_v2"] is None
    assert "timeline_words_v1" not in schema.session_functions()


@pytest.fixture
def recorder(db: None) -> Iterator[Recorder]:
    """A recorder of this test's own, which knows no listed function."""
    own = Recorder(across=[], old=[])
    own.place_of = lambda: "apps/here.py: ask"  # these are asked by a test
    with pytest.MonkeyPatch.context() as patch:
        watching(own, patch)
        yield own


BAD = "SELECT v.number FROM timeline_version v JOIN timeline_session s ON s.id = %s"
GOOD = "SELECT number FROM timeline_version WHERE session_id = %s"


def executed(cursor: Any) -> None:
    with cursor:
        cursor.execute(BAD, ["s"])


def test_it_sees_statements_whichever_way_they_are_sent(recorder: Recorder) -> None:
    driver = connection.connection
    ways: list[Any] = [
        lambda: sql.rows(BAD, ["s"]),
        lambda: executed(connection.cursor()),
        lambda: driver.execute(BAD, ["s"]),
        lambda: driver.execute(psycopg.sql.SQL(BAD), ["s"]),
        lambda: driver.execute(BAD.encode(), ["s"]),
        lambda: executed(connection.chunked_cursor()),
        lambda: Prepared("bad", BAD.replace("%s", "$1"), [25]).run(driver, [b"s"]),
        lambda: list(Version.objects.filter(number=0)),
        lambda: list(Session.objects.select_for_update().filter(agent_id="a")),
    ]

    for way in ways:
        way()
        assert len(recorder.taken()) == 1


def test_the_orm_is_read_for_what_it_writes(recorder: Recorder) -> None:
    list(Turn.objects.of_session("s").in_order(newest_first=True, after=3)[:9])
    Label.objects.filter(session_id="s", name="n").delete()
    Label.objects.filter(session_id="s").exists()

    assert recorder.taken() == []


def test_what_is_written_as_sql_has_to_say_what_it_is(recorder: Recorder) -> None:
    sql.rows(sql.of_session(GOOD), ["s"])
    assert recorder.taken() == []

    sql.rows(GOOD, ["s"])
    (fault,) = recorder.taken()
    assert "it does not say that it is of a session" in fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (sql.of_session(BAD), "Of a session: it does not name the session of"),
        (sql.of_session(FLAT[0]), "Of a session: it does not name the session of"),
        (sql.across(BAD), "Across: it has no LIMIT"),
        (sql.across(GOOD), "Across: it has no LIMIT"),
    ],
)
def test_what_it_says_has_to_be_so(recorder: Recorder, text: str, fault: str) -> None:
    recorder.across = recorder.old = frozenset(["apps/here.py: ask"])
    sql.rows(text, ["s"])

    (complaint,) = recorder.taken()
    assert complaint.startswith("apps/here.py: ask runs a statement")
    assert fault in complaint


def test_two_sessions_in_one_statement_are_seen_by_their_values(
    recorder: Recorder,
) -> None:
    both = sql.of_session(f"{GOOD} UNION ALL {GOOD}")
    sql.rows(both, ["s", "s"])
    assert recorder.taken() == []

    sql.rows(both, ["s", "t"])
    (fault,) = recorder.taken()
    assert "names several sessions" in fault


@pytest.mark.parametrize("begun", SAVEPOINTS)
def test_nothing_hides_behind_a_savepoint(recorder: Recorder, begun: str) -> None:
    recorder.record(f'{begun}"s1"', None, is_ours=True)
    alone = recorder.taken()

    recorder.record(f'{begun}"s1"; {BAD}', ["s"], is_ours=True)

    assert alone == []
    assert recorder.taken()


def test_only_a_listed_function_may_ask_across(recorder: Recorder) -> None:
    flat = "SELECT id FROM timeline_session ORDER BY id LIMIT 1"
    for text in (flat, sql.across(flat)):
        sql.rows(text, [])
        assert "not listed in across.txt" in recorder.taken()[0]

    recorder.across = frozenset(["apps/here.py: ask"])
    for text in (flat, sql.across(flat)):
        sql.rows(text, [])
        assert recorder.taken() == []
    assert recorder.met == {(ACROSS, "apps/here.py: ask")}
    # What is not flat is no business of that list.
    sql.rows(BAD, ["s"])
    assert len(recorder.taken()) == 1


def test_an_old_one_is_let_be_and_counted(recorder: Recorder) -> None:
    recorder.old = frozenset(["apps/here.py: ask"])
    sql.rows(BAD, ["s"])

    assert recorder.taken() == []
    assert recorder.met == {(OLD, "apps/here.py: ask")}


class FakeConfig:
    """What the plug-in asks of a run of everything."""

    args_source = pytest.Config.ArgsSource.TESTPATHS

    def __init__(self, **options: Any) -> None:
        self.option = SimpleNamespace(**options)


def left_over(config: FakeConfig, status: int, missed: tuple[str, str]) -> list[str]:
    """Return what is said after all but one of the listed functions were met."""
    plugin = Plugin(config)  # type: ignore[arg-type]
    try:
        met = {(name, entry) for name in (ACROSS, OLD) for entry in listed(name)}
        node = SimpleNamespace(workeroutput={WORKERS_KEY: sorted(met - {missed})})
        plugin.pytest_testnodedown(node, None)
        return plugin.left_over(status)
    finally:
        plugin.pytest_unconfigure()


def test_an_entry_that_nothing_runs_any_more_is_told_after_a_whole_run() -> None:
    missed = (OLD, listed(OLD)[0])

    (told,) = left_over(FakeConfig(), pytest.ExitCode.OK, missed)
    assert told.startswith(f"{OLD} lists {missed[1]}, which runs no such statement")
    assert left_over(FakeConfig(), pytest.ExitCode.OK, (OLD, "nobody")) == []


def test_after_a_part_of_the_tests_nothing_is_told() -> None:
    missed = (OLD, listed(OLD)[0])
    some = FakeConfig()
    some.args_source = pytest.Config.ArgsSource.ARGS

    assert left_over(some, pytest.ExitCode.OK, missed) == []
    assert left_over(FakeConfig(keyword="blame"), pytest.ExitCode.OK, missed) == []
    assert left_over(FakeConfig(), pytest.ExitCode.TESTS_FAILED, missed) == []


@pytest.mark.parametrize("name", [ACROSS, OLD])
def test_what_is_listed_is_there(name: str) -> None:
    entries = listed(name)

    assert entries == sorted(set(entries))
    for entry in entries:
        file, _, function = entry.partition(": ")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert function.replace(".<locals>", "") in set(_functions(tree)), entry


def _functions(node: ast.AST, inside: str = "") -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inside + child.name
            yield from _functions(child, f"{inside}{child.name}.")
        else:
            yield from _functions(child, inside)
