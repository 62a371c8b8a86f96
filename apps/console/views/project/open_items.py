"""All that is open of one kind: what the lists of a project's first page begin with."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console.forms.project import OpenItemsForm
from apps.console.pages.project import attention
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.core.errors import InvalidRequest, NotFound
from apps.timeline.words import OpenKind


@page
def open_items(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """List everything of a kind, the newest first, page by page."""
    membership = entered(request, slug)
    wanted = _kind(kind)
    form = OpenItemsForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("This is no place in the list.", param="after")
    after = form.cleaned_data["after"] or None
    found = attention.all_of(
        membership.project, wanted, after=after, now=timezone.now()
    )
    context = {
        "membership": membership,
        "kind": wanted.value,
        "found": found,
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=found.after) if found.after else None,
    }
    return render(request, "console/open_items.html", context)


def _kind(name: str) -> OpenKind:
    """Raises: NotFound for what has no page."""
    found = {kind.value: kind for kind in attention.ABOUT}.get(name)
    if found is None:
        raise NotFound
    return found
