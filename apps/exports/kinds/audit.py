"""Export records in the shape of the audit's own answers: an event a line, or a row.

Of one agent, or of the project and all of its agents, one chain after the other; what
was recomputed of each is said in the export.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.core import json
from apps.core.time.moments import moment
from apps.data.audit.files import table_header, table_rows
from apps.data.audit.shapes import event_object, verification_object
from apps.data.audit.trail import linked, stream_of
from apps.data.audit.verifying import verify_numbers
from apps.exports.kinds.made import Made
from apps.exports.models import Export
from apps.exports.telling.masking import masked_object
from apps.exports.words import AuditFormat

AT_ONCE = 1_000


def step(export: Export) -> Made:
    """Write the next records of a chain, or verify it and go on to the next one."""
    made = Made()
    cursor = export.cursor or {"stream": _first(export), "after": 0, "from": None}
    is_table = export.asked.get("format") == AuditFormat.CSV
    if is_table and not export.cursor:
        made.data += table_header()
    made.cursor = cursor
    while made.cursor is not None and not made.is_full:
        made.cursor = _advance(export, made, made.cursor, is_table=is_table)
    return made


def _advance(
    export: Export, made: Made, cursor: dict[str, Any], *, is_table: bool
) -> dict[str, Any] | None:
    stream, after = cursor["stream"], cursor["after"]
    records = _records(export, stream, after)
    if not records:
        if cursor["from"] is not None:
            found = verify_numbers(stream, cursor["from"], after, now=export.created_at)
            told = verification_object(found, now=export.created_at)
            made.verified.append({"agent_id": stream} | told)
        following = _following(export, stream)
        if following is None:
            return None
        return {"stream": following, "after": 0, "from": None}
    objects = [event_object(one) for one in linked(stream, records)]
    if not export.asked.get("unmasked"):
        objects = [masked_object(one) for one in objects]
    if is_table:
        made.data += table_rows(objects)
    else:
        made.data += b"".join(json.splice(one) + b"\n" for one in objects)
    made.rows += len(records)
    first = records[0].number if cursor["from"] is None else cursor["from"]
    return {"stream": stream, "after": records[-1].number, "from": first}


def _records(export: Export, stream: str, after: int) -> list[AuditRecord]:
    """Return the next records; what comes after it was asked for is not in it."""
    start, end = _moment(export, "start"), _moment(export, "end")
    end = min(end, export.created_at) if end else export.created_at
    found = stream_of(stream).within(start, end).from_number(after + 1)
    return list(found.oldest_first()[:AT_ONCE])


def _moment(export: Export, name: str) -> datetime | None:
    text = export.asked.get(name)
    return None if text is None else moment(text)


def _first(export: Export) -> str:
    name = export.asked.get("agent")
    if name is None:
        return export.project_id
    return str(Agent.objects.get(project_id=export.project_id, external_id=name).id)


def _following(export: Export, stream: str) -> str | None:
    """Return the next chain: those of agents follow the project's own."""
    if export.asked.get("agent") is not None:
        return None
    agents = Agent.objects.filter(project_id=export.project_id).order_by("id")
    if stream != export.project_id:
        agents = agents.filter(id__gt=stream)
    return agents.values_list("id", flat=True).first()
