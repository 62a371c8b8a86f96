"""Experiments as they are listed, and one with its forks as columns."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.forms.investigating.experiments import ExperimentsForm
from apps.console.views.requests.acts import act_of, new_key
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.core.errors import InvalidRequest
from apps.experiments.columns import Column, columns_of
from apps.experiments.models import Experiment
from apps.experiments.words import Status

LISTED = 50


@page
def experiments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the experiments of a project, the newest first."""
    membership = entered(request, slug)
    form = ExperimentsForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("This is no place in the list.", param="after")
    show, after = form.cleaned_data["show"], form.cleaned_data["after"] or None
    scope = act_of(request, membership).scope
    mine = Experiment.objects.seen_by(scope).with_status(show or None)
    found = list(mine.older_than(after).newest_first()[: LISTED + 1])
    older = found[LISTED - 1].id if len(found) > LISTED else None
    context = {
        "membership": membership,
        "show": show,
        "tabs": [("", "All"), *((one.value, one.label) for one in Status)],
        "experiments": found[:LISTED],
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=older) if older else None,
    }
    return render(request, "console/experiments.html", context)


@page
def experiment(request: HttpRequest, slug: str, experiment_id: str) -> HttpResponse:
    """Show the forks of an experiment side by side, as they are now."""
    return experiment_shown(request, entered(request, slug), experiment_id)


def experiment_shown(
    request: HttpRequest, membership: Membership, experiment_id: str
) -> HttpResponse:
    """Return the page, also for an act that was refused."""
    act = act_of(request, membership)
    found = Experiment.objects.seen_by(act.scope).one(experiment_id)
    columns = columns_of(found, act)
    context: dict[str, Any] = {
        "membership": membership,
        "experiment": found,
        "columns": columns,
        "answer": answer(columns),
        "checks": _checks(columns),
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
    }
    return render(request, "console/experiment.html", context)


def experiment_address(
    request: HttpRequest, membership: Membership, experiment_id: str
) -> str:
    """Return where the page of an experiment stands."""
    return reverse("console:experiment", args=[membership.project.slug, experiment_id])


def answer(columns: list[Column]) -> str:
    """Say in one sentence which forks pass all that decides."""
    there = [(at, one) for at, one in enumerate(columns, 1) if not one.is_deleted]
    if not there:
        return "All of these forks are deleted"
    if not any(one.checks for _, one in there):
        return f"{len(columns)} forks beside each other; no check decides"
    if any(check.outcome is None for _, one in there for check in one.checks):
        return f"{len(columns)} forks beside each other; masks cover what decides"
    best = [f"fork {at}" for at, one in there if one.passes == len(one.checks)]
    if not best:
        return "No fork passes every check"
    verb = "passes" if len(best) == 1 else "pass"
    named = ", ".join(best[:-1]) + " and " + best[-1] if best[1:] else best[0]
    return f"{named.capitalize()} {verb} every check"


def _checks(columns: list[Column]) -> list[tuple[str, list[str | None]]]:
    """Return each check with what it says of each column; None of one that is gone."""
    told = next((one.checks for one in columns if one.checks), ())
    return [
        (check.text, [_says(one, at) for one in columns])
        for at, check in enumerate(told)
    ]


def _says(column: Column, at: int) -> str | None:
    if column.is_deleted:
        return None
    outcome = column.checks[at].outcome
    return "covered" if outcome is None else outcome.value
