"""Saying how a session went."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console.forms.session.acting import ReviewForm
from apps.console.views.requests.acts import act_once, valid
from apps.console.views.requests.decorators import act
from apps.console.views.requests.refusals import SeeOther
from apps.console.views.session.detail import session_address, session_shown
from apps.timeline import operations as timeline


@act(Permission.WRITE, shows=session_shown, at=session_address)
def review(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Say that the session went fine or failed, and why; the newest review counts."""
    filled = ReviewForm(request.POST)
    given = valid(filled)
    made = timeline.review(
        session_id=session_id,
        outcome=given["outcome"],
        why=given["why"] or None,
        act=act_once(request, membership, filled),
    )
    messages.success(
        request, f"Reviewed: {made.outcome}. Who reviews it again decides."
    )
    where = [membership.project.slug, session_id]
    return SeeOther(reverse("console:session_detail", args=where))
