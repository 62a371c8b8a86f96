"""Look back through an agent's records: so many of the newest, whatever is asked.

Most records of a busy agent are reads, and no index knows what else a record says. So a
page is looked for among so many records only, and says how far back that was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, F, Max
from django.db.models.fields.json import KT

from apps.audit.models import AuditRecord
from apps.audit.streams import OPERATIONS, Operation, Result
from apps.core.errors import NotFound
from apps.data.audit.trail import last_number, stream_of

LOOKED_AT = 20_000
READS = frozenset(
    {
        Operation.DATA_READ,
        Operation.DATA_LIST,
        Operation.DATA_SEARCH,
        Operation.CONFIG_READ,
        Operation.AUDIT_EXPORT,
        Operation.AUDIT_DOWNLOAD,
    }
)
CHANGES = tuple(one for one in OPERATIONS if one not in READS)


@dataclass(frozen=True, slots=True)
class Stretch:
    """The numbers of the records that are looked at, from one to another."""

    agent_id: str
    first: int
    last: int

    @property
    def following(self) -> int | None:
        """Return the number below which the next stretch begins."""
        return self.first if self.first > 1 else None

    def begins_at(self) -> datetime | None:
        """Return when the first of them was made; None where nothing is before it."""
        if self.following is None:
            return None
        return stream_of(self.agent_id).get(number=self.first).created_at


@dataclass(frozen=True, kw_only=True, slots=True)
class Recent:
    """Records, newest first; `before` leads on, None at the end.

    `looked_back_to` is said where the page is not full although there may be more.
    """

    records: Sequence[AuditRecord]
    before: int | None
    looked_back_to: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """Writes that one rule held back under one key, for one shape of text."""

    rule: str
    key: str
    kind: str | None
    place: str | None
    masked: str | None
    # Whose it was, where the agent's config alone would have let it pass.
    by: str | None
    times: int
    last_at: datetime
    # How many different texts, what stands for it if it is one, and the newest record.
    texts: int
    fingerprint: str | None
    number: int
    # What else the newest of them held that is blocked: rule, kind, place, masked.
    also: Sequence[Mapping[str, str]] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldBack:
    """What was held back lately, the newest first; `before` leads on."""

    found: Sequence[Held]
    has_more: bool
    before: int | None
    looked_back_to: datetime | None


def stretch(agent_id: str, *, before: int | None, most: int | None = None) -> Stretch:
    """Return the newest records below a number, as many as are looked at."""
    last = last_number(agent_id)
    if before is not None:
        last = min(last, before - 1)
    return Stretch(agent_id, max(last - (most or LOOKED_AT) + 1, 1), last)


def recent(
    agent_id: str,
    *,
    operations: Sequence[str] = (),
    before: int | None = None,
    limit: int,
    most: int | None = None,
) -> Recent:
    """Return up to `limit` records of these operations (none: of all)."""
    looked_at = stretch(agent_id, before=before, most=most)
    found = stream_of(agent_id).filter(number__range=(looked_at.first, looked_at.last))
    if operations:
        found = found.with_action(operations)
    records = list(found.newest_first()[: limit + 1])
    if len(records) > limit:
        return Recent(records=records[:limit], before=records[limit - 1].number)
    return Recent(
        records=records,
        before=looked_at.following,
        looked_back_to=looked_at.begins_at(),
    )


def held_back(agent_id: str, *, before: int | None = None, limit: int) -> HeldBack:
    """Return what policies have blocked, the same with how often it was."""
    looked_at = stretch(agent_id, before=before)
    rows = (
        stream_of(agent_id)
        .filter(number__range=(looked_at.first, looked_at.last), result=Result.BLOCKED)
        .annotate(
            key=F("resource_id"),
            kind=KT("details__kind"),
            place=KT("details__place"),
            masked=KT("details__masked"),
            by=KT("details__by"),
            fingerprint=KT("details__fingerprint"),
        )
        .values("rule", "key", "kind", "place", "masked", "by")
        .annotate(
            times=Count("number"),
            texts=Count("fingerprint", distinct=True),
            one_text=Max("fingerprint"),
            last_at=Max("created_at"),
            newest=Max("number"),
        )
        .order_by("-newest")
    )
    met = [
        Held(
            rule=row["rule"] or "",
            key=row["key"],
            kind=row["kind"],
            place=row["place"],
            masked=row["masked"],
            by=row["by"],
            times=row["times"],
            last_at=row["last_at"],
            texts=row["texts"],
            fingerprint=row["one_text"] if row["texts"] == 1 else None,
            number=row["newest"],
        )
        for row in rows[: limit + 1]
    ]
    return HeldBack(
        found=_with_the_rest(agent_id, met[:limit]),
        has_more=len(met) > limit,
        before=looked_at.following,
        looked_back_to=looked_at.begins_at(),
    )


def _with_the_rest(agent_id: str, met: Sequence[Held]) -> list[Held]:
    """Return them with what else the newest write of each held."""
    newest = stream_of(agent_id).filter(number__in=[one.number for one in met])
    found = dict(newest.values_list("number", "details__also"))
    return [replace(one, also=found.get(one.number) or ()) for one in met]


def held_write(agent_id: str, number: int) -> AuditRecord:
    """Return the record of a write that a policy has blocked.

    Raises: NotFound.
    """
    found = stream_of(agent_id).filter(number=number, result=Result.BLOCKED).first()
    if found is None:
        raise NotFound("This agent has no such blocked write.")
    return found
