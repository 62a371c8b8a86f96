"""Plans: many sessions at once, shown first, then confirmed, followed and undone."""

from typing import Any, cast

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership, Project
from apps.console.forms.plans import (
    ChangePlanForm,
    ConfirmForm,
    ItemsForm,
    PickForm,
    PlansForm,
)
from apps.console.pages.plans import plan_acts
from apps.console.pages.plans import plan_page as pages
from apps.console.views.project.sessions.listing import sessions_shown
from apps.console.views.requests.acts import act_once, made_once, new_key, valid
from apps.console.views.requests.decorators import (
    act,
    entered,
    page,
    varying,
    wants_fragment,
)
from apps.console.views.requests.page_links import query
from apps.console.views.requests.refusals import SeeOther
from apps.console.views.requests.seeing import as_shown
from apps.core.errors import InvalidRequest
from apps.core.http.spreadsheets import FILE_HEADERS
from apps.plans import operations as plans
from apps.plans.exporting import download, is_ready
from apps.plans.models import Plan
from apps.plans.operations import Consent
from apps.timeline.models import Session

LISTED = 50
SHOWN_UNDOS = 10


@page
def plan_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the plans of a project, the newest first."""
    membership = entered(request, slug)
    form = PlansForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("This is no place in the list.", param="after")
    after = form.cleaned_data["after"] or None
    mine = Plan.objects.of_project(membership.project_id).older_than(after)
    found = mine.newest_counted(LISTED + 1)
    context = {
        "membership": membership,
        "plans": [(one, pages.headline(one)) for one in found[:LISTED]],
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=found[LISTED - 1].id)
        if len(found) > LISTED
        else None,
    }
    return render(request, "console/plans.html", context)


@act(Permission.WRITE, shows=sessions_shown)
def make_plan(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Freeze what was picked, look at each session, and lead to the dry run."""
    filled = PickForm(request.POST)
    given = valid(filled)
    act = act_once(request, membership, filled)
    with as_shown(request):
        chosen = plan_acts.picked(
            membership.project,
            session_ids=request.POST.getlist("session"),
            is_first=given["first"],
            query=given["q"],
            sort=given["sort"],
            now=act.now,
        )
        plan_id = made_once(
            act,
            lambda: str(
                plans.make(
                    act=act, kind=given["kind"], picked=chosen, params=filled.params()
                ).id
            ),
        )
    return SeeOther(_address(membership, plan_id))


@page
def plan(request: HttpRequest, slug: str, plan_id: str) -> HttpResponse:
    """Show what a plan will do, how far it is, or what came of it."""
    return _shown(request, entered(request, slug), plan_id)


def plan_shown(
    request: HttpRequest, membership: Membership, plan_id: str
) -> HttpResponse:
    """Return the page that an act came from, when the act was refused."""
    return _shown(request, membership, plan_id)


def plan_address(request: HttpRequest, membership: Membership, plan_id: str) -> str:
    return _address(membership, plan_id)


@act(Permission.WRITE, shows=plan_shown, at=plan_address)
def confirm_plan(
    request: HttpRequest, membership: Membership, plan_id: str
) -> HttpResponse:
    """Have the worker do what the dry run showed."""
    filled = ConfirmForm(request.POST)
    found = _plan(membership.project, plan_id)
    filled.fields["reason"].required = pages.asks_why(found)
    given = valid(filled)
    plan_acts.require_typed(found, given["typed"])
    act = act_once(request, membership, filled)
    consent = Consent(
        reason=given["reason"],
        digest=given["digest"] or None,
        crosses=given["crosses"],
        pace=given["pace"],
    )
    made_once(
        act,
        lambda: str(plans.confirm(act=act, plan_id=plan_id, consent=consent).id),
    )
    return SeeOther(_address(membership, plan_id))


@act(Permission.WRITE, shows=plan_shown, at=plan_address)
def change_plan(
    request: HttpRequest, membership: Membership, plan_id: str
) -> HttpResponse:
    """Pick rows of a draft, look again; pause a plan, go on with it, stop it."""
    filled = ChangePlanForm(request.POST)
    given = valid(filled)
    act = act_once(request, membership, filled)
    if given["change"] == "look":
        made_once(act, lambda: str(plans.look_again(act=act, plan_id=plan_id).id))
    else:
        ticked = request.POST.getlist("session")
        changes = plan_acts.changes(given["change"], ticked, given["pace"])
        made_once(
            act,
            lambda: str(plans.change(act=act, plan_id=plan_id, changes=changes).id),
        )
    return SeeOther(_address(membership, plan_id))


@act(Permission.WRITE, shows=plan_shown, at=plan_address)
def retry_plan(
    request: HttpRequest, membership: Membership, plan_id: str
) -> HttpResponse:
    """Have the worker try again what has failed."""
    filled = ConfirmForm(request.POST)
    valid(filled)
    act = act_once(request, membership, filled)
    made_once(act, lambda: str(plans.retry(act=act, plan_id=plan_id).id))
    return SeeOther(_address(membership, plan_id))


@act(Permission.WRITE, shows=plan_shown, at=plan_address)
def undo_plan(
    request: HttpRequest, membership: Membership, plan_id: str
) -> HttpResponse:
    """Plan to take back what a plan has done, and lead to that dry run."""
    filled = ConfirmForm(request.POST)
    valid(filled)
    act = act_once(request, membership, filled)
    undo_id = made_once(act, lambda: str(plans.undo(act=act, plan_id=plan_id).id))
    messages.info(request, "Nothing is undone yet: this is what the undo would do.")
    return SeeOther(_address(membership, undo_id))


@page
def export_plan(request: HttpRequest, slug: str, plan_id: str) -> HttpResponse:
    """Hand out the archive of an export, made as it is sent."""
    membership = entered(request, slug)
    found = _plan(membership.project, plan_id)
    if not is_ready(found):
        # Its page says how far it is.
        return HttpResponseRedirect(_address(membership, plan_id))
    name = f"{membership.project.slug}-{found.id}.zip"
    told = FILE_HEADERS | {"Content-Disposition": f'attachment; filename="{name}"'}
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip", headers=told)
    sent: Any = StreamingHttpResponse(
        download(found, Session.objects.of_project(membership.project_id)),
        content_type="application/zip",
        headers=told,
    )
    return cast(HttpResponse, sent)


def _shown(request: HttpRequest, membership: Membership, plan_id: str) -> HttpResponse:
    form = ItemsForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("This is no place in the list.", param="after")
    after = form.cleaned_data["after"] or 0
    found = _plan(membership.project, plan_id)
    shown = pages.plan_page(found, after=after)
    context = {
        "membership": membership,
        "plan": found,
        "shown": shown,
        "undos": list(Plan.objects.taking_back(found.id).newest_first()[:SHOWN_UNDOS]),
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
        "here": _address(membership, plan_id) + query(request, after=after or None),
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=shown.after) if shown.after else None,
    }
    is_part = wants_fragment(request)
    name = "console/_plan.html" if is_part else "console/plan.html"
    return varying(render(request, name, context))


def _plan(project: Project, plan_id: str) -> Plan:
    """Raises: PlanNotFound, also for a plan of another project."""
    return Plan.objects.of_project(project.id).one(plan_id)


def _address(membership: Membership, plan_id: str) -> str:
    return reverse("console:plan", args=[membership.project.slug, plan_id])
