"""Keyed digests under which a session is found: what its head holds, what it is.

A term is a path and a value, both digests with the project's own key, like those of
`marks`: equal values of two projects look different. A session has one value under a
path. Values of the head stand under their pointers, list positions included; tags
(a flag, a label, a trace) under their names. Pure computation, done in the append.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from enum import StrEnum

from apps.diffs.equality import same
from apps.diffs.facets import Leaves
from apps.timeline.ledger.facts.marks import KEY_BYTES, value_key
from apps.timeline.words import Op

# How many first characters of a version's name are a tag. Few: names that programs
# make begin alike for a while, so most of these are there already.
BEGINNINGS = (3, 8)
# What an append does to the terms of its session; None takes one away.
Terms = dict[bytes, bytes | None]


class SearchTag(StrEnum):
    """What a session is tagged with; most tags are never taken away."""

    FLAG = "flag"  # some version has this flag
    LABEL = "label"  # some version has this label; goes with the last of them
    TRACE = "trace"  # a version or turn came with this trace id
    EXTERNAL = "external"  # some version has this name
    NAMED = "named"  # some version has a name that begins so
    FORKED = "forked"  # it began as a fork
    ROLLED_BACK = "rolled_back"
    # Some version touched more than its change rows tell.
    TRUNCATED = "truncated"
    # The head has more short scalars than terms; the value is the depth of the cut.
    CUT = "cut"


def pointer_key(key: bytes, pointer: str) -> bytes:
    """Return the digest under which the head's value at a pointer is found."""
    return _keyed(key, "pointer", pointer)


def tag_key(key: bytes, tag: SearchTag, name: str = "") -> bytes:
    """Return the digest of a tag; it is its path and its value."""
    return _keyed(key, tag, name)


def cut_key(key: bytes, depth: int) -> bytes:
    """Return the value of the tag that tells from which depth leaves are missing."""
    return _keyed(key, SearchTag.CUT, str(depth))


def tagged(key: bytes, tag: SearchTag, names: Iterable[str] = ("",)) -> Terms:
    """Return the terms that add tags."""
    digests = (tag_key(key, tag, name) for name in names)
    return {digest: digest for digest in digests}


def held(key: bytes, before: Leaves | None, after: Leaves) -> Terms:
    """Return what changes about the values of the head; before None: all are new."""
    was = before.values if before else {}
    terms: Terms = {
        pointer_key(key, pointer): None
        for pointer in was
        if pointer not in after.values
    }
    for pointer, value in after.values.items():
        if pointer not in was or not same(was[pointer], value):
            terms[pointer_key(key, pointer)] = value_key(key, value)
    cut_before = before.cut_depth if before else None
    if after.cut_depth != cut_before:
        cut = None if after.cut_depth is None else cut_key(key, after.cut_depth)
        terms[tag_key(key, SearchTag.CUT)] = cut
    return terms


def of_version(
    key: bytes,
    *,
    op: str,
    flags: Iterable[str],
    is_truncated: bool,
    external_id: str | None,
    trace_id: str | None,
) -> Terms:
    """Return what a new version tags its session with.

    A trace id that was not given is the id of the version's event, found there.
    """
    terms = tagged(key, SearchTag.FLAG, flags)
    if is_truncated:
        terms |= tagged(key, SearchTag.TRUNCATED)
    if op == Op.ROLLBACK:
        terms |= tagged(key, SearchTag.ROLLED_BACK)
    if external_id is not None:
        terms |= named(key, external_id)
    if trace_id is not None:
        terms |= tagged(key, SearchTag.TRACE, [trace_id])
    return terms


def named(key: bytes, name: str) -> Terms:
    """Return the tags of a version's name: all of it, and its beginnings."""
    beginnings = [name[:length] for length in BEGINNINGS if length <= len(name)]
    return tagged(key, SearchTag.EXTERNAL, [name]) | tagged(
        key, SearchTag.NAMED, beginnings
    )


def names_beginning(key: bytes, text: str) -> list[bytes]:
    """Return the tag of all sessions with a version whose name begins with the text.

    A superset: it covers the first characters alone. Empty for a text that is shorter.
    """
    lengths = [length for length in BEGINNINGS if length <= len(text)]
    return [tag_key(key, SearchTag.NAMED, text[:length]) for length in lengths[-1:]]


def _keyed(key: bytes, kind: str, text: str) -> bytes:
    written = f"{kind}:{text}".encode(errors="surrogatepass")
    return hmac.digest(key, b"term:" + written, "sha256")[:KEY_BYTES]
