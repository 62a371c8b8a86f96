"""Run as a process: kills removals, one before each statement that they send.

Django is loaded once; each removal is a fork that kills itself before its n-th
statement or commit, until one is not killed any more. After each kill the session has
to be as it was, and after the last as the removal leaves it.

`python -m tests.timeline.keeping.killing SESSION…`, one for each act, the last three
of them documents of keys; prints how many were killed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import django
import psycopg

MOST = 100  # statements of one removal: all that apps keep of a session goes with it


def main(sessions: list[str]) -> None:
    django.setup()
    from apps.timeline.operations import keeping

    said = {"removal_id": "rem_1", "reason": "policy"}
    acts: list[Callable[..., Any]] = [
        partial(keeping.thin_session, below=6),
        partial(keeping.empty_versions, first=0, last=5, **said),
        partial(keeping.prune_versions, first=0, last=5, **said),
        partial(keeping.remove_session, **said),
        partial(_archive_document, last=5, shown_from=5),
        partial(_empty_document, last=5, shown_from=5, **said),
        partial(_prune_document, last=5, shown_from=5, **said),
    ]
    kills = 0
    for act, session_id in zip(acts, sessions, strict=True):
        before = _seen(session_id)
        for statement in range(1, MOST):
            if not _is_killed(partial(act, session_id=session_id), statement):
                break
            kills += 1
            after = _seen(session_id)
            if after != before:
                sys.exit(f"{act}, killed at {statement}: {before} became {after}")
        if _seen(session_id) == before:
            sys.exit(f"{act} took nothing")
    sys.stdout.write(f"{kills}\n")


def _empty_document(*, session_id: str, **asked: Any) -> Any:
    from apps.timeline.operations import keeping

    return keeping.empty_entries(document_id=session_id, first=0, **asked)


def _prune_document(*, session_id: str, **asked: Any) -> Any:
    from apps.timeline.operations import keeping

    return keeping.prune_entries(document_id=session_id, first=0, **asked)


def _archive_document(*, session_id: str, **asked: Any) -> Any:
    from apps.timeline.operations import keeping

    return keeping.archive_entries(document_id=session_id, first=0, **asked)


def _is_killed(act: Callable[[], Any], at: int) -> bool:
    child = os.fork()
    if child == 0:
        _die_before(at)
        act()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        sys.exit("A removal failed.")
    return os.WIFSIGNALED(status)


def _die_before(at: int) -> None:
    """Kill this process before its statement of that number; a commit counts as one."""
    left = at

    def counted(really: Callable[..., Any]) -> Callable[..., Any]:
        def sent(*args: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return really(*args, **options)

        return sent

    for owner, name in ((psycopg.Cursor, "execute"), (psycopg.Connection, "commit")):
        setattr(owner, name, counted(getattr(owner, name)))


def _seen(session_id: str) -> Any:
    """Return what is stored of a session.

    By a connection of its own: a pool has threads, and one that holds a lock of
    OpenSSL while this process forks leaves it locked in the child for good.
    """
    found = []
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        for table, what in (
            ("version", "number || ':' || body_number || ':' || octet_length(salt)"),
            (
                "body",
                "number || ':' || codec || ':' || depth || ':' || octet_length(data)",
            ),
            ("turn", "turn_number || ':' || codec"),
            ("tombstone", "kind || ':' || first_number || ':' || last_number"),
            ("change", "number || ''"),
            ("entry", "number || ':' || ordinal || ':' || key"),
            ("text", "number || ':' || kind"),
        ):
            query = (
                f"SELECT array_agg({what} ORDER BY {what}) FROM timeline_{table}"
                " WHERE session_id = %s"
            )
            found.append(connection.execute(query.encode(), [session_id]).fetchone())
        for query in (
            "SELECT erasures, thinned_below FROM timeline_session WHERE id = %s",
            "SELECT count(*) FROM audit_event WHERE stream_id = %s",
        ):
            found.append(connection.execute(query.encode(), [session_id]).fetchone())
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
