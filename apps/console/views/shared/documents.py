"""Shared documents: which there are, who holds one, and what its versions say."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.console.forms.agent_data import asked
from apps.console.pages.agents.shared_page import shared_page
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.timeline.queries import list_shared, show_shared

DOCUMENTS = VERSIONS = 50
# As long as a name may be.
LONGEST = 500


class ListForm(forms.Form):
    """How names begin, and the place in the list."""

    begins = forms.CharField(required=False, max_length=LONGEST)
    after = forms.CharField(required=False, max_length=LONGEST)


class VersionsForm(forms.Form):
    """The version that is shown, and the place in the list of versions."""

    version = forms.IntegerField(required=False, min_value=0, max_value=2**53)
    after = forms.IntegerField(required=False, min_value=0, max_value=2**53)


@page
def shared(request: HttpRequest, slug: str) -> HttpResponse:
    """List the shared documents of a project, or those whose names begin so."""
    membership = entered(request, slug)
    given = asked(ListForm(request.GET))
    scope = act_of(request, membership).scope
    found = list_shared(scope, given["begins"], given["after"] or None, DOCUMENTS)
    rows = found[:DOCUMENTS]
    context = {
        "membership": membership,
        "prefix": given["begins"],
        "rows": rows,
        "newest": query(request, after=None) if given["after"] else "",
        "older": query(request, after=rows[-1].name) if len(found) > DOCUMENTS else "",
    }
    return render(request, "console/shared.html", context)


@page
def shared_document(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show who holds a shared document, what a version says, and its versions."""
    membership = entered(request, slug)
    act = act_of(request, membership)
    given = asked(VersionsForm(request.GET))
    after = given["after"]
    document = show_shared(
        act.scope,
        name,
        number=given["version"],
        after=after,
        limit=VERSIONS,
        now=act.now,
    )
    versions = document.versions[:VERSIONS]
    has_more = len(document.versions) > VERSIONS
    context = {
        "membership": membership,
        "document": document,
        "says": shared_page(document),
        "versions": versions,
        "newest": "" if after is None else query(request, after=None),
        "older": query(request, after=versions[-1].number) if has_more else "",
    }
    return render(request, "console/shared_document.html", context)
