"""Surveys: asked for, listed, and what was found by release and by model."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.forms.investigating.surveys import SurveyForm, SurveysForm
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key, valid
from apps.console.views.requests.decorators import entered, form, page
from apps.console.views.requests.page_links import query
from apps.console.views.requests.refusals import SeeOther
from apps.console.views.requests.seeing import as_shown
from apps.core.errors import InvalidRequest
from apps.incidents.seeing import hides_check
from apps.surveys import operations as surveys
from apps.surveys.counting import Share, shares_of
from apps.surveys.models import Survey
from apps.surveys.words import FEWEST, MOST, MOST_GROUPS
from apps.timeline.search import Field, VersionSays, write_clause

LISTED = 50


def surveys_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the list with the form, also for one that was refused."""
    asked = SurveysForm(request.GET)
    if not asked.is_valid():
        raise InvalidRequest("This is no place in the list.", param="after")
    after = asked.cleaned_data["after"] or None
    mine = Survey.objects.seen_by(act_of(request, membership)).older_than(after)
    found = list(mine.newest_first()[: LISTED + 1])
    older = found[LISTED - 1].id if len(found) > LISTED else None
    sent = request.POST if request.method == "POST" else request.GET
    context = {
        "membership": membership,
        "given": sent,
        "most": MOST,
        "may_act": may(membership, Permission.WRITE, membership.project),
        "key": new_key(),
        "surveys": [(one, _check(one)) for one in found[:LISTED]],
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=older) if older else None,
    }
    return render(request, "console/surveys.html", context)


@page
def survey_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the surveys of a project, the newest first."""
    return surveys_shown(request, entered(request, slug))


@form(Permission.WRITE, shows=surveys_shown)
def ask_survey(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show the form, with what another page filled in; POST has the worker look."""
    if request.method != "POST":
        return surveys_shown(request, membership)
    filled = SurveyForm(request.POST)
    given = valid(filled)
    act = act_once(request, membership, filled)
    with as_shown(request):
        made = made_once(
            act,
            lambda: str(
                surveys.ask(act=act, check=given["check"], query=given["q"]).id
            ),
        )
    return SeeOther(reverse("console:survey", args=[membership.project.slug, made]))


@page
def survey(request: HttpRequest, slug: str, survey_id: str) -> HttpResponse:
    """Show in which share of its sessions a check broke, worst release first."""
    membership = entered(request, slug)
    act = act_of(request, membership)
    found = Survey.objects.seen_by(act).one(survey_id)
    check = _check(found)
    # What comes of a check that masks cover would tell what they cover.
    is_told = check is not None or found.check_text is None
    shares = shares_of(found, act.scope) if is_told else None
    context: dict[str, Any] = {
        "membership": membership,
        "survey": found,
        "check": check,
        "shares": shares,
        "fewest": FEWEST,
        "most_groups": MOST_GROUPS,
        "may_act": may(membership, Permission.WRITE, membership.project),
    }
    if shares is not None:
        context["tables"] = [
            ("Release", _rows(found, check, shares.by_release, Field.RELEASE)),
            ("Model", _rows(found, check, shares.by_model, Field.MODEL)),
        ]
    return render(request, "console/survey.html", context)


def _rows(
    survey: Survey, check: str | None, shares: Any, field: Field
) -> list[tuple[Share, str]]:
    """Return each group with the query of a form that opens an incident with it."""
    return [(one, _opening(survey, check, one, field)) for one in shares]


def _opening(survey: Survey, check: str | None, one: Share, field: Field) -> str:
    """Return nothing where no search finds the sessions, or none of them broke."""
    if one.name is None or not one.bad:
        return ""
    clause = write_clause(VersionSays(text="", field=field, value=one.name))
    found = f"{survey.query} {clause}" if survey.query else clause
    return urlencode({"q": found, "check": check or ""})


def _check(survey: Survey) -> str | None:
    """Return what is looked for, where it is told to whoever looks."""
    text = survey.check_text
    return None if text is None or hides_check(text) else text
