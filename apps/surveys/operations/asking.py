"""Asking for a survey: freeze the sessions into which the worker is to look."""

from __future__ import annotations

from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.incidents.operations.texts import check_of
from apps.surveys.errors import UnacceptableSurvey
from apps.surveys.models import Sampled, Survey
from apps.surveys.words import MOST, MOST_WAITING, WALKS
from apps.timeline.search import (
    Counted,
    collect_sessions,
    parse_query,
    searched_by,
)

AT_ONCE = 2_000
NONE = "There is no such session."
NONE_SO_FAR = (
    "Among all sessions that are looked through there is no such one; older ones were"
    " not looked at. Narrow the search."
)
NONE_INDEXED = (
    "None was found so far: some sessions are not indexed yet, or their states could"
    " not be read. Ask again shortly."
)


@transaction.atomic
def ask(*, act: Act, check: str, query: str | None = None) -> Survey:
    """Have a check looked for in the newest sessions that a search finds.

    Raises: UnacceptableSurvey where there is none, or the worker has enough to do;
    InvalidRequest for a check or a search that is not understood.
    """
    text = check_of(check)
    if text is None:
        raise UnacceptableSurvey("check says what should hold.", param="check")
    # Two at once wait for each other, so that there are never more.
    Project.objects.select_for_update(no_key=True).get(id=act.project_id)
    waiting = Survey.objects.filter(project_id=act.project_id).to_look()
    if waiting.count() >= MOST_WAITING:
        raise UnacceptableSurvey(
            f"The worker still looks at {MOST_WAITING} surveys of this project: ask"
            " again when one is over."
        )
    said = (query or "").strip() or None
    with searched_by("search"):
        asked = parse_query(said or "", now=act.now)
        found = collect_sessions(act.scope, asked, now=act.now, most=MOST, walks=WALKS)
    if not found.sessions:
        raise UnacceptableSurvey(_why_none(found), param="search")
    survey = Survey.objects.create(
        id=new_id("surv", now=act.now),
        project=act.project,
        check_text=text,
        query=said,
        is_all=found.is_all,
        reaches_to=min(one.created_at for one in found.sessions),
        asked_by_kind=act.actor.kind.value,
        asked_by_id=act.actor.id,
        asked_by_label=act.actor.label,
        created_at=act.now,
    )
    agents = dict(
        Agent.objects.filter(project_id=act.project_id).values_list("external_id", "id")
    )
    Sampled.objects.bulk_create(
        (
            Sampled(
                project_id=act.project_id,
                survey=survey,
                session_id=one.id,
                agent_id=agents[one.agent],
            )
            for one in found.sessions
        ),
        batch_size=AT_ONCE,
    )
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=Action.SURVEY_ASKED,
        resource_type="survey",
        resource_id=survey.id,
        act=act,
        details={"sessions": len(found.sessions), "is_all": found.is_all},
    )
    return survey


def _why_none(found: Counted) -> str:
    if found.has_more:
        return NONE_SO_FAR
    return NONE_INDEXED if found.misses else NONE
