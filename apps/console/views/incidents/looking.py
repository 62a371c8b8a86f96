"""Incidents as they are listed and looked at, and their reports."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.forms.investigating.incidents import IncidentsForm, MembersForm
from apps.console.forms.plans import RULES
from apps.console.pages.incidents.incident_page import incident_page
from apps.console.views.requests.acts import act_of, new_key
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.exports import csv_file
from apps.console.views.requests.page_links import query
from apps.core.errors import InvalidRequest
from apps.core.http.spreadsheets import FILE_HEADERS
from apps.incidents.listing import members_seen, rows_of
from apps.incidents.models import Incident, Member
from apps.incidents.reports import report_of
from apps.incidents.words import Status

LISTED = 50
EXPORTED = 5_000
COLUMNS = (
    *("session", "title", "agent", "release", "model"),
    *("version_collected", "head_now", "removed_by"),
)


@page
def incidents(request: HttpRequest, slug: str) -> HttpResponse:
    """List the incidents of a project, the newest first."""
    membership = entered(request, slug)
    form = IncidentsForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("This is no place in the list.", param="after")
    show, after = form.cleaned_data["show"], form.cleaned_data["after"] or None
    mine = Incident.objects.of_project(membership.project_id).with_status(show or None)
    found = list(mine.older_than(after).newest_first()[: LISTED + 1])
    counts = Member.objects.counts([one.id for one in found])
    older = found[LISTED - 1].id if len(found) > LISTED else None
    context = {
        "membership": membership,
        "show": show,
        "tabs": [("", "All"), *((one.value, one.label) for one in Status)],
        "incidents": [(one, counts.get(one.id, 0)) for one in found[:LISTED]],
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=older) if older else None,
    }
    return render(request, "console/incidents.html", context)


@page
def incident(request: HttpRequest, slug: str, incident_id: str) -> HttpResponse:
    """Show how many sessions it is, since when, what was done and what is open."""
    return incident_shown(request, entered(request, slug), incident_id)


def incident_shown(
    request: HttpRequest, membership: Membership, incident_id: str
) -> HttpResponse:
    """Return the page, also for an act that was refused."""
    form = MembersForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("This is no place in the list.", param="after")
    after = form.cleaned_data["after"] or None
    found = _one(membership, incident_id)
    shown = incident_page(found, act_of(request, membership), after=after)
    context: dict[str, Any] = {
        "membership": membership,
        "incident": found,
        "shown": shown,
        "report": shown.report,
        "history": shown.report.history(str),
        "sections": shown.report.sections(str),
        "rules": RULES,
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=shown.after) if shown.after else None,
    }
    return render(request, "console/incident.html", context)


def incident_address(
    request: HttpRequest, membership: Membership, incident_id: str
) -> str:
    """Return where the page of an incident stands."""
    return reverse("console:incident", args=[membership.project.slug, incident_id])


@page
def incident_report(request: HttpRequest, slug: str, incident_id: str) -> HttpResponse:
    """Show the report of an incident, to be printed."""
    membership = entered(request, slug)
    found = _one(membership, incident_id)
    report = report_of(found, act_of(request, membership))
    context = {
        "membership": membership,
        "incident": found,
        "about": report.about(str),
        "sections": report.sections(str),
    }
    return render(request, "console/incident_report.html", context)


@page
def incident_markdown(
    request: HttpRequest, slug: str, incident_id: str
) -> HttpResponse:
    """Hand out the report of an incident as Markdown."""
    membership = entered(request, slug)
    found = _one(membership, incident_id)
    report = report_of(found, act_of(request, membership))
    disposition = {"Content-Disposition": f'attachment; filename="{found.id}.md"'}
    return HttpResponse(
        report.markdown,
        content_type="text/markdown; charset=utf-8",
        headers=FILE_HEADERS | disposition,
    )


@page
def incident_export(request: HttpRequest, slug: str, incident_id: str) -> HttpResponse:
    """Hand out the sessions of an incident as CSV, the newest."""
    membership = entered(request, slug)
    found = _one(membership, incident_id)
    act = act_of(request, membership)
    members = list(members_seen(found, act.scope).newest_first()[: EXPORTED + 1])
    rows = [
        (
            one.member.session_id,
            one.title,
            one.member.agent.external_id,
            one.member.release,
            one.member.model,
            one.member.head_number,
            one.session.head_number if one.session else None,
            one.member.removed_by,
        )
        for one in rows_of(act, members[:EXPORTED])
    ]
    left_out = None
    if len(members) > EXPORTED:
        left_out = f"these are the newest {EXPORTED:,} sessions of the incident."
    return csv_file(found.id, COLUMNS, rows, left_out=left_out)


def _one(membership: Membership, incident_id: str) -> Incident:
    """Raises: IncidentNotFound, also for one of another project."""
    return Incident.objects.of_project(membership.project_id).one(incident_id)
