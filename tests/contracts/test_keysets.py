"""Pages begin in an index, however often their statement has run on a connection."""

import re

import pytest
from django.db import connection

from apps.core import keyset
from tests.live import ROOT

# `%(before)s::bigint IS NULL OR v.number < %(before)s`: no bound in a generic plan.
HIDDEN_BOUND = re.compile(r"%\((\w+)\)s(?:::\w+)?\s+IS NULL\s+OR[^%]*[<>]=?\s*%\(\1\)s")
PLAN = "EXPLAIN (COSTS OFF) EXECUTE page ('sess_1', 5)"


@pytest.mark.parametrize(
    "text",
    [
        "(%(after)s::bigint IS NULL OR v.number < %(after)s::bigint)",
        "WHERE %(before)s IS NULL\n  OR s.id > %(before)s",
    ],
)
def test_a_hidden_bound_is_recognised(text: str) -> None:
    assert HIDDEN_BOUND.search(text)


def test_no_statement_hides_the_bound_of_a_page() -> None:
    modules = [*ROOT.glob("apps/**/*.py"), *ROOT.glob("apps/**/*.sql")]
    hiding = {one.name for one in modules if HIDDEN_BOUND.search(one.read_text())}

    assert len(modules) > 100
    # Which tells why not.
    assert hiding == {"keyset.py"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("clause", "is_in_index"),
    [
        (keyset.below("number"), True),
        (keyset.above("number", "before"), True),
        ("(%(before)s IS NULL OR number < %(before)s)", False),
    ],
)
def test_a_bound_is_found_through_the_index_by_a_plan_made_once_for_all_values(
    clause: str, is_in_index: bool
) -> None:
    bound = clause.replace("%(before)s", "$2")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute(
            "PREPARE page (varchar, bigint) AS SELECT number FROM timeline_version"
            f" WHERE session_id = $1 AND {bound} ORDER BY number DESC LIMIT 60"
        )
        try:
            cursor.execute(PLAN)
            conditions = [
                line for (line,) in cursor.fetchall() if "Index Cond:" in line
            ]
        finally:
            cursor.execute("DEALLOCATE page")

    assert any("number" in line for line in conditions) is is_in_index
    assert conditions


@pytest.mark.django_db
def test_ids_are_compared_byte_by_byte_so_that_one_stands_behind_all() -> None:
    """What `keyset.LAST_ID` rests on."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname || '.' || a.attname FROM pg_attribute a"
            "  JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'"
            "  JOIN pg_collation k ON k.oid = a.attcollation"
            " WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0"
            "   AND c.relname ~ '^(timeline|audit|agents|webhooks|metrics)_'"
            "   AND a.attname IN ('id', 'session_id', 'stream_id')"
            "   AND k.collname <> 'C'"
        )
        assert cursor.fetchall() == []
