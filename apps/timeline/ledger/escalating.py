"""Sessions that their agents hand to people by what the state says: told once each.

The write that begins to say so leaves a mark in the details of its event; whoever is
fed that event writes `session.escalated` behind it. So it costs a write nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from apps.agents.waiting import Rules, escalates
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.audit.models import Event
from apps.core.actors import Actor, ActorKind
from apps.core.json import State
from apps.core.provenance import Provenance, Request
from apps.timeline.ledger.drafts import Draft

MARK = "escalated"


def marked(draft: Draft, state: State, before: State, rules: Rules) -> Draft:
    """Return the draft with a mark, if its state begins to say that it is escalated."""
    if not escalates(state, rules) or escalates(before, rules):
        return draft
    return replace(draft, details=draft.details | {MARK: True})


def feed(entries: Sequence[Entry], now: datetime) -> None:
    """Write the events of the sessions that these acts have escalated.

    What is fed again finds its event written.
    """
    for entry in entries:
        # Of most events the details are not read.
        if f'"{MARK}"' not in entry.told or entry.details.get(MARK) is not True:
            continue
        known = Event.objects.filter(
            stream_id=entry.stream_id,
            action=Action.SESSION_ESCALATED,
            number=entry.number,
            request_id=entry.request_id,
        )
        if not known.exists():
            _escalate(entry)


def _escalate(entry: Entry) -> None:
    actor = Actor(
        kind=ActorKind(entry.actor_kind), id=entry.actor_id, label=entry.actor_label
    )
    audit.record(
        stream_id=entry.stream_id,
        project_id=entry.project_id,
        action=Action.SESSION_ESCALATED,
        resource_type="session",
        resource_id=entry.stream_id,
        act=Provenance(
            actor=actor,
            now=entry.created_at,
            request=Request(id=entry.request_id),
        ),
        details={"because": "state"},
        number=entry.number,
    )
