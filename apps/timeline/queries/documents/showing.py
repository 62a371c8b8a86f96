"""Shared documents as people look at them: which there are, and who holds one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.agents.scope import Scope
from apps.timeline.errors import (
    SessionNotFound,
    SharedNotFound,
    VersionNotFound,
    VersionPruned,
)
from apps.timeline.ledger.documents import leases
from apps.timeline.ledger.documents.named import shared_documents
from apps.timeline.ledger.documents.shared import SharedName, shared_scope
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import VersionRow


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedShown:
    """A document and its newest versions, one more than asked if there are more.

    `shown` is the version that was asked for, `previous` the one before it, None where
    there is none any more. `lease` is the newest that was handed out, None where nobody
    ever took it; it holds while it has `seconds_left`.
    """

    name: str
    agent: str | None
    head: VersionRow
    shown: VersionRow
    previous: VersionRow | None
    lease: Any | None
    versions: Sequence[VersionRow]


def list_shared(scope: Scope, prefix: str, after: str | None, limit: int) -> list[Any]:
    """Return documents whose names begin so, by name, and one more."""
    found = shared_documents(scope.project, prefix=prefix, after=after, limit=limit + 1)
    return list(found)


def show_shared(
    scope: Scope,
    name: str,
    *,
    number: int | None,
    after: int | None,
    limit: int,
    now: datetime,
) -> SharedShown:
    """Return a document's version, and those below number `after`, the newest first.

    Without a number the newest is shown.

    Raises: SharedNotFound, VersionNotFound, VersionPruned.
    """
    said, documents = SharedName.of(name), shared_scope(scope)
    try:
        head = fetching.head(documents, said.id_in(scope), now=now)
    except SessionNotFound:
        raise SharedNotFound(param="name") from None

    def version(number: int) -> VersionRow:
        return fetching.version(documents, head.session_id, number, now=now)

    shown = head if number is None else version(number)
    previous = None
    if shown.number:
        with suppress(VersionNotFound, VersionPruned):
            previous = version(shown.number - 1)
    return SharedShown(
        name=said.text,
        agent=said.agent,
        head=head,
        shown=shown,
        previous=previous,
        lease=leases.held(head.session_id),
        versions=fetching.versions_of(
            head.session_id, newest_first=True, after=after, limit=limit
        ),
    )
