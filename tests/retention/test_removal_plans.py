"""What apps keep of a session is found by an index when the session goes."""

from __future__ import annotations

import re

import pytest
from django.db import connection

from apps.timeline.hooks.keeping import SESSIONS, Leavings

# As long as what waits, or as who watches: read whole, each is a page or two.
SHORT = {"webhooks_lane", "watching_notice", "watching_watch"}
# Who asks for one session asks for rows that have one.
FIRST_COLUMNS = """
SELECT a.attname FROM pg_index i
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
 WHERE i.indrelid = %s::regclass
   AND coalesce(pg_get_expr(i.indpred, i.indrelid), '')
       IN ('', format('(%%I IS NOT NULL)', a.attname))
"""
ROWS = [
    pytest.param(rows, id=f"{app}-{rows.table}")
    for app, kept in SESSIONS.items()
    for rows in kept
    if rows.table not in SHORT
]


@pytest.mark.django_db
@pytest.mark.parametrize("rows", ROWS)
def test_no_long_table_is_read_whole_for_one_session(rows: Leavings) -> None:
    named = re.search(r"h\.(\w+) (?:= %\(session\)s|@> )", rows.where)
    with connection.cursor() as cursor:
        cursor.execute(FIRST_COLUMNS, [rows.table])
        begins = {column for (column,) in cursor.fetchall()}

    assert named is not None
    assert named[1] in begins
