"""What is believed, by whom and from where; and one memory with its history."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.forms.agent_data import asked
from apps.console.forms.memories import MemoriesForm, MemoryForm, place_of
from apps.console.pages.agents.patch_page import shown_patch
from apps.console.pages.filter_chips import applied
from apps.console.queries import PAGE
from apps.console.views.requests.acts import act_of, new_key
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.console.views.requests.seeing import require_clear
from apps.memory import operations as memory
from apps.memory.operations import BrowseAsked, SearchAsked

FOUND = 50
LEAST = 0.3
HISTORY = 20


@page
def memories(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is remembered, the newest first, or what is near some words."""
    membership = entered(request, slug)
    given = asked(MemoriesForm(request.GET))
    # What was asked for is shown where it is typed, whatever it was called.
    form = MemoriesForm({**given, "q": ""})
    context: dict[str, Any] = {
        "membership": membership,
        "form": form,
        "given": given,
        "may_act": may(membership, Permission.WRITE, membership.project),
        "chips": applied(request.GET, form, ends={"scope": ["owner"]}),
    }
    if given["words"]:
        return _searched(request, membership, context)
    found = memory.browse(
        act=act_of(request, membership),
        asked=BrowseAsked(
            limit=PAGE,
            scope=given["scope"] or None,
            owner=given["owner"] or None,
            statuses=(given["status"],)
            if given["status"]
            else ("believed", "proposed"),
            taught_by=given["session"] or None,
            after_id=given["after"] or None,
        ),
    )
    context |= {
        "rows": [{"kept": one} for one in found.memories],
        "newest": query(request, after=None) if given["after"] else None,
        "older": query(request, after=found.last_id) if found.has_more else None,
    }
    return render(request, "console/memories.html", context)


def _searched(
    request: HttpRequest, membership: Membership, context: dict[str, Any]
) -> HttpResponse:
    require_clear(request, "a search for words")
    given = context["given"]
    wanted = SearchAsked(
        query=given["words"],
        place=place_of(given["scope"], given["owner"]),
        limit=FOUND,
        least=LEAST,
    )
    found = memory.search(act=act_of(request, membership), asked=wanted)
    rows = [{"kept": one.kept, "score": one.score} for one in found.matches]
    context |= {"found": found, "rows": rows}
    return render(request, "console/memories.html", context)


@page
def memory_detail(request: HttpRequest, slug: str, memory_id: str) -> HttpResponse:
    """Show a memory, what it may conflict with, and what was done to it."""
    return memory_shown(request, entered(request, slug), memory_id)


def memory_shown(
    request: HttpRequest, membership: Membership, memory_id: str
) -> HttpResponse:
    """Return the page, also for a decision that was refused."""
    before = asked(MemoryForm(request.GET))["before"]
    act = act_of(request, membership)
    history = memory.read_versions(
        act=act, memory_id=memory_id, before=before, limit=HISTORY
    )
    look = memory.look(act=act, memory_id=memory_id)
    context = {
        "membership": membership,
        "memory_id": memory_id,
        "look": look,
        "patch": shown_patch(act, look.kept.content) if look.kept else None,
        "lines": [
            {"entry": one, "content": history.contents.get(one.body_number or 0)}
            for one in history.entries
        ],
        "older": history.entries[-1].ordinal if history.has_more else None,
        "is_first": before is None,
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
    }
    return render(request, "console/memory.html", context)
