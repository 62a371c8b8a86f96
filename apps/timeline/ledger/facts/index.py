"""What a version leaves to be found by, and to be shown: digests, terms, changes.

Change rows say which paths a version touched, and blame and search read them. A term
is a path and a value of the session: what its head holds under a pointer, or a tag (a
flag, a label, a trace) under its name; a session has one value under a path. All are
digests keyed with the project's own key, so that equal values of two projects do not
look equal, and a stranger with the database cannot guess a short value. Pure
computation, done in the append.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.core.json import Json, State
from apps.diffs.changes import MISSING, Change, Comparison, Kind
from apps.diffs.compare import compare
from apps.diffs.equality import same
from apps.diffs.excerpts import excerpts
from apps.diffs.facets import Leaves
from apps.diffs.graphemes import cut
from apps.diffs.paths import Path, path_bytes
from apps.diffs.touched import Role, touched
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.facts.reasons import BLANK, REASONED_OPS
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

SHOWN_CHANGES = 50
SHOWN_POINTER = 500
SHOWN_TEXT = 200
_SHORT: dict[str, Any] = {"max_string": SHOWN_TEXT, "max_depth": 3, "max_entries": 20}
KEY_BYTES = 16
# In each process; with texts of at most 1.2 kB about 5 MB, most often 1.
KEPT_DIGESTS = 4_096
# Longer values are found through the full text of reasoning and turns, not by key.
KEYED_VALUE = 200
KEYED_BYTES = 1_200
CARRIED = 4
# A value or a key as it is found without regard to case; of no path, so blame and
# `changed:` pass it by.
FOLDED = 5
SHORTEST_KEY = 3
ROLES = {Role.LEAF: 1, Role.CONTAINER: 2, Role.SHIFT: 3}
KINDS = {
    Kind.ADDED: 1,
    Kind.REMOVED: 2,
    Kind.CHANGED: 3,
    Kind.TYPE_CHANGED: 4,
    Kind.MOVED: 5,
}
# How many first characters of a version's name are a tag. Few: names that programs
# make begin alike for a while, so most of these are there already.
BEGINNINGS = (3, 8)
# The same of labels and releases: a session has few of those, so that almost every
# beginning that people write is a tag of its own.
EVERY_BEGINNING = tuple(range(3, 17))
# What an append does to the terms of its session; None takes one away.
Terms = dict[bytes, bytes | None]


class SearchTag(StrEnum):
    """What a session is tagged with; most tags are never taken away."""

    FLAG = "flag"  # some version has this flag
    LABEL = "label"  # some version has this label; goes with the last of them
    LABELLED = "labelled"  # some version has a label that begins so
    TRACE = "trace"  # a version or turn came with this trace id
    EXTERNAL = "external"  # some version has this name
    NAMED = "named"  # some version has a name that begins so
    RELEASE = "release"  # some version is of this release; and so on
    RELEASED = "released"  # some version is of a release that begins so
    MODEL = "model"
    STEP = "step"
    OBJECTIVE = "objective"
    REASON = "reason"
    OP = "op"
    # Some version of this operation says no reason.
    UNREASONED = "unreasoned"
    FORKED = "forked"  # it began as a fork
    ROLLED_BACK = "rolled_back"
    # Some version touched more than its change rows tell.
    TRUNCATED = "truncated"
    # The head has more short scalars than terms; the value is the depth of the cut.
    CUT = "cut"


# The tags of the beginnings of names, and how long those are.
_BEGINNINGS = {
    SearchTag.EXTERNAL: (SearchTag.NAMED, BEGINNINGS),
    SearchTag.LABEL: (SearchTag.LABELLED, EVERY_BEGINNING),
    SearchTag.RELEASE: (SearchTag.RELEASED, EVERY_BEGINNING),
}


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """Parallel columns of the change rows of one version."""

    path_keys: list[bytes] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    value_keys: list[bytes | None] = field(default_factory=list)


def change_rows(comparison: Comparison, project: Project) -> tuple[ChangeRows, bool]:
    """Return the change rows, and whether some had to be left out."""
    found = touched(comparison)
    rows = ChangeRows()
    key = bytes(project.index_key)
    for row in found.rows:
        rows.path_keys.append(path_key(key, row.path))
        rows.roles.append(ROLES[row.role])
        rows.kinds.append(KINDS[row.kind])
        rows.value_keys.append(value_key(key, row.value))
    # What is looked for in any case: texts that have capitals, and keys that are ids.
    values = [row.value for row in found.rows if isinstance(row.value, str)]
    texts = [value for value in values if value != value.casefold()]
    added = [row.path[-1] for row in found.rows if row.kind is Kind.ADDED and row.path]
    texts += [str(name) for name in added if is_id(name)]
    for digest in filter(None, {folded_key(key, text): None for text in texts}):
        rows.path_keys.append(digest)
        rows.roles.append(FOLDED)
        rows.kinds.append(KINDS[Kind.ADDED])
        rows.value_keys.append(digest)
    return rows, found.truncated


def is_id(key: object) -> bool:
    """Say whether a key of an object may name a thing: it has a digit, or capitals.

    Objects are used as lists by id: there a key is what people look for.
    """
    if not isinstance(key, str) or len(key) < SHORTEST_KEY:
        return False
    return key.isupper() or any(character.isdigit() for character in key)


def folded_key(key: bytes, text: str) -> bytes | None:
    """Return the digest of a short text without its case; None for a longer one."""
    folded = text.casefold().encode(errors="surrogatepass")
    if len(text) > KEYED_VALUE or len(folded) > KEYED_BYTES:
        return None
    return _keyed(key, b"folded:" + folded)


def carry(rows: ChangeRows, state: State, project: Project) -> bool:
    """Add the values that a fork's first version holds without having set them.

    They are held, so search finds them; blame goes on in the origin and passes them
    by. Return whether some had to be left out.
    """
    found, truncated = change_rows(compare({}, state), project)
    known = set(rows.path_keys)
    for path, kind, value in zip(
        found.path_keys, found.kinds, found.value_keys, strict=True
    ):
        if value is not None and path not in known:
            rows.path_keys.append(path)
            rows.roles.append(CARRIED)
            rows.kinds.append(kind)
            rows.value_keys.append(value)
    return truncated


def path_key(key: bytes, path: Path) -> bytes:
    """Return the digest under which a canonical path is recorded."""
    return _keyed(key, b"path:" + path_bytes(path))


def value_key(key: bytes, value: Json) -> bytes | None:
    """Return the digest of a short scalar, by type: 17 is not "17"; None for others."""
    if value is MISSING or isinstance(value, (dict, list)):
        return None
    if isinstance(value, str) and len(value) > KEYED_VALUE:
        return None
    written = json.dumps(value)
    return _keyed(key, b"value:" + written) if len(written) <= KEYED_BYTES else None


def pointer_key(key: bytes, pointer: str) -> bytes:
    """Return the digest under which the head's value at a pointer is found."""
    return _term_key(key, "pointer", pointer)


def tag_key(key: bytes, tag: SearchTag, name: str = "") -> bytes:
    """Return the digest of a tag; it is its path and its value."""
    return _term_key(key, tag, name)


def cut_key(key: bytes, depth: int) -> bytes:
    """Return the value of the tag that tells from which depth leaves are missing."""
    return _term_key(key, SearchTag.CUT, str(depth))


def tagged(key: bytes, tag: SearchTag, names: Iterable[str] = ("",)) -> Terms:
    """Return the terms that add tags."""
    digests = (tag_key(key, tag, name) for name in names)
    return {digest: digest for digest in digests}


def held(key: bytes, before: Leaves | None, after: Leaves) -> Terms:
    """Return what changes about the values of the head; before None: all are new."""
    was = before.values if before else {}
    terms: Terms = {
        _term_key(key, "pointer", pointer): None
        for pointer in was
        if pointer not in after.values
    }
    for pointer, value in after.values.items():
        if pointer not in was or not same(was[pointer], value):
            terms[_term_key(key, "pointer", pointer)] = value_key(key, value)
    cut_before = before.cut_depth if before else None
    if after.cut_depth != cut_before:
        cut = None if after.cut_depth is None else cut_key(key, after.cut_depth)
        terms[tag_key(key, SearchTag.CUT)] = cut
    return terms


def tags_of(
    key: bytes,
    draft: Draft,
    head: VersionRow | None,
    *,
    flags: Sequence[str],
    is_truncated: bool,
    said: Mapping[SearchTag, str],
) -> Terms:
    """Return what a new version tags its session with.

    `said` is what it says of itself and the version before did not. A trace id that was
    not given is the id of the version's event, found there. That it says no reason is
    told where the head did not leave that tag already.
    """
    op, step = draft.op, draft.step
    terms = tagged(key, SearchTag.FLAG, flags) if flags else {}
    if is_truncated:
        terms |= tagged(key, SearchTag.TRUNCATED)
    if op == Op.ROLLBACK:
        terms |= tagged(key, SearchTag.ROLLED_BACK)
    if step.external_id is not None:
        terms |= named(key, step.external_id)
    if step.trace_id is not None:
        terms |= tagged(key, SearchTag.TRACE, [step.trace_id])
    is_silent = draft.undo_of is None and not (step.reasoning or "").strip(BLANK)
    if is_silent and op in REASONED_OPS:
        known = head is not None and head.op == op and head.undo_of is None
        if head is None or not known or (head.reasoning or "").strip(BLANK):
            terms |= tagged(key, SearchTag.UNREASONED, [op.value])
    for tag, name in said.items():
        terms |= named(key, name, tag)
    return terms


def named(key: bytes, name: str, tag: SearchTag = SearchTag.EXTERNAL) -> Terms:
    """Return the tags of a name: all of it, and its beginnings where those are tags."""
    terms = tagged(key, tag, [name])
    if tag in _BEGINNINGS:
        terms |= tagged(key, _BEGINNINGS[tag][0], beginnings(name, tag))
    return terms


def beginnings(name: str, tag: SearchTag) -> list[str]:
    """Return which beginnings of a name its session is tagged with."""
    return [name[:length] for length in _BEGINNINGS[tag][1] if length <= len(name)]


def names_beginning(
    key: bytes, text: str, tag: SearchTag = SearchTag.EXTERNAL
) -> list[bytes]:
    """Return the tag of all sessions with a name that begins with the text.

    A superset: it covers the first characters alone. Empty for a text that is shorter.
    """
    longest = beginnings(text, tag)[-1:]
    return [tag_key(key, _BEGINNINGS[tag][0], one) for one in longest]


def _term_key(key: bytes, kind: str, text: str) -> bytes:
    return _keyed(key, f"term:{kind}:{text}".encode(errors="surrogatepass"))


@lru_cache(maxsize=KEPT_DIGESTS)
def _keyed(key: bytes, text: bytes) -> bytes:
    # A session changes the same few paths again and again, and a value that was set is
    # looked for by its path and among what the head holds.
    return hmac.digest(key, text, "sha256")[:KEY_BYTES]


def shown(comparison: Comparison) -> dict[str, Any]:
    """Return the display columns: the first changes, short, and how many there are."""
    changes = comparison.changes
    return {
        "changes": [
            _places(change) | shortened(before=change.before, after=change.after)
            for change in changes[:SHOWN_CHANGES]
        ],
        "change_count": len(changes),
    }


def shown_earlier(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the changes as the first releases kept them: the beginnings of values."""
    return [
        _places(change)
        | {
            name: json.cleaned(value, **_SHORT)
            for name, value in (("before", change.before), ("after", change.after))
            if value is not MISSING
        }
        for change in comparison.changes[:SHOWN_CHANGES]
    ]


def shortened(**sides: Json) -> dict[str, Any]:
    """Return short copies of a change's values, between which the difference is seen.

    A side that is MISSING is left out. Of two long texts that begin alike both are what
    stands around the difference, and `differs_at` says where that is.
    """
    there = {name: one for name, one in sides.items() if one is not MISSING}
    shown: dict[str, Any] = {}
    before, after = there.get("before"), there.get("after")
    if (
        isinstance(before, str)
        and isinstance(after, str)
        and (found := excerpts(before, after, SHOWN_TEXT))
    ):
        there = {"before": found.before, "after": found.after}
        shown["differs_at"] = found.position
    for name, value in there.items():
        kept = json.cleaned(value, **_SHORT, cut=cut)
        shown[name] = kept
        # Not only where items were left out: the last one may look as if they were.
        if isinstance(kept, list) and json.items_left_out(kept):
            shown[f"{name}_length"] = len(value)
    return shown


def _places(change: Change) -> dict[str, Any]:
    places: dict[str, Any] = {
        "pointer": json.cleaned(change.pointer, max_string=SHOWN_POINTER),
        "kind": change.kind.value,
    }
    if change.from_pointer is not None:
        places["from_pointer"] = json.cleaned(
            change.from_pointer, max_string=SHOWN_POINTER
        )
    return places
