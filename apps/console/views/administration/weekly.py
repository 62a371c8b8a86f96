"""Who has the weekly summary by mail: each member for themselves."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console.forms.watching import WatchForm
from apps.console.views.administration.alerts import alerts_shown
from apps.console.views.requests.acts import act_of, valid
from apps.console.views.requests.decorators import act
from apps.metrics import operations as metrics


@act(Permission.READ, shows=alerts_shown)
def choose_summary(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Mail the member each week how the project did."""
    reader = metrics.choose_summary(
        act=act_of(request, membership),
        membership=membership,
        email=valid(WatchForm(request.POST))["email"],
    )
    messages.success(request, f"The weekly summary goes to {reader.email}.")
    return redirect("console:alerts", membership.project.slug)


@act(Permission.READ, shows=alerts_shown)
def stop_summary(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Mail the member no more summaries."""
    metrics.stop_summary(act=act_of(request, membership), membership=membership)
    messages.success(request, "You have no more summaries by mail.")
    return redirect("console:alerts", membership.project.slug)
