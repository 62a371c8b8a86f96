"""The search language: text to clauses, and clauses to text.

    agent:travel status:active user:u_17 label:known-good rolled-back:yes forked:no
    state.order.id="A-17"      the state holds this value now: by type, 17 is not "17"
    state.order.id:17          17 or "17"
    ever:state.status="refunded"     ... in any version there ever was
    ever:"A-17"                ... anywhere in the state
    changed:state.customer.email     some version changed it, or what is below it
    age<2h created>2026-11-01 updated:2026-11-01..2026-11-03 flag:null
    external:… session:… trace:… words:"all of these" "bare words"
    cust_3084 booking-TRV "bare words"    the id of a user, agent, session, version or
                               trace, or its beginning (3 characters or more); words;
                               or a whole value that was ever held

Terms stand between white space; all of them have to hold. Values with spaces are
quoted like JSON strings. What is written here is not told by what it finds: a word
that looks like a field but is none is refused, with the field that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches

from apps.diffs.flags import Flag as FlagName
from apps.timeline.search.clauses import (
    AgentIs,
    Changed,
    ChildOf,
    Clause,
    ExternalId,
    Flag,
    Forked,
    FreeTerm,
    Holds,
    LabelIs,
    Query,
    RolledBack,
    SessionIs,
    StatusIs,
    TraceIs,
    UserIs,
    When,
    Words,
)
from apps.timeline.search.grammar import paths
from apps.timeline.search.grammar.scanner import Scanner
from apps.timeline.search.grammar.spans import aged, created, updated
from apps.timeline.words import Status

LONGEST_TEXT = 2_000
MOST_TERMS = 20
NAMES: dict[str, Callable[[str], Clause]] = {
    "agent": lambda value: AgentIs(text="", name=value),
    "user": lambda value: UserIs(text="", user_id=value),
    "label": lambda value: LabelIs(text="", name=value),
    "external": lambda value: ExternalId(text="", external_id=value),
    "session": lambda value: SessionIs(text="", session_id=value),
    "parent": lambda value: ChildOf(text="", parent_id=value),
    "trace": lambda value: TraceIs(text="", trace_id=value),
    "words": lambda value: Words(text="", words=value),
}
SPANS = {"age": aged, "created": created, "updated": updated}
ANSWERS = {"yes": True, "true": True, "no": False, "false": False}
STATUSES = {one.value: one.value for one in Status} | {"expired": "expired"}
FLAGS = {one.value: one.value for one in FlagName} | {
    "null": FlagName.NULLED.value,
    "keys": FlagName.KEYS_LOST.value,
}
CHOICES: dict[str, dict[str, Clause]] = {
    "status": {name: StatusIs(text="", status=one) for name, one in STATUSES.items()},
    "flag": {name: Flag(text="", name=one) for name, one in FLAGS.items()},
    "rolled-back": {
        name: RolledBack(text="", wanted=one) for name, one in ANSWERS.items()
    },
    "forked": {name: Forked(text="", wanted=one) for name, one in ANSWERS.items()},
}
PLACES = ("state", "ever", "now", "changed")
FIELDS = (*NAMES, *CHOICES, *SPANS, *PLACES)
# What people write who know another system, or our own API.
MEANT = {
    "id": "session",
    "session_id": "session",
    "parent_session_id": "parent",
    "user_id": "user",
    "agent_id": "agent",
    "external_id": "external",
    "trace_id": "trace",
    "rolled_back": "rolled-back",
    "rollback": "rolled-back",
    "flags": "flag",
    "labels": "label",
    "text": "words",
}

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?=[:=<>])")
_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)+(?=[:=])")
_OPERATOR = re.compile(r"<=|>=|[:=<>]")
_EQUAL = re.compile(r"[:=]")
_BARE = re.compile(r"\S+")
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
    found: list[Clause] = []
    while scanner.has_more():
        start = scanner.at
        if len(found) == MOST_TERMS:
            scanner.fail(f"a search has at most {MOST_TERMS} terms", at=start)
        clause = _clause(scanner, now)
        scanner.end_of_term()
        found.append(replace(clause, text=text[start : scanner.at]))
    return Query(tuple(found))


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
        _refuse_field(scanner, field, start)
    if name in SPANS:
        return SPANS[name](scanner, now)
    _take_colon(scanner, name)
    if name in NAMES:
        return NAMES[name](_searchable(scanner, f"{name}:"))
    if name in CHOICES:
        return _choice(scanner, name)
    return _changed(scanner) if name == "changed" else _holds(scanner, When(name))


def _holds(scanner: Scanner, when: When) -> Clause:
    """Take a place and a value, or a value that stands anywhere."""
    start = scanner.at
    if not paths.is_here(scanner):
        exact = scanner.looks_at("=") and bool(scanner.take(_EQUAL))
        value, match = scanner.json_value(f"{when.value}:", exact=exact)
        return Holds(text="", when=when, pointer=None, value=value, match=match)
    pointer = paths.take(scanner)
    place = scanner.text[start : scanner.at]
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


def _bare(scanner: Scanner) -> Clause:
    _refuse_minus(scanner)
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


def _refuse_field(scanner: Scanner, field: str, at: int) -> None:
    name = field.lower()
    near = MEANT.get(name) or next(iter(get_close_matches(name, FIELDS, n=1)), None)
    rest = scanner.run()
    if near is None and rest.startswith("="):
        suggestion: str | None = f"state.{field}{rest}"
    else:
        suggestion = near and f"{near}{rest}"
    scanner.fail(
        f"there is no field {field}; put the term in quotes to look for it as text",
        at=at,
        suggestion=suggestion,
    )


def _refuse_path(scanner: Scanner) -> None:
    """`order.id=17` is meant as a place; as a word it would find nothing."""
    found = _PATH.match(scanner.text, scanner.at)
    if found is not None:
        scanner.fail(
            f"places in a state begin with state: {found.group()} is no field",
            at=scanner.at,
            suggestion=f"state.{scanner.run()}",
        )


def _refuse_minus(scanner: Scanner) -> None:
    run = scanner.run()
    if run[0] == "-" and run[1:].partition(":")[0].lower() in FIELDS and ":" in run:
        scanner.fail("nothing can be excluded with a minus", at=scanner.at)
