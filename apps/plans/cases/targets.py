"""By which rule a plan finds the version that each session goes back to.

Versions are looked for among those that are live as seen from the head: what a rollback
has set aside is no place to go back to by a rule. By hand it may be named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.checks import Check, CheckRefused, read_text, write_text
from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.core.time.moments import moment, utc_text
from apps.plans.cases import reasons
from apps.plans.cases.case import Reason, Sight
from apps.timeline.bisect import Ancestry, ancestry_of, find_first_bad, tells_hidden
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session
from apps.timeline.operations import MAX_LABEL
from apps.timeline.versions import live_ranges

BEFORE, CHECK, RELEASE, LABEL = "before", "check", "release", "label"
VERSIONS, FIRST_BAD = "versions", "first_bad"
RULES = (BEFORE, CHECK, RELEASE, LABEL, VERSIONS)
LONGEST_RELEASE = 200
_NEWEST = {
    BEFORE: sql.of_session("""
SELECT v.number
  FROM unnest(%(lows)s::bigint[], %(highs)s::bigint[]) live (low, high)
  JOIN timeline_version v ON v.session_id = %(session)s
   AND v.number BETWEEN live.low AND live.high
 WHERE v.created_at < %(value)s::timestamptz
 ORDER BY v.number DESC LIMIT 1
"""),
    RELEASE: sql.of_session("""
SELECT v.number
  FROM unnest(%(lows)s::bigint[], %(highs)s::bigint[]) live (low, high)
  JOIN timeline_version v ON v.session_id = %(session)s
   AND v.number BETWEEN live.low AND live.high
 WHERE v.release = %(value)s
 ORDER BY v.number DESC LIMIT 1
"""),
    LABEL: sql.of_session("""
SELECT v.number
  FROM unnest(%(lows)s::bigint[], %(highs)s::bigint[]) live (low, high)
  JOIN timeline_version v ON v.session_id = %(session)s
   AND v.number BETWEEN live.low AND live.high
  JOIN timeline_label l ON l.session_id = %(session)s
   AND l.number = v.number AND l.name = %(value)s
 ORDER BY v.number DESC LIMIT 1
"""),
}


def read_rule(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rule as it is kept: its name, and what it takes.

    Raises: InvalidRequest.
    """
    rule = given.get("rule")
    if rule in (VERSIONS, FIRST_BAD):
        return {"rule": rule}
    if rule not in RULES:
        raise InvalidRequest(f"target takes one of {', '.join(RULES)}.", param="target")
    value = given.get(str(rule))
    return {"rule": rule, rule: _READERS[str(rule)](value)}


def common_ancestry(sight: Sight, session_ids: Sequence[str]) -> Ancestry | None:
    """Read at once what each of these sessions is looked into by; None: by itself."""
    if sight.params["rule"] != CHECK or not session_ids:
        return None
    try:
        return ancestry_of(sight.act.scope, session_ids, now=sight.act.now)
    except SessionNotFound:
        # One went meanwhile, and is left out by its own look.
        return None


def find_target(
    sight: Sight, session: Session, ancestry: Ancestry | None
) -> int | Reason:
    """Return the version that one session goes back to, or why there is none.

    Raises: what bisect raises.
    """
    rule = sight.params["rule"]
    if rule == VERSIONS:
        return _asked(sight, session, reasons.NO_TARGET)
    if rule == CHECK:
        return _before_first_bad(sight, session, ancestry)
    live = live_ranges(session.id, session.head_number)
    if rule == FIRST_BAD:
        before = _asked(sight, session, reasons.NO_FIRST_BAD)
        if isinstance(before, Reason) or any(before + 1 in one for one in live):
            return before
        # Somebody has put it right since, and may have gone on.
        return reasons.BAD_SET_ASIDE
    asked_for = {
        "session": session.id,
        "lows": [one.start for one in live],
        "highs": [one.stop - 1 for one in live],
        "value": sight.params[rule],
    }
    found = sql.rows(_NEWEST[rule], asked_for)
    return found[0].number if found else reasons.NONE_FOUND[rule]


def _asked(sight: Sight, session: Session, none: Reason) -> int | Reason:
    asked = sight.asked.get(session.id)
    return none if asked is None else asked


def before_bad(session_id: str, bad: tuple[str, int] | None) -> int | Reason:
    """Return the version before the first bad one, where the session has it."""
    if bad is None:
        return reasons.BAD_UNKNOWN
    if bad[0] != session_id or bad[1] == 0:
        return reasons.BAD_FROM_START
    return bad[1] - 1


def _before_first_bad(
    sight: Sight, session: Session, ancestry: Ancestry | None
) -> int | Reason:
    check, act = _check(sight.params[CHECK]), sight.act
    found = find_first_bad(act.scope, session.id, check, now=act.now, ancestry=ancestry)
    if found.is_bad is None:
        return reasons.BAD_UNKNOWN
    return before_bad(session.id, found.place) if found.is_bad else reasons.PASSES


def _check(text: str) -> Check:
    """Raises: InvalidRequest, at its place in the check."""
    try:
        return read_text(text)
    except CheckRefused as refused:
        facts = {"position": refused.where.position, "suggestion": refused.suggestion}
        known = {name: fact for name, fact in facts.items() if fact is not None}
        raise InvalidRequest(refused.sentence, param=CHECK, **known) from None


def _read_check(value: Any) -> str:
    check = _check(str(value or ""))
    if tells_hidden(check):
        raise InvalidRequest("This check would tell what masks cover.", param=CHECK)
    return write_text(check)


def _read_moment(value: Any) -> str:
    if isinstance(value, datetime):
        return utc_text(value) or ""
    try:
        return utc_text(moment(str(value))) or ""
    except (ValueError, OverflowError):
        raise InvalidRequest(
            "before takes a moment, such as 2026-03-01T12:00:00Z.", param=BEFORE
        ) from None


def _read_name(param: str, longest: int) -> Any:
    def read(value: Any) -> str:
        name = str(value or "").strip()
        if not name or len(name) > longest or not name.isprintable():
            raise InvalidRequest(
                f"{param} takes printable text of 1 to {longest} characters.",
                param=param,
            )
        return name

    return read


_READERS: dict[str, Any] = {
    BEFORE: _read_moment,
    CHECK: _read_check,
    RELEASE: _read_name(RELEASE, LONGEST_RELEASE),
    LABEL: _read_name(LABEL, MAX_LABEL),
}
