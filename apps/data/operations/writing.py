"""Write values under keys, each checked against the config that stands.

Policies are looked at before the lock is taken; if another config stands by then, they
are looked at again. What is blocked is recorded and answered, the rest is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.streams import Operation, Result
from apps.data.documents.agents import known_document
from apps.data.documents.deciding import ALLOWED, Decision, Override, against, decide
from apps.data.documents.enforcing import (
    StandingConfig,
    full_block,
    remembered_config,
    standing_config,
    standing_floor,
)
from apps.data.documents.exceptions import still_stand
from apps.data.documents.repeated import as_another, is_over, results_before
from apps.data.documents.values import NewValue, WriteResult, require_entries
from apps.data.operations.recording import found_to_write, record_block, told
from apps.timeline.errors import ConfigChanged, EntryChanged, NoRoom
from apps.timeline.operations import (
    Document,
    NewEntry,
    Written,
    stored_before,
    write_entries,
    write_entry_plainly,
)

# How often what is written is checked anew because another config stands.
ATTEMPTS = 3


def write_batch(
    *,
    act: Act,
    reference: str,
    items: Sequence[NewValue],
    reasoning: str | None = None,
    override: Override | None = None,
    name: str = "",
) -> list[WriteResult]:
    """Write up to 100 values in their order, and return what became of each.

    What is allowed is written all or not at all. `name` is what the caller calls the
    list, for errors; empty for a single value. With an `override` policies block
    nothing; whoever gives one is an administrator.

    Raises: AgentNotFound, InvalidRequest, InvalidKey, ContentTooLarge; EntryChanged,
    ConfigChanged, AgentSuspended, AgentDeleted, DocumentHeld, IdempotencyKeyReused.
    """
    require_entries(items, name)
    if override is not None:
        override.require()
    _, document = found_to_write(act, reference)
    batch = _Batch(act, document, items, reasoning, override)
    changed = ConfigChanged()
    attempts = 0
    while attempts < ATTEMPTS:
        config = standing_config(document, now=act.now)
        batch.decide(config)
        try:
            return batch.stored_before(config) or batch.store(config)
        except ConfigChanged as error:
            attempts, changed = attempts + 1, error
            batch.crowded.clear()
        except NoRoom as error:
            batch.have_no_room(error.details["entries"])
        except EntryChanged as error:
            raise batch.told_of(error, name) from None
    raise changed


def write_plainly(
    *, act: Act, reference: str, item: NewValue, reasoning: str | None
) -> WriteResult | None:
    """Write one value as `write_batch` does, if all about it is as usual.

    None where the agent is not known yet, where a policy blocks the value, so that only
    an exception could let it pass, and where the ledger finds anything out of the
    usual: then nothing was stored, nor recorded.

    Raises: InvalidRequest, InvalidKey, ContentTooLarge.
    """
    item.require()
    document = known_document(act.scope, reference)
    if document is None:
        return None
    remembered = remembered_config(document)
    if remembered is not None:
        written = _plainly(act, document, item, reasoning, remembered)
        if written is not None:
            return written
    floor = standing_floor(act.project_id)
    config = standing_config(document, now=act.now, floor=floor)
    if config == remembered:
        return None
    return _plainly(act, document, item, reasoning, config)


def _plainly(
    act: Act,
    document: Document,
    item: NewValue,
    reasoning: str | None,
    config: StandingConfig,
) -> WriteResult | None:
    """Write a value if that config stands and nothing else is in the way."""
    if config.verdict(item).block is not None:
        return None
    batch = _Batch(act, document, [item], reasoning)
    batch.decisions = [ALLOWED]
    return batch.store_plainly(config)


@dataclass(slots=True)
class _Batch:
    """Values to be written in one act, and what is decided about each."""

    act: Act
    document: Document
    items: Sequence[NewValue]
    reasoning: str | None
    override: Override | None = None
    # By the place of the value.
    decisions: list[Decision] = field(default_factory=list)
    crowded: set[int] = field(default_factory=set)

    def decide(self, config: StandingConfig) -> None:
        """Look at every value by these policies."""
        self.decisions = decide(
            self.document, config, self.items, now=self.act.now, override=self.override
        )
        most = config.rules.policies.most_keys
        for place in self.crowded:
            if most is not None and self.decisions[place].block is None:
                full = config.named(self.items[place], full_block(most))
                self.decisions[place] = against(full, self.override)

    @property
    def allowed(self) -> list[int]:
        """Return the places of what nothing blocks."""
        return [at for at, one in enumerate(self.decisions) if one.block is None]

    @property
    def exceptions(self) -> set[str]:
        """Return the exceptions without which something would be blocked."""
        passages = (one.passage for one in self.decisions)
        return {each for one in passages if one for each in one.exceptions}

    @property
    def overflows(self) -> bool:
        """Say whether more keys are to be written than there is room for."""
        return self.override is not None and bool(self.crowded)

    def stored_before(self, config: StandingConfig) -> list[WriteResult] | None:
        """Return what became of a write that is sent again, which is not decided anew.

        None for a new one, and where nothing is blocked: the ledger finds out then.
        """
        if len(self.allowed) == len(self.items):
            return None
        written = stored_before(act=self.act, document=self.document)
        if written is None or is_over(self.document, written, self.act):
            return None
        with transaction.atomic():
            return self._answered(config, self._stored(config, written))

    def store(self, config: StandingConfig) -> list[WriteResult]:
        """Write what is allowed and record what is blocked, in one transaction.

        Raises: ConfigChanged also where an exception has ended meanwhile, and what
        `write_entries` raises.
        """
        needed = self.exceptions
        is_one_statement = not needed and len(self.allowed) == len(self.items)
        with nullcontext() if is_one_statement else transaction.atomic():
            if needed and not still_stand(self.document, needed, now=self.act.now):
                raise ConfigChanged
            stored: Mapping[int, WriteResult] = {}
            if self.allowed:
                stored = self._stored(config, self._write(config))
            return self._answered(config, stored)

    def store_plainly(self, config: StandingConfig) -> WriteResult | None:
        """Write the one value if nothing about that is out of the usual."""
        written = write_entry_plainly(
            act=self.act,
            document=self.document,
            entry=self._entry(0, config),
            config=config.commitment,
            floor=config.floor,
            most_keys=config.rules.policies.most_keys,
            reasoning=self.reasoning,
        )
        return None if written is None else self._stored(config, written)[0]

    def have_no_room(self, refused: Sequence[int]) -> None:
        """Take note of the entries that were one too many."""
        places = self.allowed
        self.crowded |= {places[entry] for entry in refused}

    def told_of(self, error: EntryChanged, name: str) -> EntryChanged:
        """Return the error with the place of the value that it is about."""
        place = self.allowed[error.details["entries"][0]]
        if not name:
            return EntryChanged(param="expected_version")
        return EntryChanged(param=f"{name}[{place}].expected_version", item=place)

    def _answered(
        self, config: StandingConfig, stored: Mapping[int, WriteResult]
    ) -> list[WriteResult]:
        """Return what became of each; what is not stored is recorded as blocked."""
        # Records come last: whoever waits for the chain holds nothing else.
        return [
            stored[place] if place in stored else self._blocked(place, config)
            for place in range(len(self.items))
        ]

    def _write(self, config: StandingConfig) -> Written:
        written = self._written(config, self.act)
        if not is_over(self.document, written, self.act):
            return written
        return self._written(config, as_another(self.act, written))

    def _written(self, config: StandingConfig, act: Act) -> Written:
        return write_entries(
            act=act,
            document=self.document,
            entries=[self._entry(at, config) for at in self.allowed],
            config=config.number,
            most_keys=None if self.overflows else config.rules.policies.most_keys,
            reasoning=self.reasoning,
        )

    def _entry(self, place: int, config: StandingConfig) -> NewEntry:
        item = self.items[place]
        passage = self.decisions[place].passage
        expires_at = config.expires_at(item.key, self.act.now)
        return NewEntry(
            key=item.key,
            body=item.body(expires_at),
            size=item.size,
            expires_at=expires_at,
            expected=item.expected,
            # Without an event: the chained record says all that one would.
            told=told(
                Operation.DATA_WRITE,
                item.key,
                result=Result.ALLOWED,
                details={
                    "size": item.size,
                    "request_id": self.act.request.id,
                    **(passage.told() if passage else {}),
                },
            ),
        )

    def _blocked(self, place: int, config: StandingConfig) -> WriteResult:
        item = self.items[place]
        most = config.rules.policies.most_keys or 0
        block = self.decisions[place].block
        block = block or config.named(item, full_block(most))
        name = item.key if config.may_name(item.key) else ""
        with transaction.atomic(savepoint=False):
            event_id = record_block(self.act, self.document, block, name)
        return WriteResult(
            key=item.key, event_id=event_id, created_at=self.act.now, block=block
        )

    def _stored(
        self, config: StandingConfig, written: Written
    ) -> dict[int, WriteResult]:
        """Return what became of what is stored, now or by this act before."""
        if written.is_replay:
            return results_before(self.document, self.items, written)
        created_at = written.created_at or self.act.now
        return {
            place: WriteResult(
                key=self.items[place].key,
                event_id=written.event_ids[at],
                ordinal=written.ordinals[at],
                number=written.first_number + at,
                created_at=created_at,
                expires_at=config.expires_at(self.items[place].key, self.act.now),
                passage=self.decisions[place].passage,
            )
            for at, place in enumerate(self.allowed)
        }
