"""Acts on experiments: begin one with forks that were ticked, rename, close."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console import queries
from apps.console.forms.investigating.experiments import (
    MakeForm,
    PickForm,
    RenameForm,
)
from apps.console.views.experiments.looking import experiment_address, experiment_shown
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key, valid
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.console.views.requests.seeing import as_shown
from apps.experiments import operations as experiments
from apps.experiments.words import MOST_CHECKS, MOST_VARIANTS


def making_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the form with the forks of a session, also after a refusal."""
    sent = request.POST if request.method == "POST" else request.GET
    asked = PickForm({name: sent.get(name, "") for name in ("session", "version")})
    given = valid(asked)
    if not given["session"]:
        return render(
            request, "console/experiment_pick.html", {"membership": membership}
        )
    session = queries.session(membership.project, given["session"])
    forks = queries.forks(session)
    ticked = sent.getlist("fork")
    context: dict[str, Any] = {
        "membership": membership,
        "session": session,
        "forks": [
            (one, one.id in ticked or one.origin_number == given["version"])
            for one in forks[: queries.SHOWN_FORKS]
        ],
        "has_more": len(forks) > queries.SHOWN_FORKS,
        "most": MOST_VARIANTS,
        "most_checks": MOST_CHECKS,
        "key": new_key(),
    }
    return render(request, "console/experiment_new.html", context)


@form(Permission.WRITE, shows=making_shown)
def make_experiment(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show the forks that may be ticked; POST keeps those together."""
    if request.method != "POST":
        return making_shown(request, membership)
    filled = MakeForm(request.POST)
    given = valid(filled)
    act = act_once(request, membership, filled)
    with as_shown(request):
        made = made_once(
            act,
            lambda: str(
                experiments.make(
                    act=act,
                    name=given["name"],
                    session_ids=request.POST.getlist("fork"),
                    checks=given["checks"],
                ).id
            ),
        )
    return SeeOther(experiment_address(request, membership, made))


@act(Permission.WRITE, shows=experiment_shown, at=experiment_address)
def rename_experiment(
    request: HttpRequest, membership: Membership, experiment_id: str
) -> HttpResponse:
    """Give an experiment another name."""
    name = valid(RenameForm(request.POST))["name"]
    experiments.rename(
        act=act_of(request, membership), experiment_id=experiment_id, name=name
    )
    return SeeOther(experiment_address(request, membership, experiment_id))


@act(Permission.WRITE, shows=experiment_shown, at=experiment_address)
def close_experiment(
    request: HttpRequest, membership: Membership, experiment_id: str
) -> HttpResponse:
    """Close an experiment: it stays to be read."""
    experiments.close(act=act_of(request, membership), experiment_id=experiment_id)
    return SeeOther(experiment_address(request, membership, experiment_id))
