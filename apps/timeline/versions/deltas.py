"""The chain of deltas that bodies build on: one definition for all that decode them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from apps.core import sql

# A session, and the number of a body in it.
Body = tuple[str, int]
KEYS = "b.session_id, b.number, b.base_number"
STORED = f"{KEYS}, b.codec, b.data, b.size, b.salt"


def chain(*, session: str, wanted: str, known: str) -> str:
    """Return the beginning of a statement: `needed`, one body and all it builds on.

    `wanted` is a condition on `b`, a body of the session; `known` an array of the
    numbers of bodies that are decoded already, where the chain ends. All three are SQL,
    nothing of a caller. The session is that of all rows: taken from the row before, it
    made PostgreSQL 15 hash the bodies of a small table anew for each step, 0.2 ms more.
    """
    wanted = f"WHERE b.session_id = {session} AND {wanted}"
    return _needed(STORED, "UNION ALL", wanted, session, known)


def keys(*, session: str, wanted: str) -> str:
    """As `chain`, of several bodies, without their bytes: `needed` has no row twice."""
    wanted = f"WHERE b.session_id = {session} AND {wanted}"
    return _needed(KEYS, "UNION", wanted, session, "'{}'")


def stored_chains(wanted: Collection[Body]) -> list[Any]:
    """Return the rows of these bodies and of all they build on, each after its base."""
    numbers = [number for _, number in wanted]
    sessions = [session_id for session_id, _ in wanted]
    if len(set(sessions)) == 1:
        asked = {"session": sessions[0], "numbers": numbers}
        return sql.run_prepared(_OF_SESSION, asked)
    return sql.rows(_OF_SEVERAL, {"sessions": sessions, "numbers": numbers})


def _chains(wanted: str, session: str) -> str:
    """Return a statement for bodies, joined to `wanted`, and all that they build on."""
    return f"""
{_needed(KEYS, "UNION", wanted, session, "'{}'")}
SELECT {STORED}
  FROM needed n
  JOIN timeline_body b ON b.session_id = {session} AND b.number = n.number
 ORDER BY b.session_id, b.number"""


def _needed(columns: str, union: str, wanted: str, session: str, known: str) -> str:
    return sql.query(
        "timeline",
        "delta_chain",
        columns=columns,
        wanted=wanted,
        union=union,
        session=session,
        known=known,
    )


_OF_SESSION = sql.PreparedQuery(
    sql.of_session(
        _chains(
            "WHERE b.session_id = %(session)s"
            " AND b.number = ANY (%(numbers)s::bigint[])",
            session="%(session)s",
        )
    )
)
_OF_SEVERAL = _chains(
    """
      JOIN unnest(%(sessions)s::varchar[], %(numbers)s::bigint[]) w (session_id, number)
        ON b.session_id = w.session_id AND b.number = w.number""",
    session="n.session_id",
)
