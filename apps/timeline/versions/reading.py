"""A stored version: its step, its row, and its body, read when asked for.

Every look-up starts from the caller's scope (`heads`, `fetching`), so a session that is
not theirs, has expired or was deleted looks like one that never was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from apps.core import json
from apps.core.errors import InvalidRequest
from apps.core.json import State
from apps.diffs.facets import Leaves
from apps.diffs.readers import reader
from apps.timeline import bodies
from apps.timeline.bodies import ARCHIVED, KEY_FRAME_EVERY, Part
from apps.timeline.versions import gone
from apps.timeline.versions.decoding.bodies import (
    raw_bodies,
)

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
    s.created_at AS session_created_at, s.project_id,
    coalesce(s.agent_id, '') AS agent_id, s.user_id,
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


def parts_beside(version: VersionRow) -> tuple[Part, ...]:
    """Return all parts but the state, which is not copied."""
    return bodies.unframe(raw_of(version), without="state")


def part_names(version: VersionRow) -> list[str]:
    """Return the names of all parts that the version shows, in their order."""
    return bodies.names_in(raw_of(version))


def has_parts(version: VersionRow, bundle: tuple[Part, ...]) -> bool:
    """Say whether these are all parts that the version shows, in their order."""
    return bodies.is_framed(raw_of(version), bundle)


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


def parse_alike(first: VersionRow, *others: VersionRow) -> None:
    """Parse states of which most members are alike: those are one value in all."""
    if reader() is not None:
        return
    known = json.members_of(parsed(first))
    for one in others:
        if one.parsed is None:
            value = json.parse_alike(state(one), known)
            object.__setattr__(one, "parsed", value)


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


def require_contents(version: VersionRow) -> None:
    """Refuse what was emptied, also where a process has it decoded still.

    Raises: ContentsErased, naming the version.
    """
    if version.is_emptied:
        raise gone.contents_erased(version.session_id, version.number)
