"""Parts of one version: its state and its proof as files, a value, and who set it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.agents.scope import Scope
from apps.checks import CheckRefused, read_document, write_text
from apps.console import queries
from apps.console.forms.value import BlameForm, ValueForm
from apps.console.pages.project.session_rows import title_of
from apps.console.pages.session import change_table, json_tree, version_text
from apps.console.pages.session.differences import text_sides
from apps.console.views.requests.decorators import (
    entered,
    page,
    varying,
    wants_fragment,
)
from apps.console.views.requests.exports import json_file
from apps.console.views.requests.files import SANDBOX, sent_file
from apps.console.views.requests.seeing import require_clear
from apps.core import json
from apps.core.errors import InvalidRequest
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.carry import earlier
from apps.diffs.changes import MISSING
from apps.diffs.compare import compare
from apps.diffs.readers import hides_at
from apps.timeline.blame import Blame, Setter, blame, write_cursor
from apps.timeline.errors import PointerNotFound
from apps.timeline.queries import content_of, file_at
from apps.timeline.versions import (
    VersionRow,
    parsed_state,
    parsed_states,
    state_bytes,
)
from apps.witness.reading.queries import proof_of
from apps.witness.reading.shapes import proof_object

SETTERS = 10


@page
def version_state(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Hand out a version's state as a file; no browser may run or guess it."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    version, _ = queries.version(session, number)
    return _file(state_bytes(version), f"{session.id}-v{number}.json")


@page
def version_file(
    request: HttpRequest, slug: str, session_id: str, number: int, path: str
) -> HttpResponse:
    """Show a file of a version, if it is harmless; else have it downloaded."""
    membership = entered(request, slug)
    require_clear(request, "a file")
    session = queries.session(membership.project, session_id)
    version, _ = queries.version(session, number)
    file = file_at(version, path)
    return sent_file(content_of(membership.project.id, file))


@page
def value(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Show one value of a state, whole as far as a page goes; the rest is a file."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    given = ValueForm(request.GET).given()
    version, _ = queries.version(session, number)
    found = _at(parsed_state(version), given["pointer"])
    if given["raw"]:
        return _file(json.dumps(found), f"{session.id}-v{number}-value.json")
    if given["against"] is not None:
        return _beside(request, membership, version, found, given)
    tokens = pointers.split(given["pointer"])
    context: dict[str, Any] = {
        "membership": membership,
        "session": session,
        "title": title_of(session),
        "version": version,
        "pointer": given["pointer"],
        "may_restore": given["pointer"]
        and version.number != session.head_number
        and may(membership, Permission.WRITE, membership.project),
        "place": change_table.place(given["pointer"]),
        "node": json_tree.tree(
            found,
            pointer=given["pointer"],
            key=tokens[-1] if tokens else "",
            start=given["start"],
        ),
    }
    if isinstance(found, str):
        text, is_cut = json_tree.whole_text(found)
        context |= {"text": version_text.visible_lines(text), "is_cut": is_cut}
    if wants_fragment(request):
        return varying(render(request, "components/_children.html", context))
    return varying(render(request, "console/value.html", context))


def _beside(
    request: HttpRequest,
    membership: Membership,
    version: VersionRow,
    found: Any,
    given: dict[str, Any],
) -> HttpResponse:
    """Show a text beside what it was in another version, line by line.

    Raises: PointerNotFound, InvalidRequest where either is no text.
    """
    pointer = given["pointer"]
    session = queries.session(membership.project, version.session_id)
    other = queries.session(membership.project, given["of"] or session.id)
    base, _ = queries.version(other, given["against"])
    states = parsed_states(base, version)
    before = earlier(compare(*states), pointer)
    was = None if before is None else _at(states[0], before)
    if not isinstance(found, str) or not isinstance(was, str):
        raise InvalidRequest(
            "Only texts are shown beside each other: one of these is none.",
            param="pointer",
        )
    context = {
        "membership": membership,
        "session": session,
        "title": title_of(session),
        "version": version,
        "other": other,
        "base": base,
        "pointer": pointer,
        "of": given["of"],
        "place": change_table.place(pointer),
        "sides": text_sides.text_sides(was, found, start=given["start"]),
        "earlier": max(given["start"] - text_sides.ROWS, 0),
    }
    return render(request, "console/text_sides.html", context)


@page
def blamed(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Show who set a value, and who had set it before that."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    given = BlameForm(request.GET).given()
    found = blame(
        Scope(membership.project),
        session.id,
        given["pointer"],
        number=number,
        now=timezone.now(),
        before=given["before"],
        limit=SETTERS,
        with_over=True,
    )
    if hides_at(given["pointer"], found.value):
        # It would be told as never changed since it was masked.
        require_clear(request, "who set what stands at a masked place")
    context = {
        "membership": membership,
        "session": session,
        "title": title_of(session),
        "version": found.version,
        "pointer": given["pointer"],
        "place": change_table.place(given["pointer"]),
        "setters": [_setter(one) for one in found.setters],
        "next": write_cursor(found.next),
        "value": _written(found),
        "since": _check_of(found),
        "not_before": found.not_before,
    }
    name = "components/_blame.html" if wants_fragment(request) else "console/blame.html"
    return varying(render(request, name, context))


def _setter(setter: Setter) -> dict[str, Any]:
    return {
        "setter": setter,
        "version": setter.version,
        "operation": version_text.operation(setter.version),
        "sides": change_table.sides(setter.before, setter.after, longest=300),
    }


def _written(found: Blame) -> change_table.Side | None:
    if found.value is MISSING:
        return None
    return change_table.written(found.value, longest=300)


def _check_of(found: Blame) -> str | None:
    """Return the check that fails since it is so; a container is so if it is there."""
    if not found.pointer:
        return None
    at = f"state{found.pointer}"
    is_so: Json = {"test": "there", "place": at}
    if found.value is not MISSING and not isinstance(found.value, dict | list):
        sides = {"left": {"place": at}, "right": {"value": found.value}}
        is_so = {"test": "=", **sides}
    try:
        fails = is_so if found.value is MISSING else {"not": is_so}
        return write_text(read_document(fails))
    except CheckRefused:
        return None


def _at(state: Any, pointer: str) -> Any:
    """Raises: PointerNotFound."""
    try:
        return pointers.resolve(state, pointer)
    except (KeyError, ValueError):
        raise PointerNotFound(param="pointer") from None


def _file(data: bytes, name: str) -> HttpResponse:
    return HttpResponse(
        data,
        content_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Security-Policy": SANDBOX,
            "X-Content-Type-Options": "nosniff",
        },
    )


@page
def session_proof(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Answer what the API answers: `stepback verify FILE --key KEY` checks it."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    found = proof_of(session.id, now=timezone.now())
    return json_file(f"proof-{session.id}", proof_object(session.id, found))
