"""Exports: ask for a file, see how far it is, download it.

Administrators alone read it and act: a file has what all agents have.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console.forms.administration.exports import FORMS, ExportForm
from apps.console.pages.administration import exports as shown
from apps.console.views.requests.acts import act_once, made_once, new_key
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import DomainError, InvalidRequest
from apps.exports import operations as exporting
from apps.exports.api.downloads import file_response
from apps.exports.models import Export


@page
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the exports, and ask what is to be exported."""
    return _shown(request, entered(request, slug, Permission.ADMIN))


def exports_again(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the page for an act that was refused."""
    return _shown(request, membership)


@act(Permission.ADMIN, shows=exports_again)
def ask_export(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Have a file made; what is wrong with it is said at its field."""
    made = FORMS.get(request.POST.get("kind", ""))
    if made is None:
        raise InvalidRequest("There is no such kind of export.", param="kind")
    form = made(request.POST)
    if not form.is_valid():
        return _shown(request, membership, form)
    act = act_once(request, membership, form)

    def ask() -> str:
        return str(exporting.ask(act=act, kind=made.of, asked=form.asked()).id)

    try:
        made_once(act, ask)
    except DomainError as refused:
        place = refused.param if refused.param in form.fields else None
        form.add_error(place, refused.message)
        return _shown(request, membership, form)
    messages.success(request, "The file is being made: this page says how far it is.")
    return SeeOther(reverse("console:exports", args=[membership.project.slug]))


@page
def export_file(
    request: HttpRequest, slug: str, history_export_id: str
) -> HttpResponse:
    """Download the file of an export that is ready."""
    membership = entered(request, slug, Permission.ADMIN)
    found = Export.objects.of_project(membership.project_id).one(history_export_id)
    return file_response(found, request.headers.get("Range"))


def _shown(
    request: HttpRequest, membership: Membership, form: ExportForm | None = None
) -> HttpResponse:
    forms = [form if form and form.of == one.of else one() for one in FORMS.values()]
    context: dict[str, Any] = {
        "membership": membership,
        "forms": forms,
        "key": new_key(),
        **shown.exports(membership.project, now=timezone.now()),
    }
    status = 422 if form else 200
    return render(request, "retention/exports.html", context, status=status)
