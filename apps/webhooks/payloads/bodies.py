"""What is sent: the contract's body, `{id, type, created_at, data}`."""

from __future__ import annotations

from datetime import datetime

from apps.audit.entries import Entry
from apps.core import json
from apps.core.time.moments import utc_text
from apps.webhooks.kinds import message_id
from apps.webhooks.payloads.known import Known
from apps.webhooks.payloads.telling import Data, data_of


def body_of(event: Entry, kind: str, known: Known) -> bytes:
    """Return the bytes that are sent, and signed, and sent again.

    Masked as the project's masks are now: nobody says who reads at an address.
    """
    data = data_of(event, kind, known)
    reader = known.readers.get(event.project_id)
    if reader is not None:
        data = reader.message(data)
    return written(message_id(event, kind), kind, event.created_at, data)


def written(id: str, kind: str, created_at: datetime, data: Data) -> bytes:
    return json.dumps(
        {"id": id, "type": kind, "created_at": utc_text(created_at), "data": data}
    )
