"""The archive of an export: a zip with a file for each session, made as it is sent.

Each file is what the command line exports (`stepback-trajectory/1`), and a list of what
the archive has and of what it lacks stands first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Semaphore
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from apps.core.errors import Busy, DomainError
from apps.plans.cases.exports import EXPORT
from apps.plans.errors import NoArchive
from apps.plans.models import Item, ItemState, Plan
from apps.timeline.api.trajectories import line, trajectory
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet
from apps.timeline.versions import CorruptBody

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
    return line(told | ({"reason": item.words} if item.words else {}))


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
        yield line({"type": "error", "message": str(error)})


def _session(seen: SessionQuerySet, session_id: str) -> Session | None:
    return seen.select_related("agent").filter(id=session_id).first()
