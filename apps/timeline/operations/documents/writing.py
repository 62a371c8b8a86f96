"""Writing to keyed documents: set keys, remove them, record what expired.

Each act is one statement and one transaction; all writers of a document take turns at
its lock. Of two writers of one key the last wins, unless it names what it saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from apps.agents.acts import Act
from apps.core import json, sql
from apps.timeline.errors import (
    ConfigChanged,
    DocumentNotFound,
    EntryChanged,
    KeyNotFound,
    NoRoom,
)
from apps.timeline.ledger.documents import calls, writing
from apps.timeline.ledger.documents.sealing import keyless, seal
from apps.timeline.ledger.documents.values import (
    Document,
    NewEntry,
    Told,
    Written,
)
from apps.timeline.ledger.locking import lock_session
from apps.timeline.versions.keyed.entries import Standing, standing
from apps.timeline.versions.keyed.keys import behind
from apps.timeline.versions.keyed.whole import require_whole
from apps.timeline.words import KeyedOp

_REMOVED = sql.of_session(sql.query("timeline", "document_removed"))


def lock_document(*, act: Act, document: Document, told: Told) -> Standing:
    """Lock a document until the transaction ends, and return how it stands.

    One that is not there begins, for the act told of: of that alone nothing is
    recorded.
    """
    hold_document(act=act, document=document, told=told)
    found = standing(document.id, now=act.now)
    if found is None:
        raise DocumentNotFound
    return found


def hold_document(*, act: Act, document: Document, told: Told) -> None:
    """Lock a document as `lock_document` does; how it stands is not looked up.

    Whoever found nothing to lock holds nothing, even if another has begun it since.
    """
    while not lock_session(document.id):
        writing.begin(act, document, told)


def write_entries(
    *,
    act: Act,
    document: Document,
    entries: Sequence[NewEntry],
    config: int | None = None,
    most_keys: int | None = None,
    reasoning: str | None = None,
) -> Written:
    """Set keys, each in a version of its own, all in one transaction.

    `config` is the version of the config that they were checked against (0: none), and
    `most_keys` how many the document may have by it. The document begins with its first
    entry.

    Raises: ConfigChanged, EntryChanged and NoRoom (naming the entries, from 0), and
    what `writing.run` raises.
    """
    others = keyless(act)
    items = [
        seal(
            act if place == len(entries) - 1 else others,
            document,
            op=entry.op,
            body=entry.body,
            told=entry.told,
            place=place,
            size=entry.size,
            reasoning=reasoning,
        )
        for place, entry in enumerate(entries)
    ]
    given = {
        **calls.of_act(act, document, reasoning),
        **(items[0] if len(items) == 1 else calls.of_items(items)),
        "keys": [entry.key for entry in entries],
        "expires_at": [entry.expires_at for entry in entries],
        "expected": [entry.expected for entry in entries],
        "config": config,
        "most": most_keys,
    }
    row = _run_on_begun(act, document, entries[0].told, given)
    refused = [place - 1 for place in row.refused or ()]
    if row.outcome == "config":
        raise ConfigChanged()
    if row.outcome == "changed":
        raise EntryChanged(entries=refused)
    if row.outcome == "full":
        raise NoRoom(entries=refused)
    return _written(row, items)


def remove_key(*, act: Act, document: Document, key: str, told: Told) -> Written:
    """Remove one key.

    Raises: KeyNotFound, and what `writing.run` raises but DocumentNotFound.
    """
    body = json.dumps({"removed": key})
    # What comes right behind a text is the text with the first of all characters, which
    # no text in the database can have: the second one stands behind nothing less.
    with suppress(DocumentNotFound):
        written, _ = _removed(
            act, document, KeyedOp.REMOVE, body, told, (key, key + "\x01")
        )
        if written is not None:
            return written
    raise KeyNotFound(param="key")


def remove_prefix(
    *, act: Act, document: Document, prefix: str, told: Told
) -> tuple[Written | None, int]:
    """Remove all keys that begin so; return what that stored, and how many they were.

    Nothing is stored where there is no such key.

    Raises: what `writing.run` raises but DocumentNotFound.
    """
    body = json.dumps({"prefix": prefix})
    with suppress(DocumentNotFound):
        return _removed(
            act, document, KeyedOp.REMOVE_PREFIX, body, told, (prefix, behind(prefix))
        )
    return None, 0


def expire_keys(*, act: Act, document: Document, moment: datetime, told: Told) -> int:
    """Record that the keys whose time was over at `moment` are gone; say how many.

    Raises: what `writing.run` raises.
    """
    body = json.dumps({"expired": moment.isoformat()})
    # Two sweeps are two acts, however alike: the moment tells them apart.
    swept = replace(act, request=replace(act.request, digest=sha256(body).digest()))
    item = seal(swept, document, op=KeyedOp.EXPIRE, body=body, told=told)
    given = calls.of_act(swept, document) | item | {"moment": moment}
    row = writing.run(calls.EXPIRE, swept, document, given)
    return int(row.removed) if row.outcome == "stored" else 0


def _removed(
    act: Act,
    document: Document,
    op: KeyedOp,
    body: bytes,
    told: Told,
    bounds: tuple[str, str],
) -> tuple[Written | None, int]:
    item = seal(act, document, op=op, body=body, told=told)
    first, before = bounds
    given = calls.of_act(act, document) | item | {"first": first, "before": before}
    row = writing.run(calls.REMOVE, act, document, given)
    if row.outcome == "absent":
        return None, 0
    if row.outcome == "replay":
        require_whole(document.id, row.number - 1)
        # What had expired by then was not counted either.
        asked = {"session": document.id, "number": row.number}
        (again,) = sql.rows(_REMOVED, asked)
        return _written(row, []), again.removed
    return _written(row, [item]), row.removed


def _run_on_begun(
    act: Act, document: Document, told: Told, given: dict[str, Any]
) -> Any:
    """Call the function that writes; where there is no document, begin it, told so."""
    call = calls.WRITE_ONE if len(given["keys"]) == 1 else calls.WRITE
    try:
        return writing.run(call, act, document, given)
    except DocumentNotFound:
        writing.begin(act, document, told)
        return writing.run(call, act, document, given)


def _written(row: Any, items: Sequence[dict[str, Any]]) -> Written:
    if row.outcome == "replay":
        return Written(number=row.number, first_number=row.first_number, is_replay=True)
    return Written(
        number=row.number,
        first_number=row.first_number,
        is_replay=False,
        ordinals=tuple(getattr(row, "ordinals", ())),
        event_ids=tuple(item["event_id"] for item in items),
        created_at=row.created_at,
    )
