"""What waits for me? The list of approvals, and one of them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.accounts.models import Membership
from apps.approvals import queries
from apps.approvals.models import Approval
from apps.approvals.queries import Filter
from apps.console.pages.approvals import request as request_page
from apps.console.pages.approvals import rows
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.core.errors import InvalidRequest

PAGE = 50
TABS = {"waiting": "Waiting", "decided": "Decided"}


@page
def approvals(request: HttpRequest, slug: str) -> HttpResponse:
    """List what waits for a person, or what was decided, page by page."""
    membership = entered(request, slug)
    act = act_of(request, membership)
    tab = request.GET.get("show", "waiting")
    if tab not in TABS:
        raise InvalidRequest("This list has waiting and decided.", param="show")
    after = request.GET.get("after") or None
    lists: Any = queries.list_pending if tab == "waiting" else queries.list_decided
    found = lists(act.scope, Filter(), after=after, limit=PAGE, now=act.now)
    shown = rows.rows_of(found[:PAGE])
    context = {
        "membership": membership,
        "tab": tab,
        "tabs": TABS.items(),
        "rows": shown,
        "asking": rows.asking(membership.project, shown, now=act.now)
        if tab == "waiting" and not after
        else [],
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=shown[-1].approval.id)
        if len(found) > PAGE
        else None,
    }
    return render(request, "console/approvals.html", context)


@page
def approval(request: HttpRequest, slug: str, approval_id: str) -> HttpResponse:
    """Show one request, and with `do` the form that confirms a vote."""
    return approval_shown(request, entered(request, slug), approval_id)


def approval_shown(
    request: HttpRequest, membership: Membership, approval_id: str
) -> HttpResponse:
    """Return the page of one request, also for a vote that was refused."""
    act = act_of(request, membership)
    one = Approval.objects.visible_to(act.scope).one(approval_id)
    wanted = request.POST.get("verdict") or request.GET.get("do", "")
    context = request_page.context(act, membership, one) | {
        "do": wanted if wanted in request_page.FORMS else "",
        "do_words": request_page.FORMS.get(wanted, ""),
    }
    return render(request, "console/approval.html", context)
