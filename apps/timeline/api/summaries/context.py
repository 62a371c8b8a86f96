"""What a context has of summaries: the one that the turns go on from, and others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.timeline.api.summaries.views import summary_object
from apps.timeline.queries.conversation import fitting, live_summaries
from apps.timeline.versions.lineage import Lineage

# Of so many older ones, the newest, those that fit a query are looked for.
MOST_COMPARED = 64


@dataclass(frozen=True, slots=True)
class Condensed:
    """The fields of the answer, and up to which turn the summary tells."""

    fields: Mapping[str, Any] = field(
        default_factory=lambda: {"summary": None, "older_summaries": []}
    )
    last_turn: int = 0


def condensed(session_id: str, lineage: Lineage, given: Mapping[str, Any]) -> Condensed:
    """Return what summaries a context has, by what the caller wants of them."""
    if given.get("include_summary") is False:
        return Condensed()
    older = given.get("older_summaries") or 0
    query = given.get("query") or ""
    most = MOST_COMPARED if older and query.strip() else older
    found = live_summaries(session_id, lineage, most=1 + most)
    if not found:
        return Condensed()
    first, *others = found
    if query.strip():
        told = [
            summary_object(one.summary, lineage) | {"similarity": one.similarity}
            for one in fitting(query, others, most=older)
        ]
    else:
        told = [summary_object(one, lineage) | {"similarity": None} for one in others]
    summary = summary_object(first, lineage)
    return Condensed({"summary": summary, "older_summaries": told}, first.last_turn)
