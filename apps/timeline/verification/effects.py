"""Holds which effects' ends are waited for against the effects' last steps."""

from __future__ import annotations

from collections.abc import Iterator

from apps.core import sql

# So many are named.
NAMED = 100

_DUE = sql.of_session(sql.query("timeline", "verify_effects_due"))


def problems(session_id: str) -> Iterator[str]:
    """Yield what is waited for otherwise than it follows from what was said."""
    for row in sql.rows(_DUE, {"session": session_id, "limit": NAMED}):
        if row.status != "begun":
            yield f"the end of {row.effect_id} is waited for, which is {row.status}"
        elif not row.is_listed:
            yield f"the end of {row.effect_id} is not waited for, which is begun"
        else:
            shown, deadline = row.due_at.isoformat(), row.deadline.isoformat()
            yield f"{row.effect_id} is waited for until {shown}, not until {deadline}"
