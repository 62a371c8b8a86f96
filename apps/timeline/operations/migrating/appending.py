"""Migrate: the head's state as a newer schema of its agent has it, as one version.

It says the schema it came from where a decision says its outcome: the leaf covers it.
A step that cannot be done, or a state that does not pass its schema, stores nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from django.db import transaction

from apps.agents.acts import Act
from apps.core.errors import DomainError
from apps.schemas import operations as schemas
from apps.timeline import hooks, ledger
from apps.timeline.bodies import bundles
from apps.timeline.ledger import gated, policies
from apps.timeline.ledger.drafts import ANY_HEAD, Draft, Expected, Receipt, Write
from apps.timeline.queries.migrating import Migrated, migrated
from apps.timeline.versions import reading
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Hold, Op


def migrate(
    *,
    act: Act,
    session_id: str,
    to: str,
    source: str | None = None,
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Append a version with the head's state under schema `to`.

    A head that says nothing of its schema is taken to be of `source`.

    Raises: SchemaNotFound, NothingToMigrate, NoMigration, MigrationFailed, SchemaUnfit,
    UnacceptableJson, PayloadTooLarge, what a gate refuses it with, and what
    `ledger.append` raises.
    """
    found: list[Migrated] = []

    def build(head: VersionRow) -> Write:
        found[:] = [migrated(head, to, source=source)]
        return migrating(head, found[0], step)

    append = gated.append if hooks.APPEND else ledger.append
    with transaction.atomic():
        receipt = append(
            act=act,
            session_id=session_id,
            build=build,
            expected=expected,
            policy=policies.WRITE[act.actor.kind],
        )
        if receipt.made:
            schemas.note_use(act=act, route=found[0].route)
    return receipt


def migrating(head: VersionRow, found: Migrated, step: Step) -> Write:
    """Return the version that a migrated state becomes on a head."""
    carried = reading.parts(head)
    parts = bundles.assembled(found.state, before=reading.parsed(head), carried=carried)
    is_same = parts == carried
    return Write(
        draft=Draft(
            op=Op.MIGRATE,
            hold=Hold(head.hold),
            step=replace(step, schema_version=found.target),
            state=None if is_same else found.state,
            parts=None if is_same else parts,
            body_from=head if is_same else None,
            reason_code=found.source,
            details={
                "from": found.source,
                "to": found.target,
                "migrations": [one.id for one in found.route.migrations],
            },
        )
    )


class Following:
    """Migrates the version before it in the same batch, where that is to be done."""

    def __init__(self, to: str) -> None:
        self._to = to
        self._found: Migrated | None = None

    def __call__(self, head: VersionRow) -> Write:
        """Build it, anew where another writer came first."""
        self._found = migrated(head, self._to)
        return migrating(head, self._found, Step())

    def note_use(self, act: Act) -> None:
        """Keep what it was migrated by, once it is stored."""
        if self._found is not None:
            schemas.note_use(act=act, route=self._found.route)


@contextmanager
def plainly_refused() -> Iterator[None]:
    """Refuse in the words of one act what a batch refuses as one of its items.

    Raises: the error that an item was refused with.
    """
    try:
        yield
    except DomainError as error:
        own = error.__cause__
        if "item" in error.details and isinstance(own, DomainError):
            raise own from None
        raise
