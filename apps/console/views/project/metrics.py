"""The rollback rate and what goes with it; and the rollbacks behind each number."""

from dataclasses import replace
from datetime import tzinfo
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console.forms.metrics import BehindForm, ExportForm, RangeForm
from apps.console.pages.alerts.firing import firing
from apps.console.pages.filter_chips import Chip, applied
from apps.console.pages.metrics import files, header, metrics_page
from apps.console.queries import PAGE
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.exports import csv_file
from apps.console.views.requests.page_links import query
from apps.console.views.requests.time_zone import asked_zone, readers_zone
from apps.core.errors import InvalidRequest
from apps.metrics.ranges import Range
from apps.metrics.rollback_list import list_rollbacks

# Rollbacks of one file; the next one begins after them.
EXPORTED = 10_000
# What a narrowing by nothing means.
NOT_TOLD = {"release": "not told", "model": "not told", "reason": "no code"}


@page
def metrics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the numbers of a time; what cannot be read is said on the page."""
    membership = entered(request, slug)
    form, now = RangeForm(request.GET), timezone.now()
    zone = readers_zone(request)
    context: dict[str, Any] = {
        "membership": membership,
        "form": form,
        "said": form.data,
        "now": now,
        "zone": str(zone),
        "asked_zone": asked_zone(request),
        "firing": firing(membership.project),
    }
    try:
        found = form.range(now)
    except InvalidRequest as refused:
        context["refused"] = refused.message
        return render(request, "console/metrics.html", context, status=400)
    asked = _asked(membership, form, found, zone)
    here = reverse("console:metrics_rollbacks", args=[slug])
    context |= metrics_page.shown(asked, here)
    context |= {
        "agent": asked.agent,
        "said": form.written(zone),
        "export": header.export(found, zone, asked.agent, form.is_compared),
        "header": header.header(request.GET, found, is_compared=form.is_compared),
    }
    return render(request, "console/metrics.html", context)


@page
def metrics_export(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand out one of the page's tables or charts, as CSV."""
    membership = entered(request, slug)
    form, zone = ExportForm(request.GET), readers_zone(request)
    found = form.range()
    if form.cleaned_data["zone"] is not None and "zone" in request.GET:
        zone = form.cleaned_data["zone"]
    name = form.cleaned_data["table"] or next(iter(files.TABLES))
    columns, rows = files.table(_asked(membership, form, found, zone), name)
    return csv_file(f"{slug}-metrics-{name}", columns, rows)


@page
def rollbacks_export(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand out the rollbacks behind a number, newest first, as CSV."""
    membership = entered(request, slug)
    form = BehindForm(request.GET)
    found = form.range()
    _agent(membership, form.cleaned_data["agent"])
    rows = list_rollbacks(
        membership.project_id,
        found,
        form.wanted(),
        after=form.cleaned_data["after"] or None,
        limit=EXPORTED,
    )
    listed, left_out = rows[:EXPORTED], None
    if len(rows) > EXPORTED:
        left_out = f"older rollbacks follow with after={listed[-1].id}."
    written = map(files.rollback_row, listed)
    return csv_file(f"{slug}-rollbacks", files.ROLLBACKS, written, left_out=left_out)


@page
def metrics_rollbacks(request: HttpRequest, slug: str) -> HttpResponse:
    """List the rollbacks behind a number, newest first."""
    membership = entered(request, slug)
    form = BehindForm(request.GET)
    context = {"membership": membership, "form": form}
    found = form.range()
    agent = _agent(membership, form.cleaned_data["agent"])
    rows = list_rollbacks(
        membership.project_id,
        found,
        form.wanted(),
        after=form.cleaned_data["after"] or None,
        limit=PAGE,
    )
    shown = rows[:PAGE]
    context |= {
        "range": found,
        "agent": agent,
        "wanted": form.wanted(),
        "chips": _narrowed_by(request, form, agent),
        "everything": header.all_of(request.GET),
        "rows": shown,
        "export": query(request, after=form.cleaned_data["after"] or None),
        "most": EXPORTED,
        "newest": query(request, after=None) if form.cleaned_data["after"] else None,
        "older": query(request, after=shown[-1].id) if len(rows) > PAGE else None,
    }
    return render(request, "console/metrics_rollbacks.html", context)


def _narrowed_by(
    request: HttpRequest, form: BehindForm, agent: Agent | None
) -> list[Chip]:
    """Return what the list of rollbacks is narrowed by, in the names people know."""
    chips = applied(request.GET, form, aside=header.WHEN_SHOWN, if_empty=NOT_TOLD)
    if agent is None:
        return chips
    return [
        replace(one, value=agent.external_id) if one.name == "agent" else one
        for one in chips
    ]


def _asked(
    membership: Membership, form: RangeForm, found: Range, zone: tzinfo
) -> metrics_page.Asked:
    """Return whose numbers a valid form asks for, and when.

    Raises: AgentNotFound.
    """
    return metrics_page.ask(
        membership.project_id,
        found,
        agent=_agent(membership, form.cleaned_data["agent"]),
        is_compared=form.is_compared,
        zone=zone,
    )


def _agent(membership: Membership, agent_id: str) -> Agent | None:
    """Raises: AgentNotFound, also for another project's."""
    if not agent_id:
        return None
    return Agent.objects.visible_to(Scope(membership.project)).one_named(agent_id)
