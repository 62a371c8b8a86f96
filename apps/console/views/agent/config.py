"""An agent's config: its versions, one beside what stands, and the way back to it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.forms.agent_data import ConfigForm, RollbackConfigForm, asked
from apps.console.pages.agents.config_page import config_page
from apps.console.queries import PAGE
from apps.console.views.requests.acts import (
    act_of,
    act_once,
    made_once,
    new_key,
    valid,
)
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.data import browsing
from apps.data import operations as data


@page
def agent_config(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Show the config that stands, and its versions; who looks has read it."""
    return _shown(request, entered(request, slug), agent_id, None)


@page
def config_version(
    request: HttpRequest, slug: str, agent_id: str, number: int
) -> HttpResponse:
    """Show a version of the config, and what rolling back to it would do."""
    return version_shown(request, entered(request, slug), agent_id, number)


def version_shown(
    request: HttpRequest, membership: Membership, agent_id: str, number: int
) -> HttpResponse:
    """Return the page of a version, also for a rollback that was refused."""
    return _shown(request, membership, agent_id, number)


def version_address(
    request: HttpRequest, membership: Membership, agent_id: str, number: int
) -> str:
    where = [membership.project.slug, agent_id, number]
    return reverse("console:config_version", args=where)


@act(Permission.WRITE, shows=version_shown, at=version_address)
def roll_back_config(
    request: HttpRequest, membership: Membership, agent_id: str, number: int
) -> HttpResponse:
    """Make a version that is as this one was, if what stands is what was shown."""
    form = RollbackConfigForm(request.POST)
    given = valid(form)
    once = act_once(request, membership, form)

    def perform() -> str:
        found = data.roll_back_config(
            act=once,
            reference=agent_id,
            target=number,
            expected=given["expected"],
            reasoning=given["reason"].strip() or None,
        )
        return str(found.version.ordinal)

    made = made_once(once, perform)
    messages.success(
        request, f"Config v{made} stands now; it is as v{number} was. Data stayed."
    )
    where = [membership.project.slug, agent_id]
    return SeeOther(reverse("console:agent_config", args=where))


def _shown(
    request: HttpRequest, membership: Membership, agent_id: str, number: int | None
) -> HttpResponse:
    look = browsing.look_at_config(
        act=act_of(request, membership),
        reference=agent_id,
        version=number,
        before=asked(ConfigForm(request.GET))["before"],
        limit=PAGE,
    )
    context = {
        "membership": membership,
        "agent": look.agent,
        "look": look,
        "config": config_page(look, membership.project),
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
    }
    return render(request, "console/agent_config.html", context)
