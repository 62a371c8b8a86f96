"""Two sessions side by side: what they share, where they parted, each one's steps."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.forms.session import CompareForm
from apps.console.pages.session import change_table, session_page, version_text
from apps.console.views.requests.decorators import entered, page
from apps.core.errors import InvalidRequest
from apps.timeline.models import Session
from apps.timeline.queries import Divergence, find_divergence
from apps.timeline.versions import VersionRow, parsed_states, versions_of

STEPS = 100


@page
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare two sessions; of a fork alone, with what it was forked from."""
    membership = entered(request, slug)
    context: dict[str, Any] = {"membership": membership}
    form = CompareForm(request.GET)
    if not form.is_valid():
        status = 400 if request.GET else 200
        context |= {"form": form, "is_asked": bool(request.GET)}
        return render(request, "console/compare.html", context, status=status)
    left, right = _sides(membership.project, form.cleaned_data)
    found = find_divergence(
        Scope(membership.project), left.id, right.id, now=timezone.now()
    )
    heads = (_head(left), _head(right))
    compared = change_table.compared(
        *parsed_states(*heads),
        n_bytes=heads[0].size + heads[1].size,
    )
    steps = [_steps(left, found), _steps(right, found)]
    context |= {
        "form": form,
        "left": left,
        "right": right,
        "heads": heads,
        "common": found.common,
        "reason": found.reason,
        "changes": compared,
        "pairs": list(zip_longest(*steps)),
        "has_more": any(len(side) >= STEPS for side in steps),
    }
    return render(request, "console/compare.html", context)


def _sides(project: Project, given: dict[str, str]) -> tuple[Session, Session]:
    """Raises: SessionNotFound; InvalidRequest where there is no other session."""
    right = queries.session(project, given["right"])
    left_id = given["left"] or right.origin_session_id
    if not left_id:
        raise InvalidRequest(
            "This session is no fork: name the session to compare it with.",
            param="left",
        )
    return queries.session(project, left_id), right


def _head(session: Session) -> VersionRow:
    return queries.version(session, session.head_number)[0]


def _steps(session: Session, found: Divergence) -> list[dict[str, Any]]:
    """Return the first versions that the session has made by itself since."""
    after = -1
    if found.common and found.common.session_id == session.id:
        after = found.common.number
    made = versions_of(session.id, newest_first=False, after=after, limit=STEPS - 1)
    return [
        {
            "session_id": session.id,
            "version": version,
            "operation": version_text.operation(version),
            "words": version_text.words(version),
            "hold": session_page.hold_of(version),
        }
        for version in made[:STEPS]
    ]
