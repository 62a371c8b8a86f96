"""What is told of surveys outside."""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.core.time.moments import utc_text
from apps.surveys.counting import Share, shares_of
from apps.surveys.models import Survey


def survey_object(survey: Survey, act: Act) -> dict[str, Any]:
    """Return a survey with the counts of what the caller may see."""
    found = shares_of(survey, act.scope)
    return listed_survey(survey) | {
        "sessions": found.sessions,
        "not_looked_into": found.waiting,
        "good": found.good,
        "bad": found.bad,
        "unknown": found.unknown,
        "inherited": found.inherited,
        "unplaced": found.unplaced,
        "by_release": [_share(one) for one in found.by_release],
        "by_model": [_share(one) for one in found.by_model],
    }


def listed_survey(survey: Survey) -> dict[str, Any]:
    return {
        "object": "survey",
        "id": survey.id,
        "check": survey.check_text,
        "q": survey.query,
        "is_all": survey.is_all,
        "reaches_to": utc_text(survey.reaches_to),
        "asked_by": survey.asked_by_label,
        "created_at": utc_text(survey.created_at),
        "looked_at": utc_text(survey.looked_at),
    }


def _share(one: Share) -> dict[str, Any]:
    low, high = one.interval or (None, None)
    return {
        "name": one.name,
        "sessions": one.sessions,
        "bad": one.bad,
        "undecided": one.undecided,
        "share": one.share,
        "low": low,
        "high": high,
    }
