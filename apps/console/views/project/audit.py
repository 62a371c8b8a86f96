"""Who did what: the page, its export, and the proof of the record."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.accounts.models import Project
from apps.audit import operations as audit
from apps.audit.comparing import Verdict, compare
from apps.audit.models import AuditRecord, Event
from apps.console.forms.project import AuditForm, VerifyForm
from apps.console.pages.administration.signed_notes import signed_notes
from apps.console.pages.filter_chips import applied
from apps.console.pages.project import audit_entries, audit_words
from apps.console.queries import PAGE
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.exports import csv_file, json_file
from apps.console.views.requests.page_links import query
from apps.console.views.requests.seeing import require_clear
from apps.core.errors import InvalidRequest
from apps.core.time.moments import utc_text
from apps.timeline.verification import verify_record_signatures

EXPORTED = 20_000
VERIFIED = 50_000
# Rows of each kind; `manage.py verify` compares all.
COMPARED = 5_000
# The names of JSON, and those of CSV: of the first four StateBase's Trace Explorer has.
COLUMNS = {
    "time": "Timestamp",
    "action": "Action",
    "actor": "Actor",
    "details": "Details",
    "actor_kind": "Actor kind",
    "actor_id": "Actor id",
    "resource_type": "Resource type",
    "resource_id": "Resource id",
    "request_id": "Request id",
    "record": "Record",
}


@page
def audit_log(request: HttpRequest, slug: str) -> HttpResponse:
    """List what people did, or everything, newest first."""
    membership = entered(request, slug)
    form = AuditForm(request.GET)
    context: dict[str, Any] = {
        "membership": membership,
        "form": form,
        "chips": applied(request.GET, form),
    }
    if not form.is_valid():
        return render(request, "console/audit_log.html", context, status=400)
    if form.wanted().words:
        require_clear(request, "a search for words")
    after = form.cleaned_data["after"] or None
    found = audit_words.acts(membership.project, form.wanted(), after=after, limit=PAGE)
    context |= {
        "rows": audit_entries.told(membership.project, found.acts),
        "everything": form.wanted().everything,
        "looked_back_to": found.looked_back_to,
        "query": query(request, after=None),
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=found.after) if found.after else None,
    }
    return render(request, "console/audit_log.html", context)


@page
def audit_export(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand out what the page's filters find, as CSV or JSON."""
    membership = entered(request, slug)
    form = AuditForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("These filters cannot be read; try them on the page.")
    if form.wanted().words:
        require_clear(request, "a search for words")
    found = audit_words.acts(
        membership.project,
        form.wanted(),
        after=form.cleaned_data["after"] or None,
        limit=EXPORTED,
    )
    told = audit_entries.told(membership.project, found.acts)
    rows = [_row(one) for one in told]
    name = f"{membership.project.slug}-audit"
    if request.GET.get("format") == "json":
        listed = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        return json_file(
            name,
            {
                "object": "list",
                "data": listed,
                "has_more": found.after is not None,
                "next_after": found.after,
                "looked_back_to": utc_text(found.looked_back_to),
            },
        )
    left_out = None
    if found.after is not None:
        left_out = f"older acts follow with after={found.after}."
    if found.looked_back_to is not None:
        back_to = utc_text(found.looked_back_to)
        left_out = f"looked back to {back_to}; {left_out}"
    return csv_file(name, list(COLUMNS.values()), rows, left_out=left_out)


@page
def audit_verify(request: HttpRequest, slug: str) -> HttpResponse:
    """Recompute the chained record, so many links at a time."""
    membership = entered(request, slug)
    form = VerifyForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("after takes the number of a record.", param="after")
    after = form.cleaned_data["after"] or 0
    verdict = audit.verify_records(
        stream_id=membership.project_id, after=after, limit=VERIFIED
    )
    has_more = verdict.is_intact and verdict.count == after + VERIFIED
    context = {
        "membership": membership,
        "verdict": verdict,
        "first": after + 1,
        "chain": verdict.chain.hex(),
        "signed": verify_record_signatures(membership.project_id, now=timezone.now()),
        "has_more": has_more,
        "notes": signed_notes(membership),
        "compared": COMPARED,
        "rows": None if has_more else _compared(membership.project),
    }
    return render(request, "console/audit_verify.html", context)


def _compared(project: Project) -> Verdict:
    return compare(project_id=project.id, secret=project.index_key, limit=COMPARED)


def _row(told: audit_entries.Told) -> Sequence[Any]:
    act = told.act
    return (
        act.created_at.isoformat(),
        act.action,
        act.actor_label,
        audit_entries.written_details(told),
        act.actor_kind,
        act.actor_id,
        act.resource_type,
        act.resource_id,
        act.request_id if isinstance(act, Event) else None,
        act.number if isinstance(act, AuditRecord) else None,
    )
