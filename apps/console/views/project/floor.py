"""The policies that hold for all agents of a project."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.errors import FloorChanged
from apps.accounts.models import Membership
from apps.console.forms.agents import FloorForm
from apps.console.pages.agents.policy_words import sentences
from apps.console.pages.session.version_text import pretty
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import DomainError
from apps.data import operations as data
from apps.data.documents.enforcing import floor_rules

LONGEST = 100_000


@page
def project_policies(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the project's floor, as sentences and as it was written."""
    return _shown(request, entered(request, slug), None)


def policies_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the page for a floor that was refused."""
    return _shown(request, membership, None)


def policies_address(request: HttpRequest, membership: Membership) -> str:
    """Return where the page of the floor stands."""
    return reverse("console:project_policies", args=[membership.project.slug])


@act(Permission.ADMIN, shows=policies_shown, at=policies_address)
def set_project_policies(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Set the whole floor; what cannot be used is said at the field."""
    form = FloorForm(request.POST)
    if not form.is_valid():
        return _shown(request, membership, form)
    try:
        data.set_floor(
            act=act_of(request, membership),
            project=membership.project,
            policies=form.cleaned_data["policies"],
            seen=form.cleaned_data["seen"] or None,
        )
    except FloorChanged:
        raise
    except DomainError as refused:
        at = f"{refused.param}: " if refused.param else ""
        form.add_error("policies", f"{at}{refused.message}")
        return _shown(request, membership, form)
    messages.success(request, "The floor is set: it holds from the next request on.")
    return SeeOther(policies_address(request, membership))


def _shown(
    request: HttpRequest, membership: Membership, form: FloorForm | None
) -> HttpResponse:
    project = membership.project
    text, _ = pretty(project.floor.encode(), longest=LONGEST)
    context = {
        "membership": membership,
        "rules": sentences(floor_rules(project.floor)),
        "text": text,
        "form": form or FloorForm({"policies": text, "seen": project.floor_as_shown}),
        "may_set": may(membership, Permission.ADMIN, project),
    }
    status = 422 if form is not None else 200
    return render(request, "console/project_policies.html", context, status=status)
