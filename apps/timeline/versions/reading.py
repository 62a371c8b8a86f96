"""A stored version: its step, its row, and its body, read when asked for.

Every look-up starts from the caller's scope (`heads`, `fetching`), so a session that is
not theirs, has expired or was deleted looks like one that never was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any

from django.db import transaction

from apps.core import json
from apps.core.admission import gate
from apps.core.errors import InvalidRequest
from apps.core.json import State
from apps.diffs.facets import Leaves
from apps.diffs.readers import reader
from apps.timeline import bodies
from apps.timeline.bodies import ARCHIVED, KEY_FRAME_EVERY, Part
from apps.timeline.versions import gone
from apps.timeline.versions.deltas import Body, stored_chains

MAX_REASONING = 32_768
MAX_WORD = 255
# The texts of a step, and how long each may be.
_TEXTS = {
    "reasoning": MAX_REASONING,
    **dict.fromkeys(
        (
            *("trace_id", "external_id", "step_parent_id", "objective_status"),
            *("schema_version", "release", "model"),
        ),
        MAX_WORD,
    ),
}
# What is written on a body that is archived begins anew: a recent version is read
# without the store.
VERSION_COLUMNS = f"""
    v.session_id, v.number, v.op, v.restored_number, v.undo_of, v.reason_code,
    v.parent_number, v.body_number, v.external_id, v.actor_kind, v.actor_id,
    v.actor_label, v.reasoning, v.trace_id, v.step_number, v.step_parent_id,
    v.objective_status, v.schema_version, v.release, v.model, v.size, v.flags,
    v.hold, v.changes, v.change_count, v.changes_truncated, v.request_key, v.salt,
    v.commitment, v.leaf, v.chain, v.requested_at, v.created_at,
    v.source_session_id, v.source_number, v.source_digest, v.source_opaque,
    CASE WHEN b.codec > {ARCHIVED} THEN {KEY_FRAME_EVERY} - 1 ELSE b.depth END
        AS body_depth, b.size AS body_size, b.salt AS body_salt,
    s.created_at AS session_created_at, s.project_id, s.agent_id, s.user_id,
    s.erasures, s.thinned_below"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """Step metadata of a checkpoint. All texts are bounded and free of NUL."""

    reasoning: str | None = None
    trace_id: str | None = None
    external_id: str | None = None
    step_number: int | None = None
    step_parent_id: str | None = None
    objective_status: str | None = None
    schema_version: str | None = None
    release: str | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        for name, limit in _TEXTS.items():
            value = getattr(self, name)
            if value is not None:
                require_text(name, value, limit)
        if (self.reasoning or "").startswith(bodies.SEALED_TEXT):
            message = "reasoning begins as only sealed texts do."
            raise InvalidRequest(message, param="reasoning")
        if self.external_id == "":
            raise InvalidRequest("external_id is empty.", param="external_id")


def require_text(name: str, value: str, limit: int) -> None:
    """Refuse text that a text column cannot hold, or should not.

    Raises: InvalidRequest naming the field.
    """
    if "\x00" in value:
        raise InvalidRequest(f"{name} must not contain NUL (\\u0000).", param=name)
    if len(value) > limit:
        raise InvalidRequest(f"{name} has more than {limit:,} characters.", param=name)


class Unread(Enum):
    """Says that something was not asked for, where None says that there is none."""

    UNREAD = 1


UNREAD = Unread.UNREAD


@dataclass(frozen=True, slots=True)
class Rollback:
    """What writers are told of a rollback that they may not have noticed."""

    number: int
    restored_number: int
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionRow:
    """A version's row, with the facts of its session that answers need."""

    session_id: str
    number: int
    op: str
    restored_number: int | None
    undo_of: int | None
    reason_code: str | None
    parent_number: int | None
    body_number: int
    external_id: str | None
    actor_kind: str
    actor_id: str
    actor_label: str
    reasoning: str | None
    trace_id: str
    step_number: int | None
    step_parent_id: str | None
    objective_status: str | None
    schema_version: str | None
    release: str | None
    model: str | None
    size: int
    flags: list[str]
    hold: str
    changes: list[dict[str, Any]]
    change_count: int
    changes_truncated: bool
    request_key: str | None
    salt: bytes
    commitment: bytes
    leaf: bytes
    chain: bytes
    requested_at: datetime
    created_at: datetime
    body_depth: int
    # All parts together: what has to be decoded to show the state.
    body_size: int
    body_salt: bytes
    session_created_at: datetime
    project_id: str
    agent_id: str
    user_id: str | None
    # Where a merge has taken from, and what was chosen: see the model.
    source_session_id: str | None = None
    source_number: int | None = None
    source_digest: bytes | None = None
    source_opaque: bool | None = None
    # What its session has lost, where the row was read and not just written.
    erasures: int = 0
    thinned_below: int | None = None
    # Its framed parts and its state, once they were read, or where they are not
    # stored yet: an earlier item of a batch.
    raw: bytes | None = None
    parsed: State | None = None
    # The short scalars of its state, where they were looked for.
    leaves: Leaves | None = None
    # The newest rollback up to it, where that was read with it; `None` is none.
    rollback: Rollback | Unread | None = UNREAD

    def __post_init__(self) -> None:
        """Open what an encrypting project has sealed.

        Raises: KeysUnavailable.
        """
        if (self.reasoning or "").startswith(bodies.SEALED_TEXT):
            reasoning = bodies.opened_text(self.session_id, self.reasoning)
            object.__setattr__(self, "reasoning", reasoning)
        if self.changes and bodies.SEALED_CHANGES in self.changes[0]:
            changes = bodies.opened_changes(self.session_id, self.changes)
            object.__setattr__(self, "changes", changes)

    @property
    def is_emptied(self) -> bool:
        """Whether its header stands without what it held."""
        return not self.body_salt


def parts(version: VersionRow) -> tuple[Part, ...]:
    """Return all parts that the version shows."""
    return bodies.unframe(raw_of(version))


def state(version: VersionRow) -> bytes:
    """Return the version's state as JSON bytes, ready to be spliced into an answer."""
    return bytes(bodies.state_view(raw_of(version)))


def state_view(version: VersionRow) -> memoryview:
    """Return those bytes where they stand, not copied."""
    return bodies.state_view(raw_of(version))


def parsed(version: VersionRow) -> State:
    """Return the version's state as a value, not to be changed.

    It stays with the row: a write merges into it and is then compared with it.
    """
    if reader() is not None:
        # Drawn for somebody, and for them alone: it does not stay with the row.
        seen: State = json.parse_written(state(version))
        return seen
    value: State | None = version.parsed
    if value is None:
        value = json.parse_written(state(version))
        object.__setattr__(version, "parsed", value)
    return value


def parsed_pair(one: VersionRow, other: VersionRow) -> tuple[State, State]:
    """Return both states as values, as `parsed` does, read together.

    One statement for both; what both build on is decoded once.
    """
    fetch([one, other])
    return parsed(one), parsed(other)


def fetch(versions: Sequence[VersionRow]) -> None:
    """Read the bodies of all of these in one statement, for `parts` and `parsed`."""
    if reader() is not None:
        return
    unread = [version for version in versions if version.raw is None]
    for version, raw in zip(unread, _raw_of(unread), strict=True):
        object.__setattr__(version, "raw", raw)


def state_part(bundle: tuple[Part, ...]) -> bytes:
    return next(part.data for part in bundle if part.name == "state")


def raw_of(version: VersionRow) -> bytes:
    """Return all parts that the version shows, framed."""
    # It stays with the row: a body too large for the cache, or not yet committed,
    # would be decoded anew for each of its parts.
    if reader() is not None:
        return raw_bodies([version])[version.session_id, version.body_number]
    if version.raw is None:
        (raw,) = _raw_of([version])
        object.__setattr__(version, "raw", raw)
        return raw
    return version.raw


def _raw_of(versions: Sequence[VersionRow]) -> list[bytes]:
    raws = raw_bodies(versions)
    return [raws[version.session_id, version.body_number] for version in versions]


def raw_bodies(versions: Sequence[VersionRow]) -> dict[Body, bytes]:
    """Return the framed parts, cached or decoded along their deltas.

    Every decoded body that a version shows is held against its commitment.

    Raises: bodies.CorruptBody, Busy, ContentsErased, VersionPruned, SessionNotFound.
    """
    gate.enter(sum(v.body_size for v in versions if v.raw is None))
    found: dict[Body, bytes] = {}
    missing: dict[Body, VersionRow] = {}
    for version in versions:
        # Asked here, because each read of a state comes by: two calls less.
        if not version.body_salt:
            require_contents(version)
        key = (version.session_id, version.body_number)
        raw = bodies.cache.get(key) if version.raw is None else version.raw
        if raw is None:
            missing[key] = version
        else:
            found[key] = raw
    return drawn_bodies(found | _shown(missing) if missing else found)


def drawn_bodies(raws: dict[Body, bytes]) -> dict[Body, bytes]:
    """Return bodies as whoever looks may see them, once they were verified."""
    who = reader()
    if who is None:
        return raws
    return {
        key: bodies.frame(
            replace(part, data=who.part(part.name, part.data))
            for part in bodies.unframe(raw)
        )
        for key, raw in raws.items()
    }


def _shown(missing: dict[Body, VersionRow]) -> dict[Body, bytes]:
    """Decode what these versions show, whatever a removal did since they were read."""
    try:
        return _decoded({key: one.commitment for key, one in missing.items()})
    except bodies.CorruptBody:
        places = {
            key: gone.place_now(one.session_id, one.number) or key
            for key, one in missing.items()
        }
        if all(key == place for key, place in places.items()):
            raise
    moved = _decoded({places[key]: one.commitment for key, one in missing.items()})
    return {key: moved[place] for key, place in places.items()}


def require_contents(version: VersionRow) -> None:
    """Refuse what was emptied, also where a process has it decoded still.

    Raises: ContentsErased, naming the version.
    """
    if version.is_emptied:
        raise gone.contents_erased(version.session_id, version.number)


def decoded(wanted: dict[Body, bytes], *, size: int) -> dict[Body, bytes]:
    """Return framed parts by the commitments to them, of about `size` bytes together.

    Raises: bodies.CorruptBody, Busy.
    """
    gate.enter(size)
    known = {key: bodies.cache.get(key) for key in wanted}
    found = {key: raw for key, raw in known.items() if raw is not None}
    missing = {key: made for key, made in wanted.items() if key not in found}
    return found | _decoded(missing) if missing else found


def _decoded(wanted: dict[Body, bytes]) -> dict[Body, bytes]:
    rows = stored_chains(wanted)
    # A base is let go with its last use: a chain of 32 large bodies would not fit.
    uses = Counter((row.session_id, row.base_number) for row in rows)
    raws: dict[Body, bytes] = {}
    spans = bodies.Spans()
    for row in rows:
        key, base_key = (row.session_id, row.number), (row.session_id, row.base_number)
        # A base has a lower number than what builds on it, so it is decoded already.
        base = None if row.base_number is None else raws[base_key]
        place = bodies.Place(row.session_id, row.salt)
        raws[key] = bodies.decode(row.codec, row.data, row.size, base, place, spans)
        if key in wanted:
            bodies.verify(raws[key], row.salt, wanted[key])
            # At once outside a transaction; inside one it may be the transaction's
            # own body, which a rollback takes back and another writer replaces.
            transaction.on_commit(partial(bodies.cache.put, key, raws[key]))
        uses[base_key] -= 1
        if not uses[base_key] and base_key not in wanted:
            raws.pop(base_key, None)
    if not wanted.keys() <= raws.keys():
        raise bodies.CorruptBody("The body is not there.")
    return {key: raws[key] for key in wanted}
