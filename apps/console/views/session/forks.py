"""Forking: one click makes a session of any version; a form, of an edited state."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console import queries
from apps.console.forms.session.acting import ForkForm
from apps.console.pages.session import session_page, version_text
from apps.console.pages.session.session_page import Place
from apps.console.views.requests import refusals
from apps.console.views.requests.acts import (
    act_once,
    new_key,
    to_version,
    valid,
)
from apps.console.views.requests.decorators import form
from apps.console.views.requests.seeing import is_masked, require_clear
from apps.timeline import operations as timeline
from apps.timeline.operations import Step
from apps.timeline.queries import moves
from apps.timeline.versions import state_bytes

# What a browser edits without trouble; larger states are edited over the API.
EDITED = 1_000_000


def editor_shown(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Return the editor, with the text as it was, for a fork that was refused."""
    return _editor(request, membership, session_id, number)


@form(Permission.WRITE, shows=editor_shown)
def fork(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Show the state to be edited; POST makes the fork, edited or as it was."""
    if request.method != "POST":
        return _editor(request, membership, session_id, number)
    filled = ForkForm(request.POST)
    if "state" in filled.data:
        require_clear(request, "an edited state")
    if "state" in filled.data and not filled.is_valid() and "state" in filled.errors:
        return _editor(request, membership, session_id, number, filled=filled)
    given = valid(filled)
    receipt = timeline.fork(
        origin=timeline.Origin(session_id=session_id, number=number),
        edit=timeline.Edit(state=given["state"]),
        about=timeline.About(),
        step=Step(reasoning=given["reason"].strip() or None),
        act=act_once(request, membership, filled),
    )
    messages.success(request, f"This is the fork of v{number}; its original stays.")
    return to_version(membership, receipt.session_id, 0)


def _editor(
    request: HttpRequest,
    membership: Membership,
    session_id: str,
    number: int,
    *,
    filled: ForkForm | None = None,
) -> HttpResponse:
    """Show the editor; after a refusal with the text as it was, and its fault."""
    session = queries.session(membership.project, session_id)
    version, _ = queries.version(session, number)
    place = Place(
        membership=membership, session=session, number=number, now=timezone.now()
    )
    context: dict[str, Any] = session_page.facts(place) | {
        "version": version,
        "key": new_key(),
        "moves": moves(version),
        "is_too_large": version.size > EDITED,
        # What is drawn over would be written in place of what it stands for.
        "is_masked": is_masked(request),
        "reason": refusals.typed(request).get("reason", ""),
    }
    if filled is not None:
        context |= _refusal(filled)
        return render(request, "console/fork.html", context, status=422)
    if "state" in request.POST:
        context["text"] = request.POST["state"]
    elif not context["is_too_large"] and not context["is_masked"]:
        context["text"] = version_text.spelled(state_bytes(version))
    return render(request, "console/fork.html", context)


def _refusal(filled: ForkForm) -> dict[str, Any]:
    fault = filled.errors.as_data()["state"][0]
    text = filled.data["state"]
    place = fault.params or {}
    return {
        "text": text,
        "fault": fault.message,
        "line": place.get("line"),
        "column": place.get("column"),
        "around": _around(text, place.get("line"), place.get("column")),
    }


def _around(text: str, line: int | None, column: int | None) -> dict[str, Any] | None:
    """Return the line at fault in two parts: before the place, and from it on."""
    # As the parser counts them: a text in it may hold what else ends a line.
    lines = text.replace("\r\n", "\n").split("\n")
    if line is None or column is None or not 0 < line <= len(lines):
        return None
    whole = lines[line - 1]
    start = max(0, column - 1 - 60)
    return {
        "before": whole[start : column - 1],
        "at": whole[column - 1 : column + 60],
    }
