"""Holds an agent's checkpoints against its records, and against what history had.

A restore goes to the number in the row: a forged one would bring back something else,
and what it is compared with afterwards would agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import DataError

from apps.accounts.models import Project
from apps.audit.comparing import Difference, Tally
from apps.audit.covered import ROW
from apps.audit.models import AuditRecord
from apps.audit.streams import Operation
from apps.data.checkpoints import recorded
from apps.data.checkpoints.counted import Counted, Point, count
from apps.data.checkpoints.recorded import KIND
from apps.data.models import Checkpoint
from apps.timeline import queries
from apps.timeline.operations import Document

_ACTS = (Operation.CHECKPOINT_CREATE, Operation.CHECKPOINT_DELETE)
_ACTOR = ("actor_kind", "actor_id", "actor_label")


def differences(project: Project, agent_id: str, tally: Tally) -> Iterator[Difference]:
    """Yield each checkpoint of an agent that is not as its records or history say.

    Nothing is locked: records are read before the rows, which have to be there, and
    once more after them, when each row has to be accounted for.
    """
    document = Document.of_agent(project, agent_id)
    before = _records(agent_id, after=0)
    rows = recorded.with_words(Checkpoint.objects.filter(session_id=document.id))
    try:
        checkpoints = list(rows.order_by("ordinal"))
    except (DataError, UnicodeDecodeError):
        yield _difference(
            f"a checkpoint of {agent_id}", None, "a column holds what it cannot have"
        )
        return
    after = _records(agent_id, after=before[-1].number if before else 0)
    found = _Comparison(document, checkpoints, before, [*before, *after])
    for checkpoint in checkpoints:
        tally.compared[KIND] += 1
        if found.is_from_before(checkpoint):
            tally.recorded_before[KIND] += 1
        for number, sentence in found.problems(checkpoint):
            yield _difference(_named(checkpoint.id, agent_id), number, sentence)
    for record in found.missing():
        sentence = f"record {record.number} left it there, and it is missing"
        name = _named(record.resource_id, agent_id)
        yield _difference(name, record.number, sentence)


def is_as_recorded(document: Document, checkpoint: Checkpoint) -> bool:
    """Say whether a checkpoint points to what the record of its making says."""
    stream = AuditRecord.objects.for_stream(document.stream_id)
    record = stream.filter(event_id=checkpoint.event_id).first()
    return record is not None and not _others(checkpoint, record)


@dataclass(frozen=True)
class _Comparison:
    """The checkpoints of one agent, and the records of what was done with them.

    `before` are those that were read before the rows, `records` all of them.
    """

    document: Document
    checkpoints: list[Any]
    before: list[AuditRecord]
    records: list[AuditRecord]

    @cached_property
    def made(self) -> dict[str, AuditRecord]:
        """Return the records of their making, by the event that a row names."""
        create = Operation.CHECKPOINT_CREATE
        return {one.event_id: one for one in self.records if one.action == create}

    @cached_property
    def stood(self) -> dict[Point, Counted]:
        """Return what stood at the versions that records name."""
        points = [_point(self.made[event]) for event in self._events & set(self.made)]
        return count(self.document, [point for point in points if point])

    @property
    def _events(self) -> set[str]:
        return {str(one.event_id) for one in self.checkpoints}

    def is_from_before(self, row: Any) -> bool:
        """Say whether its record is from when records had no digests of its words."""
        record = self.made.get(row.event_id)
        return record is not None and ROW not in _said(record)

    def missing(self) -> Iterator[AuditRecord]:
        """Yield the record of each checkpoint that is not there any more."""
        for record in self.before:
            is_made = record.action == Operation.CHECKPOINT_CREATE
            if is_made and record.event_id not in self._events:
                yield record

    def problems(self, row: Any) -> Iterator[tuple[int | None, str]]:
        """Yield what is wrong with a row, and by which record."""
        record = self.made.get(row.event_id)
        if record is None:
            yield None, "it is there, and no record says who made it"
            return
        if others := [*_others(row, record), *self._other_words(row, record)]:
            yield (
                record.number,
                f"its {_are(others)} not what record {record.number} left",
            )
        if others := self._miscounted(row, record):
            at = _said(record)["at"]
            yield record.number, f"its {_are(others)} not what version {at} had"
        yield from self._hidden(row)

    def _other_words(self, row: Any, record: AuditRecord) -> list[str]:
        if self.is_from_before(row):
            return []
        kept = recorded.kept_in(_said(record))
        found = recorded.digests(self.document, row)
        return [name for name in recorded.WORDS if kept.get(name) != found[name]]

    def _miscounted(self, row: Any, record: AuditRecord) -> list[str]:
        """Return the columns that are not what the entries of its version say."""
        point = _point(record)
        if point is None:
            return []  # the record's own link does not hold
        if row.hidden_at and not queries.is_whole(self.document.id, point.number):
            return []  # once it was deleted, some of what it had was pruned
        counted = self.stood[point]._asdict()
        return [name for name, was in counted.items() if getattr(row, name) != was]

    def _hidden(self, row: Any) -> Iterator[tuple[int | None, str]]:
        """Hold since when it is hidden against who may have hidden it.

        Somebody has deleted it, or policies have kept it no more when a later one was
        made.
        """
        if row.hidden_at is None:
            for record in self._deletions(row, self.before):
                sentence = f"record {record.number} deleted it, and it is there again"
                yield record.number, sentence
            return
        deleted = [one.created_at for one in self._deletions(row, self.records)]
        later = [
            one.created_at for one in self.checkpoints if one.ordinal > row.ordinal
        ]
        if row.hidden_at not in (deleted or later):
            yield None, "it is hidden, and no record says by what"

    def _deletions(self, row: Any, records: list[AuditRecord]) -> Iterator[AuditRecord]:
        for one in records:
            if one.action == Operation.CHECKPOINT_DELETE and one.resource_id == row.id:
                yield one


def _others(row: Any, record: AuditRecord) -> list[str]:
    """Return the columns, but for words, that are not as the record says."""
    said, told = _said(record), recorded.counts(row)
    pairs = {
        "id": (row.id, record.resource_id if record.salt is not None else row.id),
        "number": (told["at"], said.get("at")),
        "config_ordinal": (told["config_version"], said.get("config_version")),
        "keys": (told["keys"], said.get("keys")),
        "bytes": (told["bytes"], said.get("bytes", told["bytes"])),
        **{name: (getattr(row, name), getattr(record, name)) for name in _ACTOR},
        "created_at": (row.created_at, record.created_at),
    }
    return [name for name, (is_now, was) in pairs.items() if is_now != was]


def _records(agent_id: str, *, after: int) -> list[AuditRecord]:
    stream = AuditRecord.objects.for_stream(agent_id).from_number(after + 1)
    return list(stream.with_action(_ACTS).oldest_first())


def _point(record: AuditRecord) -> Point | None:
    at = _said(record).get("at")
    return Point(at, record.created_at) if type(at) is int else None


def _said(record: AuditRecord) -> dict[str, Any]:
    """Return the details; none where they are no object, which the link will tell."""
    return record.details if isinstance(record.details, dict) else {}


def _are(names: list[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def _named(checkpoint_id: str, agent_id: str) -> str:
    return f"checkpoint {checkpoint_id} of {agent_id}"


def _difference(resource: str, number: int | None, sentence: str) -> Difference:
    return Difference(kind=KIND, resource=resource, number=number, sentence=sentence)
