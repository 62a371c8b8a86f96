"""The archive of an export: a zip with a file for each session, made as it is sent.

Each file is what the command line exports (`stepback-trajectory/1`): a header, each
version with its state and turns in order, and a trailer with the digest of all lines
before it. So `stepback check` tells of each whether it is whole. A list of what the
archive has and of what it lacks stands first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from threading import Semaphore
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.utils import timezone

from apps.core import json
from apps.core.errors import Busy, DomainError
from apps.plans.cases.exports import EXPORT
from apps.plans.errors import NoArchive
from apps.plans.models import Item, ItemState, Plan
from apps.timeline import hooks
from apps.timeline.api import shapes
from apps.timeline.api.turns import turn_objects
from apps.timeline.errors import SessionNotFound, VersionNotFound
from apps.timeline.models import Label, Session, Turn
from apps.timeline.queries import within_bytes
from apps.timeline.querysets import SessionQuerySet
from apps.timeline.versions import (
    CorruptBody,
    VersionRow,
    live_ranges,
    removed_between,
    set_aside_by,
    states_of,
    tombstone_object,
    versions_of,
)

FORMAT = "stepback-trajectory/1"
# Versions, or turns, that are read at once.
PAGE = 100
# What is sent at once.
PIECE = 64 * 1024
LIST = "sessions.jsonl"
# Archives that a process sends at once: each keeps a thread for as long as it is read.
AT_ONCE = 2
RETRY_SECONDS = 30
_PLACES = Semaphore(AT_ONCE)


class _Sink:
    """Takes what a zip file writes, and hands it on."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: bytes, /) -> int:
        self._written += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: what is written is handed on by `taken`."""

    close = flush

    def taken(self, at_least: int = 0) -> Iterator[bytes]:
        """Yield what was written since, where it is so much."""
        if len(self._written) > at_least:
            taken, self._written = bytes(self._written), bytearray()
            yield taken


def is_ready(plan: Plan) -> bool:
    """Whether the plan has an archive: an export that is over and has exported."""
    if plan.kind != EXPORT.kind or not plan.is_finished:
        return False
    return Item.objects.of_plan(plan.id).in_state(ItemState.DONE).exists()


def download(plan: Plan, seen: SessionQuerySet) -> Iterator[bytes]:
    """Return the bytes of the archive, once there is a place to send them.

    `seen` are the sessions that the caller sees; of others it has no more than the ids.

    The place is free again when they were read, or when nobody wants them any more.

    Raises: NoArchive, Busy.
    """
    if not is_ready(plan):
        raise NoArchive
    pieces = _in_a_place(archive(plan, seen))
    next(pieces)
    return pieces


def _in_a_place(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield nothing once there is a place, then the pieces."""
    if not _PLACES.acquire(blocking=False):
        raise Busy(
            "Other archives are being downloaded. Retry shortly.",
            retry_after=RETRY_SECONDS,
        )
    try:
        yield b""
        yield from pieces
    finally:
        _PLACES.release()


def archive(plan: Plan, seen: SessionQuerySet) -> Iterator[bytes]:
    """Yield the bytes of the archive; nothing of it is kept."""
    items = list(Item.objects.of_plan(plan.id).in_order())
    sink = _Sink()
    with ZipFile(sink, "w", ZIP_DEFLATED) as packed:
        for name, lines in _files(seen, items):
            with packed.open(_named(plan, name), "w", force_zip64=True) as file:
                for line in lines:
                    file.write(line)
                    yield from sink.taken(PIECE)
    yield from sink.taken()


def _files(
    seen: SessionQuerySet, items: Sequence[Item]
) -> Iterator[tuple[str, Iterator[bytes]]]:
    yield LIST, map(_listed, items)
    for item in items:
        if item.state == ItemState.DONE and item.result_number is not None:
            lines = _whole(seen, item.session_id, item.result_number)
            yield f"{item.session_id}.jsonl", lines


def _named(plan: Plan, name: str) -> ZipInfo:
    at = plan.confirmed_at or plan.created_at
    info = ZipInfo(name, date_time=at.timetuple()[:6])
    info.compress_type = ZIP_DEFLATED
    return info


def _listed(item: Item) -> bytes:
    told = {"session_id": item.session_id, "state": item.state}
    if item.result_number is not None:
        told["version"] = item.result_number
    return _line(told | ({"reason": item.words} if item.words else {}))


def _line(told: dict[str, Any]) -> bytes:
    return json.splice(told) + b"\n"


def _whole(seen: SessionQuerySet, session_id: str, through: int) -> Iterator[bytes]:
    """Yield the lines of a session; a damaged one ends with what is wrong.

    Without a trailer it is known to be cut. One that retention has erased since is
    nothing but that.
    """
    try:
        session = _session(seen, session_id)
        if session is None:
            raise SessionNotFound
        yield from trajectory(session, through)
    except (CorruptBody, DomainError) as error:
        yield _line({"type": "error", "message": str(error)})


def _session(seen: SessionQuerySet, session_id: str) -> Session | None:
    return seen.select_related("agent").filter(id=session_id).first()


def trajectory(session: Session, through: int) -> Iterator[bytes]:
    """Yield the lines of a session up to a version, the trailer at the end."""
    digest = hashlib.sha256()
    counts, chain = {"version": 0, "turn": 0}, ""
    for told in _told(session, through):
        line = _line(told)
        digest.update(line)
        if told["type"] in counts:
            counts[told["type"]] += 1
        chain = told.get("chain", chain)
        yield line
    yield _line(
        {
            "type": "trailer",
            "versions": counts["version"],
            "turns": counts["turn"],
            "chain_end": chain,
            "sha256": digest.hexdigest(),
        }
    )


def _told(session: Session, through: int) -> Iterator[dict[str, Any]]:
    """Yield header, versions and turns, each turn behind the version that it left."""
    yield {"type": "header", "format": FORMAT, "session": _about(session, through)}
    turns = _turns(session.id, through)
    turn = next(turns, None)
    for version in _versions(session.id, through):
        yield {"type": "version", **version}
        while turn is not None and turn["version"] <= version["version"]:
            yield {"type": "turn", **turn}
            turn = next(turns, None)


def _about(session: Session, through: int) -> dict[str, Any]:
    found = versions_of(session.id, newest_first=True, after=through + 1, limit=1)
    if not found:
        raise VersionNotFound
    counted = hooks.memory_counts(session.project_id, [session.id], now=timezone.now())
    about = shapes.session_object(
        session, found[0], b"{}", memory_count=counted.get(session.id, 0)
    )
    del about["state"]
    # What a removal has taken of it, or emptied, is named where it would stand.
    about["removed"] = [
        tombstone_object(one)
        for one in removed_between(found[0], 0, through, with_emptied=True)
    ]
    return about


def _versions(session_id: str, through: int) -> Iterator[dict[str, Any]]:
    after: int | None = None
    while after is None or after < through:
        found = versions_of(session_id, newest_first=False, after=after, limit=PAGE)
        shown = within_bytes(found[:PAGE], lambda one: one.body_size)
        meant = [one for one in shown if one.number <= through]
        if meant:
            yield from _version_objects(session_id, meant, through)
        after = shown[-1].number


def _version_objects(
    session_id: str, versions: Sequence[VersionRow], through: int
) -> Iterator[dict[str, Any]]:
    states = states_of([one for one in versions if not one.is_emptied])
    numbers = [one.number for one in versions]
    labels = Label.objects.of_session(session_id).by_number(numbers)
    ranges = live_ranges(session_id, through, down_to=min(numbers))
    for one in versions:
        state = states.get((session_id, one.number))
        shown = shapes.version_object(one, labels.get(one.number, []), state)
        yield shown | {"set_aside_by": set_aside_by(ranges, one.number)}


def _turns(session_id: str, through: int) -> Iterator[dict[str, Any]]:
    """Yield the turns that left a version up to this one, as many at once as fit."""
    after: int | None = None
    while True:
        mine = Turn.objects.of_session(session_id).filter(head_number__lte=through)
        found = list(mine.in_order(newest_first=False, after=after)[:PAGE])
        if not found:
            return
        shown = turn_objects(session_id, found)
        yield from shown
        after = shown[-1]["turn_number"]
