"""The search language: text to clauses, and clauses to text.

    agent:travel status:active user:u_17 label:known-good rolled-back:yes forked:no
    state.order.id="A-17"      the state holds this value now: by type, 17 is not "17"
    state.order.id:17          17 or "17"
    ever:state.status="refunded"     ... in any version there ever was
    ever:"A-17"                ... anywhere in the state
    changed:state.customer.email     some version changed it, or what is below it
    changed: passes version 0 by, which set everything
    /amount>100 /amount:10..20       the head holds a number there
    age<2h created>2026-11-01 updated:2026-11-01..2026-11-03 flag:null
    score:reward<0.5 score:reward review:failed    as its newest score or review says
    release:… model:… step:7 objective:… reason:… op:rollback    of some version
    schema:2.0.0 task:failed task:"Book it" task:fly=failed      of the head
    cost>0.50 cost:1..2USD tokens>1000 effect:unknown approval:open budget:reached
    external:… session:… trace:… words:"all of these" "bare words"
    cust_3084 booking-TRV "bare words"    the id of a user, agent, session, version or
                               trace, or its beginning (3 characters or more); words;
                               or a whole value that was ever held

Terms stand between white space; all of them have to hold, but for `a OR b`, which
stands closer than white space, and `-a`, which leaves out what meets it. Values with
spaces are quoted like JSON strings. What is written here is not told by what it finds:
a word that looks like a field but is none is refused, with the field that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches

from apps.core.errors import InvalidRequest
from apps.timeline.scores import score_filter
from apps.timeline.search.clauses import (
    AnyOf,
    Changed,
    Clause,
    FreeTerm,
    Holds,
    Query,
    Scored,
    SessionIs,
    When,
    Without,
)
from apps.timeline.search.grammar import fields, paths, ranges, working
from apps.timeline.search.grammar.allowed import require_allowed
from apps.timeline.search.grammar.fields import CHOICES, FIELDS, NAMES, SCORE, SPANS
from apps.timeline.search.grammar.scanner import Scanner

LONGEST_TEXT = 2_000
MOST_TERMS = 20
OR = "OR"

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?=[:=<>])")
_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)+(?=[:=])")
_OPERATOR = re.compile(r"<=|>=|[:=<>]")
_EQUAL = re.compile(r"[:=]")
_BARE = re.compile(r"\S+")
# A dash alone, or two of them, leave nothing out.
_MINUS = re.compile(r"-(?=[^\s-])")
_SESSION = re.compile(r"sess_[0-9a-z]{26}")


def parse_query(text: str, *, now: datetime) -> Query:
    """Return what is asked for; an empty text asks for every session.

    Raises: InvalidRequest with `position` (from 0) and perhaps a `suggestion`.
    """
    scanner = Scanner(text)
    if len(text) > LONGEST_TEXT:
        scanner.fail(f"a search has at most {LONGEST_TEXT:,} characters", at=0)
    if "\0" in text:
        scanner.fail("U+0000 cannot be searched for", at=text.index("\0"))
    return Query(tuple(_Terms(scanner, now).all()))


class _Terms:
    """Reads term after term, and counts them."""

    def __init__(self, scanner: Scanner, now: datetime) -> None:
        self.scanner = scanner
        self.now = now
        self.count = 0

    def all(self) -> Iterator[Clause]:
        while self.scanner.has_more():
            clause = self._alternatives()
            require_allowed(clause)
            yield clause

    def _alternatives(self) -> Clause:
        """Take a term, and those that `OR` puts beside it."""
        start = self.scanner.at
        if self._takes_or():
            self.scanner.fail(f"{OR} stands between two terms", at=start)
        found = [self._term()]
        while self._takes_or():
            if not self.scanner.has_more() or self.scanner.run() == OR:
                what = f"a term is missing behind {OR}"
                self.scanner.fail(what, at=self.scanner.at)
            found.append(self._term())
        if len(found) == 1:
            return found[0]
        return AnyOf(text=self._since(start), clauses=tuple(found))

    def _takes_or(self) -> bool:
        start = self.scanner.at
        if self.scanner.has_more() and self.scanner.run() == OR:
            self.scanner.at += len(OR)
            return True
        self.scanner.at = start
        return False

    def _term(self) -> Clause:
        start = self.scanner.at
        if self.count == MOST_TERMS:
            self.scanner.fail(
                f"a search has at most {MOST_TERMS} terms, those of an {OR} counted",
                at=start,
            )
        self.count += 1
        if self.scanner.take(_MINUS) is None:
            return self._plain()
        left_out = self._plain()
        return Without(text=self._since(start), clause=left_out)

    def _plain(self) -> Clause:
        start = self.scanner.at
        clause = _clause(self.scanner, self.now)
        self.scanner.end_of_term()
        return replace(clause, text=self._since(start))

    def _since(self, start: int) -> str:
        return self.scanner.text[start : self.scanner.at]


def _clause(scanner: Scanner, now: datetime) -> Clause:
    if scanner.looks_at('"'):
        return FreeTerm(text="", term=_searchable(scanner, "a quote"))
    if paths.is_here(scanner):
        return _holds(scanner, When.NOW)
    start = scanner.at
    field = scanner.take(_FIELD)
    if field is None:
        return _bare(scanner)
    name = field.lower()
    if name not in FIELDS:
        fields.refuse(scanner, field, start)
    if name in SPANS:
        return SPANS[name](scanner, now)
    _take_colon(scanner, name)
    if name in NAMES:
        return NAMES[name](_searchable(scanner, f"{name}:"))
    if name in CHOICES:
        return _choice(scanner, name)
    return _OWN[name](scanner) if name in _OWN else _holds(scanner, When(name))


def _holds(scanner: Scanner, when: When) -> Clause:
    """Take a place and a value, or a value that stands anywhere."""
    start = scanner.at
    if not paths.is_here(scanner):
        exact = scanner.looks_at("=") and bool(scanner.take(_EQUAL))
        value, match = scanner.json_value(f"{when.value}:", exact=exact)
        return Holds(text="", when=when, pointer=None, value=value, match=match)
    pointer = paths.take(scanner)
    place = scanner.text[start : scanner.at]
    within = ranges.take(scanner, pointer, place)
    if within is not None:
        if when is When.EVER:
            scanner.fail("a range is of what is held now, without ever:", at=start)
        return within
    operator = scanner.take(_EQUAL)
    if operator is None:
        if scanner.text[start] == "/" or place == "state":
            # Neither is unusual in what people look for: /etc/hosts, "state".
            scanner.at = start
            return _bare(scanner)
        scanner.fail(
            f"{place} needs = or : and a value",
            at=scanner.at,
            suggestion=f"changed:{place}",
        )
    value, match = scanner.json_value(f"{place}{operator}", exact=operator == "=")
    return Holds(text="", when=when, pointer=pointer, value=value, match=match)


def _changed(scanner: Scanner) -> Clause:
    start = scanner.at
    if not paths.is_here(scanner):
        rest = scanner.run()
        scanner.fail(
            "changed: needs a place in the state",
            at=start,
            suggestion=f"changed:state.{rest}" if rest else "changed:state.name",
        )
    return Changed(text="", pointer=paths.take(scanner))


def _choice(scanner: Scanner, name: str) -> Clause:
    start = scanner.at
    chosen = scanner.text_value(f"{name}:").lower()
    choices = CHOICES[name]
    if chosen not in choices:
        near = get_close_matches(chosen, choices, n=1)
        scanner.fail(
            f"{name}: takes {', '.join(choices)}",
            at=start,
            suggestion=f"{name}:{near[0]}" if near else None,
        )
    return choices[chosen]


def _scored(scanner: Scanner) -> Clause:
    start = scanner.at
    said = _searchable(scanner, f"{SCORE}:")
    try:
        wanted = score_filter(said, param=SCORE)
    except InvalidRequest as refused:
        scanner.fail(str(refused), at=start)
    return Scored(text="", wanted=wanted)


def _bare(scanner: Scanner) -> Clause:
    _refuse_path(scanner)
    start = scanner.at
    word = scanner.take(_BARE) or ""
    if _SESSION.fullmatch(word):
        return SessionIs(text="", session_id=word)
    scanner.at = start
    return FreeTerm(text="", term=scanner.text_value("a word"))


def _searchable(scanner: Scanner, after: str) -> str:
    """Take a text that a column can hold and that says something."""
    start = scanner.at
    found = scanner.text_value(after)
    if "\0" in found:
        scanner.fail("U+0000 cannot be searched for", at=start)
    if not found.strip():
        scanner.fail(f"{after} needs more than white space", at=start)
    return found


def _take_colon(scanner: Scanner, name: str) -> None:
    at = scanner.at
    operator = scanner.take(_OPERATOR)
    if operator not in (":", "="):
        scanner.fail(f"{name} is followed by a colon", at=at, suggestion=f"{name}:…")


def _refuse_path(scanner: Scanner) -> None:
    """`order.id=17` is meant as a place; as a word it would find nothing."""
    found = _PATH.match(scanner.text, scanner.at)
    if found is not None:
        scanner.fail(
            f"places in a state begin with state: {found.group()} is no field",
            at=scanner.at,
            suggestion=f"state.{scanner.run()}",
        )


# Fields with a grammar of their own.
_OWN = {"changed": _changed, SCORE: _scored, working.TASK: working.task}
