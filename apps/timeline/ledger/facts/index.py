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
from functools import lru_cache
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.core.json import Json
from apps.diffs.changes import MISSING, Comparison, Kind
from apps.diffs.equality import same
from apps.diffs.excerpts import excerpts
from apps.diffs.facets import Leaves
from apps.diffs.graphemes import cut
from apps.diffs.paths import Path, path_bytes
from apps.diffs.touched import Role, touched
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.facts.reasons import BLANK, is_newly_silent
from apps.timeline.ledger.facts.tags import BEGINNING_TAGS, SearchTag, beginnings
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

SHOWN_CHANGES = 50
SHOWN_POINTER = 500
SHOWN_TEXT = 200
_SHORT: dict[str, Any] = {"max_string": SHOWN_TEXT, "max_depth": 3, "max_entries": 20}
# Where a change is, and of which kind.
PLACES = ("pointer", "kind", "from_pointer")
KEY_BYTES = 16
# In each process; with texts of at most 1.2 kB about 5 MB, most often 1.
KEPT_DIGESTS = 4_096
# Longer values are found through the full text of reasoning and turns, not by key.
KEYED_VALUE = 200
KEYED_BYTES = 1_200
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
# What an append does to the terms of its session; None takes one away.
Terms = dict[bytes, bytes | None]


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
    if not (step.reasoning or "").strip(BLANK) and is_newly_silent(draft, head):
        terms |= tagged(key, SearchTag.UNREASONED, [op.value])
    for tag, name in said.items():
        terms |= named(key, name, tag)
    if step.schema_version != (head and head.schema_version):
        terms |= shaped(key, step.schema_version)
    return terms


def shaped(key: bytes, schema: str | None) -> Terms:
    """Return the term that tells which schema the head is of; None: of none."""
    value = None if schema is None else tag_key(key, SearchTag.SCHEMA, schema)
    return {tag_key(key, SearchTag.SCHEMA): value}


def named(key: bytes, name: str, tag: SearchTag = SearchTag.EXTERNAL) -> Terms:
    """Return the tags of a name: all of it, and its beginnings where those are tags."""
    terms = tagged(key, tag, [name])
    if tag in BEGINNING_TAGS:
        terms |= tagged(key, BEGINNING_TAGS[tag][0], beginnings(name, tag))
    return terms


def names_beginning(
    key: bytes, text: str, tag: SearchTag = SearchTag.EXTERNAL
) -> list[bytes]:
    """Return the tag of all sessions with a name that begins with the text.

    A superset: it covers the first characters alone. Empty for a text that is shorter.
    """
    longest = beginnings(text, tag)[-1:]
    return [tag_key(key, BEGINNING_TAGS[tag][0], one) for one in longest]


def _term_key(key: bytes, kind: str, text: str) -> bytes:
    return _keyed(key, f"term:{kind}:{text}".encode(errors="surrogatepass"))


@lru_cache(maxsize=KEPT_DIGESTS)
def _keyed(key: bytes, text: bytes) -> bytes:
    # A session changes the same few paths again and again, and a value that was set is
    # looked for by its path and among what the head holds.
    return hmac.digest(key, text, "sha256")[:KEY_BYTES]


def shown(comparison: Comparison) -> dict[str, Any]:
    """Return the display columns: the first changes, short, and how many there are."""
    rows = []
    for change in comparison.changes[:SHOWN_CHANGES]:
        pointer = json.cleaned(change.pointer, max_string=SHOWN_POINTER)
        row: dict[str, Any] = {"pointer": pointer, "kind": change.kind.value}
        if (came := change.from_pointer) is not None:
            row["from_pointer"] = json.cleaned(came, max_string=SHOWN_POINTER)
        rows.append(row | shortened(before=change.before, after=change.after))
    return {"changes": rows, "change_count": len(comparison.changes)}


def shown_earlier(
    now: Sequence[Mapping[str, Any]], comparison: Comparison
) -> list[dict[str, Any]]:
    """Return the changes as the first releases kept them: the beginnings of values.

    They stood as they are shown `now` but for their values.
    """
    return [
        {name: row[name] for name in PLACES if name in row}
        | {
            name: json.cleaned(value, **_SHORT)
            for name, value in (("before", change.before), ("after", change.after))
            if value is not MISSING
        }
        for row, change in zip(now, comparison.changes[: len(now)], strict=True)
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
