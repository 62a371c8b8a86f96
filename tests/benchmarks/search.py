"""How long a search takes: `python -m tests.benchmarks.search`.

Prints, asserts nothing about time. It loads a million sessions (or as many as the first
argument says) into a PostgreSQL of its own: what search reads of them, not their
versions. A value, a place and a word are had by nobody, by one session, by every
thousandth, by every second, and by the older half alone.
"""

import argparse
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

from tests.benchmarks.appends import durable_database

ROUNDS = 7
LIMIT = 20
SESSION = """
INSERT INTO timeline_session (id, project_id, agent_id, kind, user_id, created_at,
       metadata, metadata_index, status, head_number, updated_at, turn_count,
       rollback_count, facets)
SELECT 'sess_' || lpad(n::text, 26, '0'), %s, %s, 'session', CASE
       WHEN n %% 1000 = 0 THEN 'every1000th_' WHEN n %% 2 = 0 THEN 'every2nd_'
       WHEN n < %s / 2 THEN 'theolderhalf_' ELSE 'one_' END || n, %s,
       '{}', '{}', 'active', 0, %s, 0, 0, '{}'
  FROM generate_series(0, %s - 1) n
"""
# Which sessions have it, of `count`.
HAVE = {
    "nobody": "false",
    "one": "n = {count} / 2",
    "every 1000th": "n %% 1000 = 0",
    "every 2nd": "n %% 2 = 0",
    "the older half": "n < {count} / 2",
}
TERM = """
INSERT INTO timeline_term (session_id, path_key, value_key)
SELECT 'sess_' || lpad(n::text, 26, '0'), %s::bytea, %s::bytea
  FROM generate_series(0, %s - 1) n WHERE {have}
"""
CHANGE = """
INSERT INTO timeline_change (session_id, path_key, number, role, kind, value_key)
SELECT 'sess_' || lpad(n::text, 26, '0'), %s::bytea, 0, 1, 1, %s::bytea
  FROM generate_series(0, %s - 1) n WHERE {have}
"""
TEXT = """
INSERT INTO timeline_text (session_id, kind, number, words)
SELECT 'sess_' || lpad(n::text, 26, '0'), 1, {kind}, timeline_words_v1(%s, %s)
  FROM generate_series(0, %s - 1) n WHERE {have}
"""


def word_of(who: str) -> str:
    return "".join(filter(str.isalnum, who))


def load(project: Any, count: int) -> None:
    """Load what search reads of `count` sessions; no versions, so no foreign keys."""
    from django.db import connection

    from apps.agents.models import Agent
    from apps.timeline.ledger.facts import index

    now = datetime.now(UTC)
    agent = Agent.objects.create(
        id="agent_" + "0" * 25,
        project_id=project.id,
        external_id="bench",
        created_at=now,
        updated_at=now,
    )
    key = bytes(project.index_key)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute(SESSION, [project.id, agent.id, count, now, now, count])
        for at, (who, having) in enumerate(HAVE.items()):
            have = having.format(count=count)
            value = index.value_key(key, who)
            name = word_of(who)
            path = index.path_key(key, (name,))
            cursor.execute(
                TERM.format(have=have),
                [index.pointer_key(key, f"/{name}"), value, count],
            )
            cursor.execute(CHANGE.format(have=have), [path, value, count])
            cursor.execute(
                TEXT.format(have=have, kind=at), [project.id, f"said {name}", count]
            )
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("RESET statement_timeout")


def asked(count: int) -> dict[str, str]:
    """Return the queries, by what they show."""
    found = {}
    for who in HAVE:
        name = word_of(who)
        found[f"holds now, {who}"] = f'state.{name}="{who}"'
        found[f"ever held at a place, {who}"] = f'ever:state.{name}="{who}"'
        found[f"ever held anywhere, {who}"] = f'ever:"{who}"'
        found[f"changed, {who}"] = f"changed:state.{name}"
        found[f"word, {who}"] = f"words:{name}"
        found[f"user ids that begin so, {who}"] = f"{name}_"
    found["user ids that begin so, one"] = f"one_{count - 1}"
    found["one agent, by its beginning"] = "ben"
    found["every 2nd and every 1000th"] = 'ever:"every 2nd" ever:"every 1000th"'
    found["every 2nd and the older half"] = 'ever:"every 2nd" ever:"the older half"'
    found["every 2nd and one"] = 'ever:"every 2nd" words:one'
    found["one user"] = f"user:one_{count - 1}"
    return found


def page(project: Any, q: str, after: str | None) -> Any:
    from apps.agents.scope import Scope
    from apps.timeline.search import finder
    from apps.timeline.search.grammar.language import parse_query

    now = datetime.now(UTC)
    return finder.search_sessions(
        Scope(project),
        parse_query(q, now=now),
        now=now,
        after=finder.Place(after) if after else None,
        limit=LIMIT,
    )


def milliseconds(acts: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median of each act's times, all taken in turn."""
    times: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(ROUNDS):
        for name, act in acts.items():
            start = perf_counter()
            act()
            times[name].append((perf_counter() - start) * 1000)
    return {name: median(some) for name, some in times.items()}


def measured(count: int) -> dict[str, dict[str, float]]:
    """Load DATABASE_URL and return, for each query, its two times and what it found."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    from tests.conftest import make_project

    project = make_project("bench")
    load(project, count)
    deep = "sess_" + str(count // 4).zfill(26)
    first, later = (
        milliseconds(
            {name: partial(page, project, q, after) for name, q in asked(count).items()}
        )
        for after in (None, deep)
    )
    found = {
        name: {
            "first page": first[name],
            "deep page": later[name],
            "found": len(page(project, q, None).results),
        }
        for name, q in asked(count).items()
    }
    connection.close()
    return found


def table(count: int, found: dict[str, dict[str, float]]) -> str:
    lines = [
        f"{count:,} sessions; pages of {LIMIT}, milliseconds",
        f"  {'':44} {'first page':>10} {'deep page':>10} {'found':>6}",
    ]
    lines += [
        f"  {name:44} {one['first page']:10.1f} {one['deep page']:10.1f}"
        f" {one['found']:6.0f}"
        for name, one in found.items()
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.search")
    parser.add_argument("sessions", type=int, nargs="?", default=1_000_000)
    parser.add_argument(
        "--json", action="store_true", help="on DATABASE_URL, as the row does"
    )
    given = parser.parse_args()
    if given.json:
        json.dump(measured(given.sessions), sys.stdout)
        return
    with durable_database():
        sys.stdout.write(table(given.sessions, measured(given.sessions)))


if __name__ == "__main__":
    main()
