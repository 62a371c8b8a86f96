"""Erasures: see what would go of a person, have it erased, keep the certificate.

Administrators alone read it and act: a preview names the person.
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
from apps.console.forms.administration.erasures import BeginForm, SubjectForm
from apps.console.pages.administration import erasures as shown
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import DomainError
from apps.erasures import operations as erasing
from apps.erasures.errors import ErasureNotFound
from apps.erasures.models import Erasure, Preview


@page
def erasures(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the erasures, and ask whose data is to go."""
    return _listed(request, entered(request, slug, Permission.ADMIN))


@act(Permission.ADMIN)
def preview_erasure(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Count what would go; what is wrong with it is said at its field."""
    form = SubjectForm(request.POST)
    if not form.is_valid():
        return _listed(request, membership, form)
    act = act_once(request, membership, form)

    def make() -> str:
        return str(erasing.preview(act=act, **form.subject()).id)

    try:
        preview_id = made_once(act, make)
    except DomainError as refused:
        form.add_error("value", refused.message)
        return _listed(request, membership, form)
    return _to(membership, "erasure_preview", preview_id)


@page
def erasure_preview(
    request: HttpRequest, slug: str, erasure_preview_id: str
) -> HttpResponse:
    """Show what an erasure would take, and how to begin it."""
    membership = entered(request, slug, Permission.ADMIN)
    return _previewed(request, membership, erasure_preview_id)


def preview_again(
    request: HttpRequest, membership: Membership, erasure_preview_id: str
) -> HttpResponse:
    """Return the page for an act that was refused."""
    return _previewed(request, membership, erasure_preview_id)


@act(Permission.ADMIN, shows=preview_again)
def begin_erasure(
    request: HttpRequest, membership: Membership, erasure_preview_id: str
) -> HttpResponse:
    """Have erased what the preview showed; sent twice, it is one erasure."""
    preview = Preview.objects.one(membership.project_id, erasure_preview_id)
    form = BeginForm(request.POST, value=preview.value)
    if not form.is_valid():
        return _previewed(request, membership, erasure_preview_id, form)
    erasure = erasing.begin(
        act=act_of(request, membership),
        preview_id=preview.id,
        reason=form.cleaned_data["reason"],
    )
    messages.success(request, "The erasure has begun; it cannot be undone.")
    return _to(membership, "erasure", erasure.id)


@page
def erasure(request: HttpRequest, slug: str, erasure_id: str) -> HttpResponse:
    """Show how far an erasure is and, once it is over, its certificate."""
    membership = entered(request, slug, Permission.ADMIN)
    found = _one(membership, erasure_id)
    context = {"membership": membership, **shown.erasure_shown(found)}
    return render(request, "retention/erasure.html", context)


@page
def erasure_certificate(
    request: HttpRequest, slug: str, erasure_id: str
) -> HttpResponse:
    """Send the certificate as a file, with all that the API says of the erasure."""
    membership = entered(request, slug, Permission.ADMIN)
    found = _one(membership, erasure_id)
    if not found.is_done:
        raise ErasureNotFound("There is no certificate before it is over.")
    name = f"{found.id}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(
        shown.certificate_json(found), content_type="application/json", headers=headers
    )


def _one(membership: Membership, erasure_id: str) -> Erasure:
    return Erasure.objects.of_project(membership.project_id).one(erasure_id)


def _to(membership: Membership, view: str, id: str) -> HttpResponse:
    return SeeOther(reverse(f"console:{view}", args=[membership.project.slug, id]))


def _listed(
    request: HttpRequest, membership: Membership, form: SubjectForm | None = None
) -> HttpResponse:
    context: dict[str, Any] = {
        "membership": membership,
        "form": form or SubjectForm(),
        "key": new_key(),
        **shown.erasures(membership.project),
    }
    status = 422 if form else 200
    return render(request, "retention/erasures.html", context, status=status)


def _previewed(
    request: HttpRequest,
    membership: Membership,
    preview_id: str,
    form: BeginForm | None = None,
) -> HttpResponse:
    preview = Preview.objects.one(membership.project_id, preview_id)
    context: dict[str, Any] = {
        "membership": membership,
        "form": form or BeginForm(value=preview.value),
        **shown.preview_shown(preview, now=timezone.now()),
    }
    status = 422 if form else 200
    return render(request, "retention/erasure_preview.html", context, status=status)
