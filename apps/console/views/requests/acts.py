"""The act that a form asks for, and where it leads afterwards."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.models import Membership
from apps.accounts.views.acting import acting
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import InvalidRequest


def new_key() -> str:
    """Return a key for one act of one page: sent twice, it is done once."""
    return secrets.token_urlsafe(12)


def act_of(request: HttpRequest, membership: Membership) -> Act:
    """Return the act of a member; make it once in each view."""
    who = acting(request)
    scope = Scope(membership.project)
    return Act(scope=scope, actor=who.actor, now=who.now, request=who.request)


def act_once(request: HttpRequest, membership: Membership, form: Form) -> Act:
    """Return the act of a member who sent this form, once however often it is sent.

    The key of the form and the digest of all that was sent make a repeated POST the
    same act.
    """
    sent = sorted((name, request.POST.getlist(name)) for name in request.POST)
    sent = [pair for pair in sent if pair[0] != "csrfmiddlewaretoken"]
    key = form.cleaned_data.get("key")
    act = act_of(request, membership)
    digest = hashlib.sha256(repr((request.path, sent)).encode()).digest()
    keyed = replace(act.request, key=f"console:{key}" if key else None, digest=digest)
    return replace(act, request=keyed)


def made_once(act: Act, perform: Callable[[], str]) -> str:
    """Return the id of what an act makes, or made when its form was sent before.

    For acts that leave nothing by which a repetition could be recognised; whoever
    sends the form twice, or lost the answer, is led to the same page.
    """
    if act.request.key is None:
        return perform()
    _, made, _ = accounts.answer_once(
        project_id=act.project_id,
        key=act.request.key,
        digest=act.request.digest,
        now=act.now,
        perform=lambda: (SeeOther.status_code, perform().encode()),
    )
    return made.decode()


def valid(form: Form) -> dict[str, Any]:
    """Return what a form of buttons sent.

    Raises: InvalidRequest naming the first field that is wrong.
    """
    if not form.is_valid():
        name, messages = next(iter(form.errors.items()))
        raise InvalidRequest(f"{name}: {messages[0]}", param=name)
    return form.cleaned_data


def to_version(membership: Membership, session_id: str, number: int) -> HttpResponse:
    """Lead to a version's page."""
    where = [membership.project.slug, session_id, number]
    return SeeOther(reverse("console:version_detail", args=where))
