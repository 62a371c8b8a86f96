"""Webhooks: subscriptions to events, for administrators, like keys.

A secret is on one page, once. The address is not repeated where it need not be: it may
hold a secret of the receiver's.
"""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console import queries
from apps.console.forms.project import DeliveriesForm, WebhookForm, WebhooksForm
from apps.console.forms.sending import OnceForm
from apps.console.pages.filter_chips import applied
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key, valid
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.page_links import query
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import InvalidRequest
from apps.webhooks import operations as operations
from apps.webhooks.kinds import KINDS
from apps.webhooks.models import Delivery, Subscription
from apps.webhooks.services import signing


@page
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's webhooks, newest first."""
    return _list(request, entered(request, slug, Permission.ADMIN))


def webhooks_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the list for a webhook that was refused, which is still in its form."""
    return _list(request, membership, form=WebhookForm(request.POST))


@act(Permission.ADMIN, shows=webhooks_shown)
def create(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Make a webhook and show its secret, which nobody can ever read again.

    Whoever sends the form twice is shown the same: the first answer may be lost.
    """
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _list(request, membership, form=form, status=422)
    act, said = act_of(request, membership), _said(form)
    try:
        id = made_once(
            act_once(request, membership, form),
            lambda: operations.create(**said, act=act)[0].id,
        )
    except InvalidRequest as refused:
        _tell(form, refused)
        return _list(request, membership, form=form, status=422)
    made = Subscription.objects.of_project(membership.project_id).one(id)
    if made.old_salt is not None:
        # It has had another secret since, which is another act's to show.
        return _to(membership, id)
    return _secret(request, membership, made, signing.secret_of(made), status=201)


@page
def webhook(request: HttpRequest, slug: str, webhook_id: str) -> HttpResponse:
    """Show a webhook: what it is told of, and the log of what was sent."""
    return _one(request, entered(request, slug, Permission.ADMIN), webhook_id)


def webhook_shown(
    request: HttpRequest, membership: Membership, webhook_id: str, **_: str
) -> HttpResponse:
    """Return a webhook's page for an act on it that was refused."""
    return _one(request, membership, webhook_id)


def webhook_address(
    request: HttpRequest, membership: Membership, webhook_id: str
) -> str:
    """Return where the page of a webhook stands."""
    return reverse("console:webhook", args=[membership.project.slug, webhook_id])


@act(Permission.ADMIN, shows=webhook_shown, at=webhook_address)
def update(
    request: HttpRequest, membership: Membership, webhook_id: str
) -> HttpResponse:
    """Change address, events and description."""
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _one(request, membership, webhook_id, form=form, status=422)
    try:
        operations.update(
            webhook_id=webhook_id,
            **_said(form),
            seen=form.cleaned_data["seen"] or None,
            act=act_of(request, membership),
        )
    except InvalidRequest as refused:
        _tell(form, refused)
        return _one(request, membership, webhook_id, form=form, status=422)
    messages.success(request, "The webhook is changed.")
    return _to(membership, webhook_id)


@act(Permission.ADMIN, shows=webhook_shown)
def enable(
    request: HttpRequest, membership: Membership, webhook_id: str
) -> HttpResponse:
    """Switch a webhook on."""
    operations.enable(webhook_id=webhook_id, act=act_of(request, membership))
    messages.success(request, "The webhook is on: what waits is sent first.")
    return _to(membership, webhook_id)


@act(Permission.ADMIN, shows=webhook_shown)
def disable(
    request: HttpRequest, membership: Membership, webhook_id: str
) -> HttpResponse:
    """Switch a webhook off."""
    operations.disable(webhook_id=webhook_id, act=act_of(request, membership))
    messages.success(request, "The webhook is off: it misses what happens meanwhile.")
    return _to(membership, webhook_id)


@act(Permission.ADMIN, shows=webhook_shown)
def test(request: HttpRequest, membership: Membership, webhook_id: str) -> HttpResponse:
    """Send a test on its way."""
    operations.test(webhook_id=webhook_id, act=act_of(request, membership))
    messages.success(request, "A test is on its way: reload to see what came of it.")
    return _to(membership, webhook_id)


@act(Permission.ADMIN, shows=webhook_shown)
def resend(
    request: HttpRequest, membership: Membership, webhook_id: str, delivery_id: str
) -> HttpResponse:
    """Send a message once more."""
    operations.resend(
        webhook_id=webhook_id, delivery_id=delivery_id, act=act_of(request, membership)
    )
    messages.success(request, "It is on its way once more, under the same id.")
    return _to(membership, webhook_id)


@act(Permission.ADMIN, shows=webhook_shown)
def change_secret(
    request: HttpRequest, membership: Membership, webhook_id: str
) -> HttpResponse:
    """Make another secret and show it, once.

    Sent twice it is one change: the secret until now would end with the second.
    """
    form = OnceForm(request.POST)
    valid(form)
    act = act_of(request, membership)

    def change() -> str:
        return operations.change_secret(webhook_id=webhook_id, act=act)[1]

    made = made_once(
        act_once(request, membership, form), lambda: change()[: signing.VISIBLE]
    )
    webhook = Subscription.objects.of_project(membership.project_id).one(webhook_id)
    if webhook.secret_prefix != made:
        # It has had another secret since, which is another act's to show.
        return _to(membership, webhook_id)
    return _secret(request, membership, webhook, signing.secret_of(webhook))


@act(Permission.ADMIN, shows=webhook_shown)
def delete(
    request: HttpRequest, membership: Membership, webhook_id: str
) -> HttpResponse:
    """Remove a webhook with its log."""
    operations.delete(webhook_id=webhook_id, act=act_of(request, membership))
    messages.success(request, "The webhook is deleted.")
    return redirect("console:webhooks", membership.project.slug)


def _said(form: WebhookForm) -> dict[str, Any]:
    said = {
        "url": form.cleaned_data["url"],
        "kinds": form.cleaned_data["events"],
        "description": form.cleaned_data["description"],
    }
    # A form from before it had this field says nothing of it.
    format = form.cleaned_data["format"]
    return said | ({"format": format} if format else {})


def _tell(form: WebhookForm, refused: InvalidRequest) -> None:
    form.add_error(
        refused.param if refused.param in form.fields else None, refused.message
    )


def _to(membership: Membership, webhook_id: str) -> HttpResponse:
    return SeeOther(
        reverse("console:webhook", args=[membership.project.slug, webhook_id])
    )


def _secret(
    request: HttpRequest,
    membership: Membership,
    webhook: Subscription,
    secret: str,
    status: int = 200,
) -> HttpResponse:
    context = {"membership": membership, "webhook": webhook, "secret": secret}
    return render(request, "webhooks/secret.html", context, status=status)


def _list(
    request: HttpRequest,
    membership: Membership,
    *,
    form: WebhookForm | None = None,
    status: int = 200,
) -> HttpResponse:
    place = WebhooksForm(request.GET)
    if not place.is_valid():
        raise InvalidRequest("after takes the id of a webhook.", param="after")
    after = place.cleaned_data["after"]
    found = Subscription.objects.of_project(membership.project_id)
    rows = list(found.older_than(after).newest_first()[: queries.PAGE + 1])
    here = reverse("console:webhooks", args=[membership.project.slug])
    context: dict[str, Any] = {
        "membership": membership,
        "rows": rows[: queries.PAGE],
        "form": form or WebhookForm(),
        "key": new_key(),
        "is_private": settings.WEBHOOKS_PRIVATE,
        **_pages(request, here, after, rows),
    }
    return render(request, "webhooks/webhooks.html", context, status=status)


def _one(
    request: HttpRequest,
    membership: Membership,
    webhook_id: str,
    *,
    form: WebhookForm | None = None,
    status: int = 200,
) -> HttpResponse:
    webhook = Subscription.objects.of_project(membership.project_id).one(webhook_id)
    place = DeliveriesForm(request.GET)
    if not place.is_valid():
        raise InvalidRequest("This is no place in the log.", param="after")
    after, progress = place.cleaned_data["after"], place.cleaned_data["status"]
    log = Delivery.objects.of_subscription(webhook.id).with_status(progress or None)
    rows = list(log.older_than(after).told().newest_first()[: queries.PAGE + 1])
    here = reverse("console:webhook", args=[membership.project.slug, webhook.id])
    now = {
        "url": webhook.url,
        "events": webhook.kinds,
        "description": webhook.description,
        "format": webhook.format,
        "seen": webhook.as_shown,
    }
    context: dict[str, Any] = {
        "membership": membership,
        "webhook": webhook,
        "form": form or WebhookForm(initial=now),
        "log": place,
        "key": new_key(),
        "kinds": KINDS,
        "rows": rows[: queries.PAGE],
        "chips": applied(request.GET, place),
        **_pages(request, here, after, rows),
    }
    return render(request, "webhooks/webhook.html", context, status=status)


def _pages(
    request: HttpRequest, here: str, after: str | None, rows: list[Any]
) -> dict[str, Any]:
    more = len(rows) > queries.PAGE
    older = query(request, after=rows[queries.PAGE - 1].id) if more else None
    return {
        "newest": here + query(request, after=None) if after else None,
        "older": here + older if older else None,
    }
