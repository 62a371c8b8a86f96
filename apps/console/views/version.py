"""One version: what it changed, and its state."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console import reading, stories
from apps.console.views.entering import entered, page
from apps.timeline import reading as timeline
from apps.timeline.bodies import CorruptBody
from apps.timeline.lineage import live_ranges, set_aside_by
from apps.timeline.reading import VersionRow

SANDBOX = "default-src 'none'; sandbox"


@page
def version_detail(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Show one version: what changed against the one before it, and its state."""
    membership = entered(request, slug)
    session = reading.session(membership.project, session_id)
    version, previous = reading.version(session, number)
    live = live_ranges(session.id, session.head_number)
    context: dict[str, Any] = {
        "membership": membership,
        "session": session,
        "status": reading.status_of(session, timezone.now()),
        "version": version,
        "previous": previous,
        "next_number": number + 1 if number < session.head_number else None,
        "operation": stories.operation(version),
        "flags": stories.flag_words(version, previous),
        "labels": reading.labels(session, [number]).get(number, []),
        "set_aside_by": set_aside_by(live, number),
        **_state(version),
    }
    context["changes"] = _changes(version, previous)
    return render(request, "console/version_detail.html", context)


@page
def version_state(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Hand out a version's state as a file; no browser may run or guess it."""
    membership = entered(request, slug)
    session = reading.session(membership.project, session_id)
    version, _ = reading.version(session, number)
    name = f"{session.id}-v{number}.json"
    return HttpResponse(
        timeline.state(version),
        content_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Security-Policy": SANDBOX,
            "X-Content-Type-Options": "nosniff",
        },
    )


def _changes(version: VersionRow, previous: VersionRow | None) -> stories.Changes:
    """Compare with the version before; if that costs too much, tell what was kept."""
    if previous is None or version.size + previous.size > stories.COMPARED_BYTES:
        return stories.kept_changes(version, shown=stories.LINES_ON_PAGE)
    try:
        return stories.compared(timeline.state(previous), timeline.state(version))
    except CorruptBody:
        return stories.kept_changes(version, shown=stories.LINES_ON_PAGE)


def _state(version: VersionRow) -> dict[str, Any]:
    try:
        text, is_cut = stories.pretty(timeline.state(version))
    except CorruptBody:
        return {"is_corrupt": True}
    return {"state": text, "is_cut": is_cut, "is_long": text.count("\n") > 60}
