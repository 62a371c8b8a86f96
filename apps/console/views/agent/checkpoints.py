"""An agent's checkpoints: the list, two of them compared, and the way back to one."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.forms.agent_data import (
    PARTS,
    CheckpointsForm,
    CompareCheckpointsForm,
    MakeCheckpointForm,
    RestoreForm,
    RestorePartsForm,
    ScheduleForm,
    asked,
)
from apps.console.pages.agents import checkpoint_page
from apps.console.queries import PAGE
from apps.console.views.requests import refusals
from apps.console.views.requests.acts import act_of, act_once, new_key, valid
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.page_links import query
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import InvalidRequest
from apps.core.http.problems.fallbacks import wants_html
from apps.data import operations as data
from apps.data.checkpoints.labels import hint_for
from apps.data.operations.keeping.stepping import STEP_KEYS
from apps.data.operations.restoring import AT_ONCE
from apps.diffs.text import isolated, shorten
from apps.timeline.errors import DocumentMoved


@page
def agent_checkpoints(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """List the checkpoints that are kept, the newest first."""
    return _listed(request, entered(request, slug), agent_id)


@act(Permission.WRITE)
def make_checkpoint(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Make a checkpoint of what stands; a label that says nothing is told so."""
    form = MakeCheckpointForm(request.POST)
    if not form.is_valid():
        shown = _listed(request, membership, agent_id, form)
        shown.status_code = 400
        return shown
    # Sent twice while nothing is written, it is the same checkpoint.
    made = data.create_checkpoint(
        act=act_of(request, membership), reference=agent_id, said=form.said()
    )
    label = made.checkpoint.label
    messages.success(request, f"Made: {isolated(shorten(label or '', 100))}.")
    hint = hint_for(label)
    if hint is not None:
        messages.info(request, hint)
    return _to_list(membership, agent_id)


@act(Permission.WRITE)
def schedule_checkpoints(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Have checkpoints made on a schedule, or no more."""
    form = ScheduleForm(request.POST)
    act = act_of(request, membership)
    try:
        asked(form)
        found = data.set_schedule(
            act=act,
            reference=agent_id,
            schedule=form.cleaned_data["schedule"] or None,
        )
    except InvalidRequest as refused:
        if not form.errors:
            form.add_error("schedule", refused.message)
        shown = _listed(request, membership, agent_id, scheduling=form)
        shown.status_code = 400
        return shown
    is_set = found.schedule is not None
    said = (
        "Checkpoints are made on the schedule." if is_set else "No schedule any more."
    )
    messages.success(request, said)
    return _to_list(membership, agent_id)


@page
def compare_checkpoints(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Show what differs from one checkpoint to another: config, and keys."""
    membership = entered(request, slug)
    given = asked(CompareCheckpointsForm(request.GET))
    if not (given["first"] and given["second"]):
        # To pick the second of them.
        kept = urlencode({"first": given["first"]})
        return redirect(f"{_list_address(membership, agent_id)}?{kept}")
    found = data.compare_checkpoints(
        act=act_of(request, membership),
        reference=agent_id,
        ids=(given["first"], given["second"]),
        after=given["after"],
        limit=PAGE,
    )
    after = found.keys[-1].key if found.has_more else None
    context = {
        "membership": membership,
        "agent": found.agent,
        "found": found,
        "config": checkpoint_page.config_change(
            found.config_before, found.config_after
        ),
        "keys": checkpoint_page.key_changes(found.keys),
        "newest": query(request, after=None) if given["after"] else None,
        "older": query(request, after=after) if after else None,
    }
    return render(request, "console/agent_checkpoints_compare.html", context)


@page
def agent_checkpoint(
    request: HttpRequest, slug: str, agent_id: str, checkpoint_id: str
) -> HttpResponse:
    """Show a checkpoint beside what stands: what restoring it would do."""
    return checkpoint_shown(request, entered(request, slug), agent_id, checkpoint_id)


def checkpoint_shown(
    request: HttpRequest, membership: Membership, agent_id: str, checkpoint_id: str
) -> HttpResponse:
    """Return the page of a checkpoint, also for a restore that was refused."""
    stale = refusals.of(request)
    parts = RestorePartsForm(request.POST or request.GET)
    asked(parts)
    found = data.preview_restore(
        act=act_of(request, membership),
        reference=agent_id,
        checkpoint_id=checkpoint_id,
        wanted=parts.wanted(),
        may_be_long=True,
    )
    context = {
        "membership": membership,
        "agent": found.agent,
        "found": found,
        "config": checkpoint_page.config_change(
            found.config_before, found.config_after
        ),
        "parts": parts.cleaned_data["parts"] or "all",
        "all_parts": PARTS,
        "most": AT_ONCE,
        "step": STEP_KEYS,
        "moved_from": stale.shown if stale else None,
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
    }
    return render(request, "console/agent_checkpoint.html", context)


def checkpoint_address(
    request: HttpRequest, membership: Membership, agent_id: str, checkpoint_id: str
) -> str:
    where = [membership.project.slug, agent_id, checkpoint_id]
    return reverse("console:agent_checkpoint", args=where)


@act(Permission.WRITE, shows=checkpoint_shown, at=checkpoint_address)
def restore_checkpoint(
    request: HttpRequest, membership: Membership, agent_id: str, checkpoint_id: str
) -> HttpResponse:
    """Bring a checkpoint back, if what stands is what was shown."""
    form = RestoreForm(request.POST)
    given = valid(form)
    asked_for: dict[str, Any] = {
        "act": act_once(request, membership, form),
        "reference": agent_id,
        "checkpoint_id": checkpoint_id,
        "wanted": form.wanted(),
    }
    try:
        if given["by_steps"]:
            data.start_restore(**asked_for)
            messages.success(request, "The worker restores it, step by step.")
            return _to_list(membership, agent_id)
        done = data.restore_checkpoint(**asked_for)
    except DocumentMoved as moved:
        if not wants_html(request):
            raise
        address = checkpoint_address(request, membership, agent_id, checkpoint_id)
        shown, parts = given["expected"], given["parts"] or "all"
        return refusals.redirect(request, address, moved, shown=shown, parts=parts)
    tells = messages.error if done.verification.is_equal is False else messages.success
    tells(request, checkpoint_page.restored_words(done))
    return _to_list(membership, agent_id)


@act(Permission.WRITE)
def delete_checkpoint(
    request: HttpRequest, membership: Membership, agent_id: str, checkpoint_id: str
) -> HttpResponse:
    """Remove the pointer to a version; all history stays."""
    data.delete_checkpoint(
        act=act_of(request, membership),
        reference=agent_id,
        checkpoint_id=checkpoint_id,
    )
    messages.success(request, "The checkpoint is deleted. All history stays.")
    return _to_list(membership, agent_id)


def _listed(
    request: HttpRequest,
    membership: Membership,
    agent_id: str,
    form: MakeCheckpointForm | None = None,
    *,
    scheduling: ScheduleForm | None = None,
) -> HttpResponse:
    """Show the list, also where one of its two forms was refused."""
    given = asked(CheckpointsForm(request.GET))
    act = act_of(request, membership)
    found = data.list_checkpoints(
        act=act, reference=agent_id, before=given["after"] or None, limit=PAGE + 1
    )
    rows = found.checkpoints[:PAGE]
    has_more = len(found.checkpoints) > PAGE
    kept_by = data.read_schedule(act=act, reference=agent_id).schedule
    context: dict[str, Any] = {
        "membership": membership,
        "agent": found.agent,
        "total": found.total,
        "schedule": kept_by,
        "scheduling": scheduling
        or ScheduleForm(initial={"schedule": kept_by.schedule if kept_by else ""}),
        "rows": rows,
        "restores": checkpoint_page.long_rows(
            data.list_restores(act=act, reference=agent_id)
        ),
        "form": form or MakeCheckpointForm(),
        "may_act": may(membership, Permission.WRITE, membership.project),
        "newest": query(request, after=None) if given["after"] else None,
        "older": query(request, after=rows[-1].id) if has_more else None,
    }
    if given["first"]:
        first = data.read_checkpoint(
            act=act, reference=agent_id, checkpoint_id=given["first"]
        )
        context["first"] = first.checkpoint
    return render(request, "console/agent_checkpoints.html", context)


def _to_list(membership: Membership, agent_id: str) -> HttpResponse:
    return SeeOther(_list_address(membership, agent_id))


def _list_address(membership: Membership, agent_id: str) -> str:
    where = [membership.project.slug, agent_id]
    return reverse("console:agent_checkpoints", args=where)
