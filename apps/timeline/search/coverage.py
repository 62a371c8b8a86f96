"""What the indexes do not cover yet, and how a page says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from apps.core import sql
from apps.timeline import projection

_UNSEARCHED = """
SELECT count(*) AS count FROM (
    SELECT FROM timeline_unsearched WHERE project_id = %(project)s LIMIT 1000) found
"""


def as_of() -> datetime | None:
    """Return since when writes wait, if they are more than a search looks through.

    Asked behind the search: what waits then had waited while it looked, too.
    """
    waiting = projection.measure_lag()
    return waiting.oldest if waiting.is_long else None


def notices(project_id: str, since: datetime | None) -> Iterator[str]:
    """Say what may be missing from a page: sessions, and all that came `since`."""
    if since is not None:
        yield (
            f"what was stored since {since:%Y-%m-%d %H:%M:%S} UTC is not indexed yet, "
            "and some of it may be missing"
        )
    unsearched = sql.rows(_UNSEARCHED, {"project": project_id})[0].count
    if unsearched:
        many = f"{unsearched:,}" if unsearched < 1000 else "1,000 or more"
        yield (
            f"{many} sessions are not indexed yet and may be missing: "
            "manage.py rebuild_search"
        )
