"""Which clauses whoever looks may ask: none tells what they may not see."""

from __future__ import annotations

from dataclasses import fields

from apps.accounts.errors import Masked
from apps.diffs.readers import Reader, reader
from apps.timeline.bodies.tasks import PART
from apps.timeline.search.clauses import (
    AnyOf,
    Changed,
    Clause,
    Holds,
    TaskIs,
    When,
    Within,
    Without,
    Words,
)


def require_allowed(clause: Clause) -> None:
    """Refuse a clause at a masked place, or with what a pattern finds.

    What was ever held anywhere, and words of texts, are found by indexes that know
    nothing of masks; so are the names of tasks.

    Raises: Masked.
    """
    who = reader()
    if who is None:
        return
    if isinstance(clause, AnyOf):
        for one in clause.clauses:
            require_allowed(one)
    elif isinstance(clause, Without):
        require_allowed(clause.clause)
    elif _tells(clause, who):
        raise Masked(f"{clause.text or 'This'} would tell what masks cover.", param="q")


def _tells(clause: Clause, who: Reader) -> bool:
    if isinstance(clause, Words):
        return True
    if isinstance(clause, TaskIs) and (clause.name or hides_statuses(who)):
        return True
    if isinstance(clause, Holds) and clause.pointer is None:
        return clause.when is When.EVER or _has_pattern(clause, who)
    pointer = clause.pointer if isinstance(clause, Holds | Within | Changed) else None
    return (pointer is not None and who.hides(pointer)) or _has_pattern(clause, who)


def hides_statuses(who: Reader) -> bool:
    """Say whether a status of a task is masked, as a part or within one."""
    return any(who.hides(f"{above}/0/status") for above in ("", f"/{PART}"))


def _has_pattern(clause: Clause, who: Reader) -> bool:
    said = [getattr(clause, one.name) for one in fields(clause)]
    texts = [str(one) for one in said if isinstance(one, str | int | float)]
    return any(who.text(one) != one for one in texts)
