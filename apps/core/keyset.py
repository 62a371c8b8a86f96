"""Where a page begins: bounds of keyset paging, as SQL that stays in the index.

`%(before)s IS NULL OR number < %(before)s` is a bound of the index only as long as a
statement is planned for each value. The plan that a prepared statement gets reads
everything from the newest on and throws it away: 65 ms for 2 in the middle of a session
with 100,000 versions.
"""

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
