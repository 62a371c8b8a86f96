"""Stepping back, in two steps: GET shows what it would do, POST does it.

The POST carries the head that was shown. If that is the head no more, nothing is done,
and it leads to a preview from the head as it is now, which says what came meanwhile.
Being a page that is read, it can be loaded anew, left and come back to.
"""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.acts import Act
from apps.agents.mapping import agents_noise
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.forms.session.acting import REASONS, HoldForm, RollbackForm
from apps.console.pages.session import (
    change_table,
    session_page,
    version_pane,
    version_text,
)
from apps.console.pages.session.effects import effect_rows
from apps.console.pages.session.merging.meanwhile import came_since
from apps.console.pages.session.session_page import Place
from apps.console.views.requests import refusals
from apps.console.views.requests.acts import (
    act_once,
    new_key,
    to_version,
    valid,
)
from apps.console.views.requests.decorators import act, form
from apps.console.views.session.detail import version_address, version_shown
from apps.core.errors import DomainError, InvalidRequest
from apps.core.http.problems.fallbacks import wants_html
from apps.diffs.meaning.noise import Noise
from apps.diffs.readers import looking
from apps.timeline import operations as timeline
from apps.timeline.errors import (
    EffectsUnconfirmed,
    NothingToRollBack,
    VersionConflict,
)
from apps.timeline.operations import Expected, Receipt, Step
from apps.timeline.queries import Preview, Revert, preview_merge, preview_rollback
from apps.timeline.versions import CorruptBody
from apps.timeline.words import Crossing

LETTERS = 4
# Of larger states no conflicts are counted in passing: that takes three of them.
LARGEST_MERGED = 1024 * 1024
ROWS = 50


def preview_shown(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Return the preview for a rollback that was refused."""
    return _preview_page(request, membership, session_id, number)


def preview_address(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> str:
    where = [membership.project.slug, session_id, number]
    return reverse("console:rollback", args=where)


@form(Permission.WRITE, shows=preview_shown, at=preview_address)
def rollback(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Show what rolling back to this version would do; do it when confirmed."""
    if request.method != "POST":
        return _preview_page(request, membership, session_id, number)
    filled = RollbackForm(request.POST)
    given = valid(filled)
    address = preview_address(request, membership, session_id, number)
    query = {"undo_of": given["undo_of"]} if given["undo_of"] is not None else {}
    if given["look"]:
        return refusals.redirect(request, address, None, **query)
    try:
        receipt = _done(
            act_once(request, membership, filled), session_id, number, given
        )
    except (VersionConflict, NothingToRollBack) as moved:
        if not wants_html(request):
            raise
        shown = given["expected"]
        return refusals.redirect(request, address, moved, shown=shown, **query)
    where = [membership.project.slug, session_id, receipt.number]
    undo = reverse("console:undo", args=where)
    words = f"Rolled back to v{number}. {_verdict(receipt)}"
    messages.success(request, words, extra_tags=undo)
    return to_version(membership, session_id, receipt.number)


@act(Permission.WRITE, shows=version_shown, at=version_address)
def undo(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Take a rollback back at once, as long as it is the head."""
    filled = HoldForm({**request.POST.dict(), "expected": number})
    valid(filled)
    try:
        receipt = timeline.undo(
            session_id=session_id,
            number=number,
            step=Step(),
            crossing=Crossing.NOTHING_GRAVE,
            expected=Expected(number=number),
            act=act_once(request, membership, filled),
        )
    except (VersionConflict, EffectsUnconfirmed) as moved:
        if not wants_html(request):
            raise
        before = max(number - 1, 0)
        address = preview_address(request, membership, session_id, before)
        shown = number if isinstance(moved, VersionConflict) else None
        return refusals.redirect(request, address, moved, shown=shown, undo_of=number)
    words = f"Undone: v{receipt.number} is as v{number - 1} was. {_verdict(receipt)}"
    messages.success(request, words)
    return to_version(membership, session_id, receipt.number)


def _verdict(receipt: Receipt) -> str:
    """Say what came of recomputing the body that is shown now."""
    if receipt.verified:
        return "Verified: the stored state is what was committed to."
    return "The stored state is not what was committed to any more."


def _done(act: Act, session_id: str, number: int, given: dict[str, Any]) -> Receipt:
    step = Step(reasoning=given["reason"].strip() or None)
    expected = Expected(number=given["expected"])
    undone = given["undo_of"]
    is_confirmed = given["letters"].strip().lower() == session_id[-LETTERS:]
    crossing = Crossing.ANYTHING if is_confirmed else Crossing.NOTHING_GRAVE
    if undone is not None:
        if undone != number + 1:
            raise InvalidRequest(
                "An undo restores the version before.", param="undo_of"
            )
        return timeline.undo(
            session_id=session_id,
            number=undone,
            step=step,
            crossing=crossing,
            expected=expected,
            act=act,
        )
    return timeline.rollback(
        session_id=session_id,
        to=number,
        step=step,
        reason_code=given["reason_code"] or None,
        hold=given["hold"],
        migrate_to=given["migrate_to"] or None,
        crossing=crossing,
        expected=expected,
        act=act,
    )


def _preview_page(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Show the preview; after one that was overtaken, also what came since."""
    now = timezone.now()
    stale = refusals.of(request)
    shown = stale.shown if stale else None
    given = stale.typed if stale else refusals.typed(request)
    session = queries.session(membership.project, session_id)
    place = Place(membership=membership, session=session, number=number, now=now)
    context = session_page.facts(place) | {
        "number": number,
        "key": new_key(),
        "reasons": REASONS,
        "given": given,
        "undo_of": _undo_of(request, number),
        "needs_reason": _needs_reason(request, membership, number),
        "moved_from": shown,
    }
    try:
        found = preview_rollback(Scope(membership.project), session_id, number, now=now)
    except NothingToRollBack:
        return render(request, "console/rollback_nothing.html", context)
    context |= _told(found, agents_noise(session.agent))
    context |= _parts(membership, found, now)
    if stale or request.method == "POST":
        context["holds"] = "hold" in given
    if shown is not None:
        context["meanwhile"] = came_since(session, shown)
        context["n_meanwhile"] = max(found.head.number - shown, 0)
    return render(request, "console/rollback.html", context)


def _told(found: Preview, noise: Noise) -> dict[str, Any]:
    # A call that was begun as an effect is told of as that.
    begun = found.effects.by_call
    return {
        "preview": found,
        "head": found.head,
        "target": found.target,
        "changes": change_table.told(found.comparison, shown=ROWS, noise=noise),
        "effects": [effect_rows.crossed(one) for one in found.effects.first],
        "n_effects": found.effects.count,
        "calls": [
            version_pane.call_row(call) for call in found.calls if call.id not in begun
        ],
        "target_operation": version_text.operation(found.target),
        "target_words": version_text.words(found.target, noise),
        "head_words": version_text.words(found.head, noise),
        "holds": found.recommends_hold,
    }


def _parts(membership: Membership, found: Preview, now: datetime) -> dict[str, Any]:
    """Return which versions could be taken back alone, if there are later ones.

    Of the first of them it is counted how many conflicts that has with what came
    later; None where the states are too large for a look aside, or are gone.
    """
    first, last = found.target.number + 1, found.head.number - 1
    if first > last:
        return {}
    told: dict[str, Any] = {"only_first": first, "only_last": last}
    return told | {"n_conflicts": _conflicts(membership, found, first, now)}


def _conflicts(
    membership: Membership, found: Preview, number: int, now: datetime
) -> int | None:
    if max(found.head.size, found.target.size) > LARGEST_MERGED:
        return None
    asked = Revert(first=number, last=number)
    scope, id = Scope(membership.project), found.head.session_id
    try:
        with looking(None):
            combined = preview_merge(scope, id, asked, now=now).combined
    except (DomainError, CorruptBody):
        return None
    return len(combined.conflicts)


def _undo_of(request: HttpRequest, number: int) -> int | None:
    """Return which rollback this page undoes: the one that follows the version."""
    stated = request.POST.get("undo_of") or request.GET.get("undo_of", "")
    return number + 1 if stated == str(number + 1) else None


def _needs_reason(request: HttpRequest, membership: Membership, number: int) -> bool:
    """Return whether the project refuses this without one; an undo needs none."""
    is_undo = _undo_of(request, number) is not None
    return membership.project.needs_rollback_reason and not is_undo
