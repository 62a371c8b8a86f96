"""What an agent did outside: a list, what became of it, and what is owed for it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console import queries
from apps.console.forms.agent_data import asked
from apps.console.forms.session.effects import CompensationForm, EffectsForm, SettleForm
from apps.console.pages.session import session_page
from apps.console.pages.session.effects import effect_rows
from apps.console.pages.session.session_page import Place
from apps.console.views.requests.acts import act_once, new_key, valid
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.page_links import query
from apps.console.views.requests.refusals import SeeOther
from apps.timeline import operations as timeline
from apps.timeline import queries as ledger
from apps.timeline.models import Session
from apps.timeline.versions import VersionRow, versions_at
from apps.timeline.words import EffectStatus

ROWS = 20
STATUSES = (
    ("", "All"),
    (EffectStatus.UNKNOWN, "Unknown"),
    (EffectStatus.BEGUN, "Begun"),
    (EffectStatus.DONE, "Done"),
    (EffectStatus.FAILED, "Failed"),
    (EffectStatus.REUSED, "From the record"),
)


@page
def session_effects(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """List the effects of a session, newest first."""
    return _shown(request, entered(request, slug), session_id)


def effects_shown(
    request: HttpRequest, membership: Membership, session_id: str, effect_id: str
) -> HttpResponse:
    """Return the page of effects for an act that was refused."""
    return _shown(request, membership, session_id)


def effects_address(
    request: HttpRequest, membership: Membership, session_id: str, effect_id: str
) -> str:
    where = [membership.project.slug, session_id]
    return reverse("console:session_effects", args=where)


@act(Permission.WRITE, shows=effects_shown, at=effects_address)
def settle_effect(
    request: HttpRequest, membership: Membership, session_id: str, effect_id: str
) -> HttpResponse:
    """Say what became of an effect of which it was not known."""
    filled = SettleForm(request.POST)
    given = valid(filled)
    settled = timeline.settle_effect(
        session_id=session_id,
        effect_id=effect_id,
        status=given["status"],
        reason=given["reason"],
        act=act_once(request, membership, filled),
    )
    messages.success(request, f"Settled: {settled.status}.")
    return SeeOther(effects_address(request, membership, session_id, effect_id))


@act(Permission.WRITE, shows=effects_shown, at=effects_address)
def change_compensation(
    request: HttpRequest, membership: Membership, session_id: str, effect_id: str
) -> HttpResponse:
    """Say what became of what is owed for an effect."""
    filled = CompensationForm(request.POST)
    given = valid(filled)
    changed = timeline.change_compensation(
        session_id=session_id,
        effect_id=effect_id,
        status=given["status"],
        reason=given["reason"] or None,
        act=act_once(request, membership, filled),
    )
    messages.success(request, f"Noted: {changed.compensation}.")
    return SeeOther(effects_address(request, membership, session_id, effect_id))


def _shown(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    session = queries.session(membership.project, session_id)
    given = asked(EffectsForm(request.GET))
    now = timezone.now()
    place = Place(membership=membership, session=session, number=None, now=now)
    found = ledger.effects(
        session.id,
        now=now,
        status=given["status"] or None,
        before=given["after"] or None,
        limit=ROWS,
    )
    shown = found[:ROWS]
    owed = ledger.compensations_of(session.id, [one.id for one in shown], now=now)
    last = shown[-1].id if len(found) > ROWS else None
    context = session_page.facts(place) | {
        "key": new_key(),
        "effects": [effect_rows.listed(one, owed.get(one.id)) for one in shown],
        "statuses": STATUSES,
        "asked": given["status"],
        "newest": query(request, after=None) if given["after"] else None,
        "older": query(request, after=last) if last else None,
        "n_owed": session_page.n_owed(place, _head(session)),
    }
    return render(request, "console/session_effects.html", context)


def _head(session: Session) -> VersionRow | None:
    found = versions_at(session.id, [session.head_number])
    return found[0] if found else None
