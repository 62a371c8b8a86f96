"""One event as feeds get it, in the columns that they need."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from apps.core import json

COLUMNS = """
e.stream_id, e.id, e.project_id, e.number, e.action, e.resource_type, e.resource_id,
e.actor_kind, e.actor_id, e.actor_label, e.details::text AS told, e.request_id,
e.created_at
"""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An event, as `audit.Event` has it."""

    stream_id: str
    id: str
    project_id: str
    number: int | None
    action: str
    resource_type: str
    resource_id: str
    actor_kind: str
    actor_id: str
    actor_label: str
    told: str
    request_id: str
    created_at: datetime

    @cached_property
    def details(self) -> dict[str, Any]:
        return cast(dict[str, Any], json.parse_written(self.told.encode()))
