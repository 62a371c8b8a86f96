"""One approval: what is asked, what it rests on then and now, and who may decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.approvals.authority import may_decide
from apps.approvals.models import Approval, Vote
from apps.approvals.requests.binding import Ground, Rested, rested
from apps.approvals.standing import standing
from apps.console.pages.approvals import rows
from apps.console.pages.approvals.rows import ARGUMENTS, LONGEST_VALUE, Row
from apps.console.pages.session.effects import effect_rows
from apps.console.pages.session.version_text import beginning, pretty, spelled
from apps.core import json
from apps.core.json import Json
from apps.diffs.readers import drawn_value, reader
from apps.timeline import queries as ledger
from apps.timeline.errors import SessionNotFound
from apps.timeline.versions import VersionRow, head_of, versions_at

# Of what the session did outside, so many of the newest.
EFFECTS = 10
# The confirming forms, by what the address asks for.
FORMS = {
    "approve": "Approve",
    "reject": "Reject",
    "edit": "Approve with other arguments",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A value under a pointer, as it was when people were asked and as it is."""

    pointer: str
    was: str
    now: str
    has_changed: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Argument:
    name: str
    text: str
    is_cut: bool


def context(act: Act, membership: Membership, approval: Approval) -> dict[str, Any]:
    """Return what the page of an approval shows."""
    head, now = _head(act.scope, approval, act.now), act.now
    votes = Vote.objects.of(approval.session_id, approval.id)
    stands = standing(approval, votes, head=head, now=now)
    row = Row(approval=approval, standing=stands)
    needed = may_decide(approval, act)
    has_voted = any(one.actor_id == act.actor.id for one in votes)
    places = _places(approval, head)
    whole = drawn_value(bytes(approval.arguments))
    said = json.parse_written(whole)
    done = ledger.effects(approval.session_id, now=now, limit=EFFECTS)
    return {
        "membership": membership,
        "row": row,
        "approval": approval,
        "arguments": _arguments(said),
        "n_more": max(0, len(said) - ARGUMENTS),
        "whole": pretty(whole)[0],
        "spelled": spelled(whole),
        "edited": _edited(votes),
        "places": places,
        "changes": _changes(approval),
        "is_outdated": any(one.has_changed for one in places),
        "head": head and head.number,
        "effects": [effect_rows.listed(one, None) for one in done[:EFFECTS]],
        "has_more_effects": len(done) > EFFECTS,
        "votes": votes,
        "earlier": rows.earlier(act.scope, approval, now=now),
        "needs_admin": needed is Permission.ADMIN,
        "has_voted": has_voted,
        "may_vote": stands.is_pending
        and not has_voted
        and may(membership, needed, membership.project),
    }


def _head(scope: Scope, approval: Approval, now: datetime) -> VersionRow | None:
    """Return the head, None of a session that is over."""
    try:
        return head_of(scope, approval.session_id, now=now)
    except SessionNotFound:
        return None


def _arguments(said: dict[str, Json]) -> list[Argument]:
    found = []
    for name, value in list(said.items())[:ARGUMENTS]:
        text, is_cut = _text(value)
        found.append(Argument(name=name, text=text, is_cut=is_cut))
    return found


def _places(approval: Approval, head: VersionRow | None) -> list[Place]:
    if head is None or not approval.depends_on:
        return []
    found = versions_at(approval.session_id, [approval.number])
    if not found or found[0].is_emptied:
        return []
    (then,) = found
    return [_place(one) for one in rested(approval, Ground(then), Ground(head))]


def _changes(approval: Approval) -> list[dict[str, Any]]:
    """Return the facts that had failed when it was asked again, with both values."""
    if approval.changes is None:
        return []
    told: Any = json.parse_written(bytes(approval.changes))
    # A place of the state may be masked, and nothing here says which of these is one.
    is_masked = reader() is not None
    return [
        {
            "key": one["key"],
            "was": "masked" if is_masked else _text(one["was"])[0],
            "now": "masked" if is_masked else _text(one.get("now"))[0],
            "is_known": "now" in one,
        }
        for one in told
    ]


def _place(one: Rested) -> Place:
    return Place(
        pointer=one.pointer,
        was=_text(one.was)[0] if one.was_there else "nothing",
        now=_text(one.now)[0] if one.is_there else "nothing",
        has_changed=one.has_changed,
    )


def _edited(votes: list[Vote]) -> str | None:
    """Return the arguments that the newest vote allows in place of those asked with."""
    found = [one.arguments for one in votes if one.arguments is not None]
    return pretty(drawn_value(bytes(found[-1])))[0] if found else None


def _text(value: Json) -> tuple[str, bool]:
    return beginning(value, LONGEST_VALUE, indent=None)
