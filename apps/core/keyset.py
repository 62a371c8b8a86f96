"""Where a page begins: bounds of keyset paging, as SQL that stays in the index.

`%(before)s IS NULL OR number < %(before)s` is a bound of the index only as long as a
statement is planned for each value. The plan that a prepared statement gets reads
everything from the newest on and throws it away: 65 ms for 2 in the middle of a session
with 100,000 versions.
"""

from datetime import datetime, timedelta

from apps.core.ids import first_id

LAST_NUMBER = 2**63 - 1
# Behind every id and cursor; these are compared byte by byte (collation C).
LAST_ID = "~"


def below(column: str, name: str = "before") -> str:
    """Return the clause that a number is below a parameter; NULL bounds nothing."""
    return f"{column} < coalesce(%({name})s::bigint, {LAST_NUMBER})"


def above(column: str, name: str = "after") -> str:
    """Return the clause that a number, 0 or more, is above a parameter or NULL."""
    return f"{column} > coalesce(%({name})s::bigint, -1)"


def below_id(column: str, name: str = "before") -> str:
    """Return the clause that an id is below a parameter; NULL bounds nothing."""
    return f"{column} < coalesce(%({name})s::varchar, '{LAST_ID}')"


def above_id(column: str, name: str = "after") -> str:
    """Return the clause that an id is above a parameter; NULL bounds nothing."""
    return f"{column} > coalesce(%({name})s::varchar, '')"


def id_bounds(
    prefix: str,
    start: datetime | None,
    end: datetime | None,
    *,
    earlier: timedelta = timedelta(0),
    later: timedelta = timedelta(0),
) -> tuple[str, str]:
    """Return between which ids everything lies that was recorded between two moments.

    The first belongs to it, the second does not. Ids are in an index and tell when they
    were made; the moment that is recorded is in none, and so much later or earlier.
    """
    return (
        _first_id(prefix, start, -earlier, otherwise=""),
        _first_id(prefix, end, later, otherwise=LAST_ID),
    )


def _first_id(
    prefix: str, at: datetime | None, moved: timedelta, *, otherwise: str
) -> str:
    try:
        return otherwise if at is None else first_id(prefix, at + moved)
    except OverflowError:
        return otherwise
