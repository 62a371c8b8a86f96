"""The chain of deltas that bodies build on: one definition for all that decode them."""

from apps.core import sql

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


def chains(*, wanted: str) -> str:
    """Return a statement for bodies of several sessions and all that they build on.

    `wanted` joins `b`, a body, to those that are asked for.
    """
    return f"""
{_needed(KEYS, "UNION", wanted, "n.session_id", "'{}'")}
SELECT {STORED}
  FROM needed n
  JOIN timeline_body b ON b.session_id = n.session_id AND b.number = n.number
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
