"""`python -m tests.benchmarks.histories`: a month of many sessions, on DATABASE_URL.

A few hundred histories are told through the product's own operations; all others are
copies of them inside the database, each at a time of its own and under ids that say
so. Copied is what the dashboard reads: sessions, versions, bodies, turns, events and
what is open.
Changes and search terms are not, and no copy verifies: nothing here reads a chain.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from datetime import datetime, timedelta

import django
from psycopg import sql as pg

PROJECT = "bench"
HISTORIES = 200
AGENTS = 20
HOURS_OF_ONE = 3
# Ids begin with six digits that count steps of so many milliseconds, so a copy that
# is moved by whole steps differs in those, and in its last five, which count copies.
STEP = timedelta(milliseconds=2**20)
STEPS = 2_400
# Beside which column stands the session's id, and whether rows have one of their own.
TABLES = {
    "timeline_session": ("id", None),
    "timeline_version": ("session_id", None),
    "timeline_body": ("session_id", None),
    "timeline_turn": ("session_id", "id"),
    "timeline_open": ("session_id", None),
    "audit_event": ("stream_id", "id"),
}
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
PREPARE = """
CREATE FUNCTION pg_temp.written(_value bigint, _digits integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
SELECT string_agg(substr('{base32}', ((_value >> (5 * at)) & 31)::integer + 1, 1), ''
                  ORDER BY at DESC)
  FROM generate_series(0, _digits - 1) AS at $$;
CREATE FUNCTION pg_temp.step_of(_id text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
SELECT sum((strpos('{base32}', substr(split_part(_id, '_', 2), 6 - at, 1)) - 1)::bigint
           << (5 * at))::integer FROM generate_series(0, 5) AS at $$;
CREATE FUNCTION pg_temp.copied(_id text, _step text, _copy text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
SELECT split_part(_id, '_', 1) || '_' || _step
       || substr(split_part(_id, '_', 2), 7, 15) || _copy $$;
CREATE TEMP TABLE step AS
SELECT at::integer AS at, pg_temp.written(at, 6) AS text
  FROM generate_series({first}::bigint, {first} + {steps} + 100) AS at;
CREATE TEMP TABLE tail AS
SELECT k::bigint AS k, pg_temp.written(k, 5) AS text
  FROM generate_series(1, {copies}) AS k;
CREATE TEMP TABLE copy AS
SELECT s.id AS template, tail.text AS tail,
       pg_temp.copied(s.id, step.text, tail.text) AS id,
       m.steps, m.steps * interval '{milliseconds} ms' AS moved
  FROM (SELECT id, row_number() OVER (ORDER BY id) AS at, pg_temp.step_of(id) AS step
          FROM timeline_session) s
 CROSS JOIN tail
 CROSS JOIN LATERAL (
       SELECT ((tail.k * {steps} / {copies} + s.at * 37) % {steps})::integer AS steps
       ) m
  JOIN step ON step.at = s.step + m.steps;
ANALYZE copy;
ANALYZE step;
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.histories")
    parser.add_argument("--versions", type=int, required=True, help="about so many")
    given = parser.parse_args()
    django.setup()
    load(given.versions)


def load(versions: int) -> None:
    """Load about so many versions, up to the last full hour, and add them up."""
    # Imported only here: models want settings.
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from apps.accounts.models import Project
    from apps.core import sql
    from apps.metrics.facts import hour_of
    from tests.benchmarks import copying
    from tests.feeding import feed_all

    project = Project.objects.get(slug=PROJECT)
    ends = hour_of(timezone.now()) - timedelta(hours=HOURS_OF_ONE + 1)
    begins = ends - STEPS * STEP
    began = time.monotonic()
    _tell(project, begins)
    feed_all()
    ((told,),) = sql.rows("SELECT count(*) FROM timeline_version", [])
    _say("told", told, began)
    began = time.monotonic()
    with copying.in_bulk():
        _copy(begins, max(round(versions / told) - 1, 1))
        _say("copied, without indexes", versions, began)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    ((made,),) = sql.rows("SELECT count(*) FROM timeline_version", [])
    _say("copied", made, began)
    began = time.monotonic()
    call_command("rebuild_rollups", project=PROJECT, stdout=sys.stdout)
    _say("added up", made, began)


def _say(what: str, versions: int, began: float) -> None:
    seconds = time.monotonic() - began
    sys.stdout.write(
        f"{what}: {versions:,} versions in {seconds:,.0f} s"
        f" ({versions / max(seconds, 0.001):,.0f}/s)\n"
    )
    sys.stdout.flush()


def _tell(project: object, begins: datetime) -> None:
    """Tell histories of some ten versions and three turns; one in 20 goes back."""
    from tests.metrics.make import Told, called

    chance = random.Random(5)
    for at in range(HISTORIES):
        release, model = f"r{at % 4}", f"m{at % 3}"
        now = begins + timedelta(minutes=chance.random() * 60)
        said = {"release": release, "model": model}
        one = Told(project, now, agent=f"agent-{at % AGENTS:02}", **said)
        for number in range(chance.randint(6, 12)):
            now += timedelta(minutes=chance.expovariate(1 / 8))
            one.update(now, **said)
            if number % 3 == 0:
                failed, ms = chance.random() < 0.1, int(chance.expovariate(1 / 900))
                exchange = called(f"tool-{at % 8}", failed=failed, ms=ms)
                one.turn(now, exchange=exchange)
        if chance.random() < 0.05:
            one.back(chance.randint(0, 4), now, reason=f"reason-{at % 5}")
        if at % 50 == 0:
            one.fork(1, now)


def _copy(begins: datetime, copies: int) -> None:
    """Copy what was told so many times, spread over the month."""
    from django.db import connection

    connection.ensure_connection()
    with connection.connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        prepared = PREPARE.format(
            base32=BASE32,
            first=int(begins.timestamp() * 1000) >> 20,
            steps=STEPS,
            milliseconds=STEP // timedelta(milliseconds=1),
            copies=copies,
        )
        for statement in prepared.split(";\n"):
            if statement.strip():
                cursor.execute(statement)
        for table, (of_session, own) in TABLES.items():
            cursor.execute(_copying(cursor, table, of_session, own))


def _copying(
    cursor: object, table: str, of_session: str, own: str | None
) -> pg.Composed:
    """Return the statement that copies a table's rows of every history."""
    columns = cursor.execute(  # type: ignore[attr-defined]
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_name = %s AND table_schema = 'public'"
        " ORDER BY ordinal_position",
        [table],
    ).fetchall()
    # The rows as they were told: a copy is not copied again.
    cursor.execute(  # type: ignore[attr-defined]
        pg.SQL("CREATE TEMP TABLE {} AS SELECT *, {} AS own_step FROM {}").format(
            pg.Identifier(f"told_{table}"),
            pg.SQL("pg_temp.step_of({})").format(pg.Identifier(own))
            if own
            else pg.SQL("0"),
            pg.Identifier(table),
        )
    )
    chosen = []
    for name, kind in columns:
        plain = pg.SQL("told.{}").format(pg.Identifier(name))
        if name == of_session:
            chosen.append(pg.SQL("copy.id"))
        elif name == own:
            chosen.append(
                pg.SQL("pg_temp.copied({}, step.text, copy.tail)").format(plain)
            )
        elif kind == "timestamp with time zone":
            chosen.append(pg.SQL("{} + copy.moved").format(plain))
        else:
            chosen.append(plain)
    restamped = " JOIN step ON step.at = told.own_step + copy.steps" if own else ""
    return pg.SQL(
        "INSERT INTO {table} ({names}) SELECT {chosen} FROM {told} AS told"
        " JOIN copy ON copy.template = told.{of_session}" + restamped
    ).format(
        table=pg.Identifier(table),
        names=pg.SQL(", ").join(pg.Identifier(name) for name, _ in columns),
        chosen=pg.SQL(", ").join(chosen),
        told=pg.Identifier(f"told_{table}"),
        of_session=pg.Identifier(of_session),
    )


if __name__ == "__main__":
    main()
