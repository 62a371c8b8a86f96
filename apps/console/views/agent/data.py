"""An agent's data: its keys as a tree, and one key with its history."""

import re
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console.forms.agent_data import KeyForm, KeysForm, asked
from apps.console.pages.agents import key_history
from apps.console.pages.filter_chips import Chip, applied
from apps.console.queries import PAGE
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.console.views.requests.seeing import require_clear
from apps.core.errors import InvalidRequest
from apps.core.http.spreadsheets import FILE_HEADERS
from apps.data import browsing
from apps.data import operations as data
from apps.data.operations import SearchAsked
from apps.data.operations.reading import Reading
from apps.data.operations.searching import LEAST_SIMILARITY, Method

# The parts of a key, each with the separator that ends it.
_PART = re.compile(r"[^:/]*[:/]|[^:/]+")


@page
def agent_data(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Show the keys below a prefix, level by level; who looks has listed them."""
    membership = entered(request, slug)
    form = KeysForm(request.GET)
    given = asked(form)
    if given["words"]:
        return _searched(request, membership, agent_id, form)
    tree = browsing.browse(
        act=act_of(request, membership),
        reference=agent_id,
        prefix=given["under"],
        after=given["after"],
        limit=PAGE,
    )
    context = {
        "membership": membership,
        "agent": tree.agent,
        "form": KeysForm({"under": given["under"]}),
        "prefix": given["under"],
        "parts": _parts(given["under"]),
        "tree": tree,
        "chips": _chips(request, form),
        "newest": query(request, after=None) if given["after"] else None,
        "older": query(request, after=tree.after) if tree.after else None,
    }
    return render(request, "console/agent_data.html", context)


def _searched(
    request: HttpRequest, membership: Membership, agent_id: str, form: KeysForm
) -> HttpResponse:
    """Show what is near words, the nearest first; who looks has searched for them."""
    require_clear(request, "a search for words")
    given = form.cleaned_data
    is_literal = given["literal"]
    wanted = SearchAsked(
        query=given["words"],
        limit=PAGE,
        least=0 if is_literal else LEAST_SIMILARITY,
        prefix=given["under"],
        method=Method.WORDS if is_literal else Method.MEANING,
    )
    context: dict[str, Any] = {
        "membership": membership,
        "agent": _agent(membership, agent_id),
        "form": form,
        "prefix": given["under"],
        "parts": _parts(given["under"]),
        "words": given["words"],
        "chips": _chips(request, form),
        "literally": "?" + urlencode({**request.GET.dict(), "literal": "on"}),
    }
    act = act_of(request, membership)
    try:
        context["found"] = data.search(act=act, reference=agent_id, asked=wanted)
    except InvalidRequest:
        form.add_error("words", "It has no word to look for.")
    status = 200 if form.is_valid() else 400
    return render(request, "console/agent_data.html", context, status=status)


@page
def agent_key(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Show a key, what was done to it, and what one of these changed."""
    membership = entered(request, slug)
    given = asked(KeyForm(request.GET))
    agent = _agent(membership, agent_id)
    if not given["key"]:
        return redirect("console:agent_data", membership.project.slug, agent.id)
    act = act_of(request, membership)
    if given["raw"]:
        return _file(data.read_value(act=act, reference=agent_id, key=given["key"]))
    found = data.read_versions(
        act=act,
        reference=agent_id,
        key=given["key"],
        before=given["before"],
        # One more, to say what the last of the page changed.
        limit=key_history.PAGE + 1,
    )
    context = {
        "membership": membership,
        "agent": agent,
        "key": given["key"],
        "parts": _parts(given["key"])[:-1],
        "given": given,
        "history": key_history.history(found, version=given["version"]),
    }
    return render(request, "console/agent_key.html", context)


def _chips(request: HttpRequest, form: KeysForm) -> list[Chip]:
    return applied(request.GET, form, ends={"words": ["literal"]})


def _parts(key: str) -> list[dict[str, Any]]:
    """Return the beginnings of a key, each with what it adds to the one before."""
    return [
        {"name": part[0], "prefix": key[: part.end()]} for part in _PART.finditer(key)
    ]


def _file(reading: Reading) -> HttpResponse:
    disposition = {"Content-Disposition": 'attachment; filename="value.txt"'}
    return HttpResponse(
        (reading.value.value or "").encode(),
        content_type="text/plain; charset=utf-8",
        headers=FILE_HEADERS | disposition,
    )


def _agent(membership: Membership, agent_id: str) -> Agent:
    return Agent.objects.visible_to(Scope(membership.project)).one_named(agent_id)
