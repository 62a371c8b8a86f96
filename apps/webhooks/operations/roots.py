"""Tell subscriptions of the notes that the worker signs: a witness at the receiver.

A note is of the whole installation, and without its leaves it names nobody: so every
project that asks is sent it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from apps.core.notes.following import Signed
from apps.webhooks import payloads
from apps.webhooks.feed import Draft, place, put
from apps.webhooks.kinds import ROOT
from apps.webhooks.models import Message, Subscription

# The lane of all of them: they go out in their order.
STREAM = "roots"


def tell(signed: Sequence[Signed], now: datetime) -> None:
    """Put these notes into the lanes of whoever asked for them before they were signed.

    Notes with heads in them, from before there were trees, name sessions and are told
    to nobody.
    """
    subscriptions = Subscription.objects.enabled().of_kind(ROOT)
    messages: dict[str, Message] = {}
    drafts: list[Draft] = []
    for one in subscriptions:
        for note in signed:
            if note.root.tree is None or note.root.at < one.since:
                continue
            message = _message(one.project_id, note)
            messages[message.id] = message
            drafts.append(Draft(one.id, message.id, STREAM))
    if not drafts:
        return
    Message.objects.bulk_create(messages.values(), ignore_conflicts=True)
    counter = place()
    put(drafts, feed=counter, now=now)
    counter.save(update_fields=["ordinal"])


def _message(project_id: str, signed: Signed) -> Message:
    root = signed.root
    named = hashlib.sha256(f"{project_id} ".encode() + signed.note).hexdigest()
    id = f"evt_{named[:32]}"
    data = {
        "object": "root",
        "id": str(root.number),
        "number": root.number,
        "root": root.tree.root.hex() if root.tree else None,
        "leaves": root.tree.count if root.tree else 0,
        "previous": root.previous.hex() if root.previous else None,
        "went_back": root.went_back,
        "note": signed.note.decode(),
    }
    return Message(
        id=id,
        project_id=project_id,
        stream_id=STREAM,
        kind=ROOT,
        number=root.number,
        body=payloads.written(id, ROOT, root.at, data),
        created_at=root.at,
    )
