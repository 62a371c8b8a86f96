"""API keys: seen and made by administrators. A secret is on one page, once."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import Permission
from apps.accounts.models import ApiKey, KeyMark, Membership, Scope
from apps.accounts.views.acting import acting
from apps.console import queries
from apps.console.forms.project import HANDLINGS, HandlingForm, KeyForm, KeysForm
from apps.console.views.requests.acts import act_once, made_once, new_key
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.page_links import query
from apps.core.errors import InvalidRequest
from apps.core.handling import Handling

SHOWN_BEFORE = (
    "This form was sent before: its key is made, and was shown once. Whoever has not "
    "got it revokes it and makes another."
)


@page
def keys(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's keys, newest first, revoked ones among them."""
    return _page(request, entered(request, slug, Permission.ADMIN))


@act(Permission.ADMIN)
def issue(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Make a key and show its secret, which nobody can ever read again."""
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, form=form, status=422)
    issued: list[tuple[ApiKey, str]] = []

    def issue_one() -> str:
        issued.append(_issued(request, membership, form))
        return str(issued[0][0].id)

    try:
        made_once(act_once(request, membership, form), issue_one)
    except InvalidRequest as refused:
        form.add_error(
            refused.param if refused.param in form.fields else None, refused.message
        )
        return _page(request, membership, form=form, status=422)
    if not issued:
        messages.info(request, SHOWN_BEFORE)
        return redirect("console:keys", membership.project.slug)
    key, secret = issued[0]
    context = {
        "membership": membership,
        "key": key,
        "secret": secret,
        "has_sessions": queries.has_sessions(membership.project),
    }
    return render(request, "console/key_issued.html", context, status=201)


def _issued(
    request: HttpRequest, membership: Membership, form: KeyForm
) -> tuple[ApiKey, str]:
    days = form.cleaned_data["expires_days"]
    act = acting(request)
    return accounts.issue_key(
        project=membership.project,
        name=form.cleaned_data["name"],
        scope=Scope(form.cleaned_data["scope"]),
        agents=form.agents(),
        terms=accounts.KeyTerms(
            expires_at=act.now + timedelta(days=days) if days else None,
            mark=KeyMark(form.cleaned_data["begins_with"] or KeyMark.STATEBASE),
        ),
        act=act,
    )


def keys_shown(
    request: HttpRequest, membership: Membership, key_id: str
) -> HttpResponse:
    """Return the list of keys for an act on one of them that was refused."""
    return _page(request, membership)


@act(Permission.ADMIN, shows=keys_shown)
def revoke(request: HttpRequest, membership: Membership, key_id: str) -> HttpResponse:
    """End a key at once."""
    key = accounts.revoke_key(
        project=membership.project, key_id=key_id, act=acting(request)
    )
    messages.success(request, f"The key {key} is revoked: it opens nothing any more.")
    return redirect("console:keys", membership.project.slug)


@act(Permission.ADMIN)
def set_handling(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Say what becomes of input that the API does not know."""
    form = HandlingForm(request.POST)
    if not form.is_valid():
        raise InvalidRequest("This is no way to handle input.", param="handling")
    handling = Handling(form.cleaned_data["handling"])
    accounts.set_handling(
        project=membership.project, handling=handling, act=acting(request)
    )
    said = HANDLINGS[handling]
    messages.success(request, f"Unknown fields and parameters {said}.")
    return redirect("console:keys", membership.project.slug)


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    form: KeyForm | None = None,
    status: int = 200,
) -> HttpResponse:
    place = KeysForm(request.GET)
    if not place.is_valid():
        raise InvalidRequest("after takes the id of a key.", param="after")
    after = place.cleaned_data["after"]
    found = ApiKey.objects.in_project(membership.project_id)
    rows = list(found.for_keys_page(after_id=after)[: queries.PAGE + 1])
    now = timezone.now()
    here = reverse("console:keys", args=[membership.project.slug])
    context: dict[str, Any] = {
        "membership": membership,
        "rows": [(key, queries.key_status(key, now)) for key in rows[: queries.PAGE]],
        "form": form or KeyForm(initial={"key": new_key()}),
        "handling_form": HandlingForm({"handling": membership.project.handling}),
        "agent_names": queries.agent_names(membership.project),
        "newest": here + query(request, after=None) if after else None,
        "older": here + query(request, after=rows[queries.PAGE - 1].id)
        if len(rows) > queries.PAGE
        else None,
    }
    return render(request, "console/keys.html", context, status=status)
