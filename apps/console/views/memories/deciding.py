"""Decide about memories, and step them back, after what that does was seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.agents.acts import Act
from apps.console.forms.agent_data import asked
from apps.console.forms.memories import BackForm, DecideForm
from apps.console.views.memories.looking import memory_shown
from apps.console.views.requests.acts import act_of, act_once, new_key, valid
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther, sent_to
from apps.memory import operations as memory
from apps.memory.operations import Decision, Resolution
from apps.memory.operations.stepping import SteppedBack

DONE = {
    Decision.KEEP: "The other one stays; this one was dropped.",
    Decision.REPLACE: "This one stays and replaces the other.",
    Decision.BOTH: "Both stay: they are no conflict any more.",
    Decision.ACCEPT: "It is believed.",
    Decision.DROP: "It was dropped. Its history stays, and it can be accepted again.",
    Decision.PROMOTE: "It is the user's now, and outlives the session.",
}


@act(Permission.WRITE, shows=memory_shown)
def decide(
    request: HttpRequest, membership: Membership, memory_id: str
) -> HttpResponse:
    """Carry out a decision about a memory."""
    filled = DecideForm(request.POST)
    given = valid(filled)
    decision = Decision(given["decision"])
    decided = memory.resolve(
        act=act_once(request, membership, filled),
        memory_id=memory_id,
        resolution=Resolution(
            decision=decision,
            other_id=given["other"] or None,
            reasoning=given["reason"].strip() or None,
            expected=given["expected"],
            seen=filled.versions(),
        ),
    )
    taken = decided[0].content.taken_version
    said = DONE[decision] if taken is None else f"It is version {taken} of its session."
    messages.success(request, said)
    return SeeOther(
        reverse("console:memory", args=[membership.project.slug, memory_id])
    )


@page
def memories_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what stepping back would do; nothing is written."""
    return back_shown(request, entered(request, slug))


def back_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the preview, also for an act that was refused."""
    form = BackForm(sent_to(request, typed={"reason"}))
    given = asked(form)
    looking = act_of(request, membership)
    steps: Sequence[SteppedBack] = []
    has_more, untraced = False, 0
    if given["session"]:
        found = memory.preview_forgetting(act=looking, session_id=given["session"])
        steps, has_more, untraced = found.steps, found.has_more, found.untraced
    elif given["to"] or given["version"] is not None:
        steps = [memory.preview(act=looking, wanted=form.wanted())]
    context = {
        "membership": membership,
        "given": given,
        "steps": steps,
        "count": sum(one.count for one in steps),
        "has_more": has_more,
        "untraced": untraced,
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
    }
    return render(request, "console/memories_back.html", context)


@act(Permission.WRITE, shows=back_shown)
def step_memories_back(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Step an owner's memories back, or forget what a session taught."""
    form = BackForm(request.POST)
    given = valid(form)
    once = act_once(request, membership, form)
    if given["session"]:
        return _forgotten(request, membership, once, given)
    done = memory.step_back(act=once, wanted=form.wanted())
    messages.success(request, _changed(done.count))
    where = {"scope": given["scope"], "owner": given["owner"]}
    to = reverse("console:memories", args=[membership.project.slug])
    return SeeOther(f"{to}?{urlencode(where)}")


def _forgotten(
    request: HttpRequest, membership: Membership, once: Act, given: dict[str, Any]
) -> HttpResponse:
    """Forget what a session taught; lead to the rest of it, where there is more."""
    session_id = given["session"]
    done = memory.forget_session(
        act=once,
        session_id=session_id,
        reasoning=given["reason"].strip() or None,
        seen=given["seen"],
    )
    said = _changed(sum(one.count for one in done.steps))
    slug = membership.project.slug
    if done.has_more:
        messages.success(request, f"{said} The session taught more: go on below.")
        to = reverse("console:memories_back", args=[slug])
        return SeeOther(f"{to}?{urlencode({'session': session_id})}")
    messages.success(request, said)
    return SeeOther(reverse("console:session_memories", args=[slug, session_id]))


def _changed(count: int) -> str:
    plural = "memory" if count == 1 else "memories"
    return f"{count:,} {plural} changed. History has all of it."
