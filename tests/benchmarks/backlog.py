"""Leaves a backlog as a day without a worker does; run on its database as a program.

Appends at the rate of this machine would take half an hour, so histories are loaded
and what was projected of them is put back into pending rows, one a version.

`python -m tests.benchmarks.backlog OF_ONE OF_ALL`: prints the id of the long session
and the secret of a key.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import timedelta

import django
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests import databases
from tests.live import ROOT

OLDEST = "order"
# Terms are those of the head, so they go with the last version.
PUT_BACK = """
INSERT INTO timeline_pending (
    session_id, number, turn_number, first_number, project_id, at, event_ids, path_keys,
    roles, kinds, value_keys, term_keys, term_values)
SELECT v.session_id, v.number, 0, v.number, s.project_id, v.created_at, ARRAY[e.id],
       c.path_keys, c.roles, c.kinds, c.value_keys, t.path_keys, t.value_keys
  FROM timeline_version v JOIN timeline_session s ON s.id = v.session_id
  JOIN audit_event e ON e.stream_id = v.session_id AND e.number = v.number
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(c.path_key), '{}') AS path_keys,
              coalesce(array_agg(c.role), '{}') AS roles,
              coalesce(array_agg(c.kind), '{}') AS kinds,
              coalesce(array_agg(c.value_key), '{}') AS value_keys
         FROM timeline_change c
        WHERE c.session_id = v.session_id AND c.number = v.number) c
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(t.path_key), '{}') AS path_keys,
              coalesce(array_agg(t.value_key), '{}') AS value_keys
         FROM timeline_term t
        WHERE t.session_id = v.session_id AND v.number = s.head_number) t
"""


@dataclass(frozen=True, slots=True)
class Left:
    """The session with the long backlog, and a key that may read and write it.

    `oldest` is a key of its state that its first version set, and none since.
    """

    session_id: str
    secret: str
    oldest: str = OLDEST


def left(superuser_dsn: str, name: str, *, of_one: int, of_all: int) -> Left:
    """Leave so many pending versions of one session, and of all, in this database."""
    dsn = make_conninfo("", **{**conninfo_to_dict(superuser_dsn), "dbname": name})
    command = [sys.executable, "-m", "tests.benchmarks.backlog"]
    done = subprocess.run(
        [*command, str(of_one), str(of_all)],
        cwd=ROOT,
        env=os.environ | databases.alone(dsn),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Left(*done.stdout.split()[-2:])


def main(of_one: int, of_all: int) -> None:
    django.setup()
    from django.db import connection, transaction
    from django.utils import timezone

    from apps.accounts import operations as accounts
    from apps.accounts.models import Scope
    from tests.acts import act_by
    from tests.benchmarks import copying, loader

    now = timezone.now()
    about = {"act": act_by(now=now)}
    project = accounts.create_project(slug="backlog", name="Backlog", **about)
    _, secret = accounts.issue_key(
        project=project, name="bench", scope=Scope.WRITE, **about
    )
    loading = loader.Loader(project, now=now - timedelta(hours=12))
    with copying.in_bulk():
        ids = loading.sessions(loader.small_states(500), max(of_all - of_one, 1))
        loading.versions(ids[0], loader.steps(of_one))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("ANALYZE")
        cursor.execute(PUT_BACK)
        cursor.execute("DELETE FROM timeline_change")
        cursor.execute("DELETE FROM timeline_term")
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("VACUUM ANALYZE")
    sys.stdout.write(f"{ids[0]} {secret}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
