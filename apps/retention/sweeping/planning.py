"""What a policy means for one session: which versions are old enough for which step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.core import sql
from apps.retention.models import Policy
from apps.retention.sweeping.places import Place, Work
from apps.retention.terms import Terms
from apps.retention.words import Step
from apps.timeline.models import Session
from apps.timeline.operations import archivable, superseded, unneeded
from apps.timeline.querysets import SessionQuerySet
from apps.timeline.words import ARCHIVED, Kind, Status

# Versions of one step: what one transaction removes at most.
AT_ONCE = 500
# The newest version that was made before a moment: time does not run backwards in a
# session, so all before it were, too. Walks down what is younger, and no further.
_OLD = sql.of_session(
    """
    SELECT number FROM timeline_version
     WHERE session_id = %(session)s AND number <= %(most)s
       AND created_at < %(before)s
     ORDER BY number DESC LIMIT 1
    """
)
# Up to where the next few go that are still there.
_NEXT = sql.of_session(
    """
    SELECT min(v.number) AS first, max(v.number) AS last
      FROM (SELECT number FROM timeline_version
             WHERE session_id = %(session)s AND number >= %(first)s
               AND number <= %(most)s
             ORDER BY number LIMIT %(at_once)s) v
    """
)
# As `_NEXT`, of those that hold something: what was emptied is not locked and looked at
# each hour again. Ranges of tombstones do not overlap, so the last that begins counts.
_NEXT_FULL = sql.of_session(
    """
    SELECT min(v.number) AS first, max(v.number) AS last
      FROM (SELECT w.number FROM timeline_version w
             WHERE w.session_id = %(session)s AND w.number >= %(first)s
               AND w.number <= %(most)s
               AND w.number > coalesce((
                   SELECT t.last_number FROM timeline_tombstone t
                    WHERE t.session_id = %(session)s AND t.kind = 'emptied'
                      AND t.first_number <= w.number
                    ORDER BY t.first_number DESC LIMIT 1), -1)
             ORDER BY w.number LIMIT %(at_once)s) v
    """
)
# As `_NEXT`, of those whose body stands in the table.
_NEXT_IN_TABLE = sql.of_session(
    f"""
    SELECT min(v.number) AS first, max(v.number) AS last
      FROM (SELECT b.number FROM timeline_body b
             WHERE b.session_id = %(session)s AND b.number >= %(first)s
               AND b.number <= %(most)s AND b.codec BETWEEN 1 AND {ARCHIVED} - 1
             ORDER BY b.number LIMIT %(at_once)s) v
    """  # noqa: S608
)
_NEXTS = {Step.EMPTY: _NEXT_FULL, Step.ARCHIVE: _NEXT_IN_TABLE}
# In which a session's steps are taken.
ORDER = list(Step)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """The days of a policy, and the moment that they are counted back from."""

    terms: Terms
    at: datetime
    # What is counted is undone, and nothing outside the database is touched.
    is_preview: bool = False


def rule_of(policy: Policy, *, at: datetime, is_preview: bool = False) -> Rule:
    """Return what a run of a policy goes by."""
    terms = Terms(
        thin_days=policy.thin_days,
        archive_days=policy.archive_days,
        empty_days=policy.empty_days,
        prune_days=policy.prune_days,
        remove_days=policy.remove_days,
        ended_days=policy.ended_days,
        keep_last=policy.keep_last,
    )
    return Rule(terms=terms, at=at, is_preview=is_preview)


def sessions_of(policy: Policy, *, at: datetime) -> SessionQuerySet:
    """Return the histories that a policy may take something of: documents, sessions.

    In the order of their ids, which is that of the age of sessions. Those of an agent
    with an enabled policy of its own are not the project's. What
    began later than the shortest of the times has nothing that is old enough.
    """
    every = Session.with_documents.of_project(policy.project_id)
    mine = every.filter(kind__in=[Kind.SESSION, Kind.KEYED])
    if policy.agent_id is not None:
        mine = mine.filter(agent_id=policy.agent_id)
    else:
        own = Policy.objects.of_project(policy.project_id).enabled()
        agents = own.exclude(agent=None).values_list("agent_id", flat=True)
        mine = mine.exclude(agent_id__in=list(agents))
    terms = rule_of(policy, at=at).terms
    shortest = min(n for n in _all_days(terms) if n is not None)
    return mine.filter(created_at__lt=at - timedelta(days=shortest)).order_by("id")


def is_to_be_removed(session: Session, rule: Rule) -> bool:
    """Say whether the session goes as a whole: idle, deleted or expired long enough."""
    idle, ended = rule.terms.after(Step.REMOVE), rule.terms.ended_after
    if idle is not None and session.updated_at < rule.at - idle:
        return True
    return ended is not None and _ended_before(session, rule.at - ended)


def next_work(session: Session, rule: Rule, place: Place) -> Work | None:
    """Return the step of a session that comes behind a place, the least first.

    None where nothing more is due. What is pruned anyway is not emptied before, nor
    archived what is emptied. Of a session that is due as a whole and that something
    keeps, parts may still go.
    """
    if session.kind == Kind.KEYED:
        return _work_of_document(session, rule, place)
    if not place.is_kept and is_to_be_removed(session, rule):
        return Work(step=Step.REMOVE)
    behind = place.behind
    reached = -1 if behind is None else ORDER.index(behind.step)
    thin, archive, empty, prune = (
        _old_to(session, rule, step)
        for step in (Step.THIN, Step.ARCHIVE, Step.EMPTY, Step.PRUNE)
    )
    if reached < 0 and thin >= (session.thinned_below or 0):
        return Work(step=Step.THIN, last=thin)
    for step, low, high in (
        (Step.ARCHIVE, max(empty, prune) + 1, archive),
        (Step.EMPTY, prune + 1, empty),
        (Step.PRUNE, 0, prune),
    ):
        if behind is not None and behind.step is step:
            low = max(low, behind.last + 1)
        if ORDER.index(step) >= reached and low <= high:
            work = _range(session.id, step, low, high)
            if work is not None:
                return work
    return None


def _work_of_document(document: Session, rule: Rule, place: Place) -> Work | None:
    """Return which versions of a keyed document go next, the most first.

    What is pruned is not emptied before, nor archived what is emptied. A value is as
    old as the one that took its place. The document stays whatever a policy says.
    """
    archive, empty, prune = (
        _shown_from(document, rule, step)
        for step in (Step.ARCHIVE, Step.EMPTY, Step.PRUNE)
    )
    finds = {
        Step.PRUNE: (unneeded, prune),
        # What is in the way of pruning a version may be no reason to keep its value.
        Step.EMPTY: (superseded, max(empty, prune)),
        Step.ARCHIVE: (archivable, archive),
    }
    behind, order = place.behind, list(finds)
    reached = 0 if behind is None else order.index(behind.step)
    for step in order[reached:]:
        find, shown_from = finds[step]
        is_begun = behind is not None and behind.step is step
        numbers = find(
            document_id=document.id,
            first=behind.last + 1 if behind is not None and is_begun else 0,
            last=shown_from,
            shown_from=shown_from,
        )
        if numbers:
            return Work(
                step=step, first=numbers[0], last=numbers[-1], shown_from=shown_from
            )
    return None


def _shown_from(document: Session, rule: Rule, step: Step) -> int:
    """Return from which version on all has to be seen; -1 where nothing is due.

    What was old enough stood until the next version: so the oldest of the newest ones
    that stay is the last by which something may be replaced.
    """
    return _old_to(document, rule, step, most=_newest(document, rule) + 1)


def _newest(session: Session, rule: Rule) -> int:
    """Return the newest version that is not among those that stay by their number."""
    return session.head_number - rule.terms.keep_last


def _old_to(session: Session, rule: Rule, step: Step, most: int | None = None) -> int:
    """Return the newest version that is old enough for a step; -1 where none is."""
    most = _newest(session, rule) if most is None else most
    after = rule.terms.after(step)
    if after is None or most < 0:
        return -1
    asked = {"session": session.id, "most": most, "before": rule.at - after}
    found = sql.rows(_OLD, asked)
    return int(found[0].number) if found else -1


def _range(session_id: str, step: Step, first: int, most: int) -> Work | None:
    asked = {"session": session_id, "first": first, "most": most, "at_once": AT_ONCE}
    (found,) = sql.rows(_NEXTS.get(step, _NEXT), asked)
    if found.last is None:
        return None
    return Work(step=step, first=found.first, last=found.last)


def _ended_before(session: Session, moment: datetime) -> bool:
    if session.status == Status.DELETED:
        return session.updated_at < moment
    return session.expired_at is not None and session.expired_at < moment


def _all_days(terms: Terms) -> Iterator[int | None]:
    yield from (n for _, n in terms.steps())
    yield terms.ended_days
