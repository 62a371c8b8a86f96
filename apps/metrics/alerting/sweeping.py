"""Look at every rule each minute, and tell when one fires and when it is over.

A rule goes ok, pending (the threshold is reached), firing (it has been for as long as
the rule asks), resolved. Of fewer sessions than the rule's sample nothing is said: the
rule stays as it is while it fires, and else is ok. A silenced rule, and one in its
quiet hours, changes state and tells nobody; when that is over, it tells what is news to
those who were told before it. Whoever was told that a rule fires is told that it is
over, whatever ends it. A project that cannot be looked at holds up no other.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import structlog
from django.db import transaction

from apps.accounts.models import Project
from apps.core.actors import SYSTEM
from apps.core.database.troubles import is_in_trouble
from apps.core.ids import new_id
from apps.core.provenance import unrequested
from apps.metrics.alerting.looks import Looks
from apps.metrics.alerting.spreading import gather, spread
from apps.metrics.alerting.states import fires, is_quiet, state_of
from apps.metrics.alerting.telling import disown, tell
from apps.metrics.figures import CRITICAL, MINIMUM_SAMPLE, WARNING
from apps.metrics.models import Each, GivenRules, Metric, Rule
from apps.timeline import projection

log = structlog.get_logger("stepback.alerts")

GIVEN_WINDOW, GIVEN_MINUTES = "24h", 5
# Of a rate that is as usual one look in a thousand would be as far off.
GIVEN_DEVIATIONS = 3.0
# By edition: the guide's thresholds, from 2 % on people look and nobody is woken; then
# one for each agent and each release, and one for what is not as usual.
GIVEN: tuple[tuple[dict[str, Any], ...], ...] = (
    (
        {"name": "Rollback rate, warning", "threshold": WARNING},
        {"name": "Rollback rate, critical", "threshold": CRITICAL},
    ),
    (
        {
            "name": "Rollback rate of an agent, critical",
            "threshold": CRITICAL,
            "each": Each.AGENT,
        },
        {
            "name": "Rollback rate of a release, critical",
            "threshold": CRITICAL,
            "each": Each.RELEASE,
        },
        {
            "name": "Unlike the same hours of the last four weeks",
            "metric": Metric.UNLIKE_USUAL,
            "threshold": GIVEN_DEVIATIONS,
        },
    ),
)
LONGEST_LAG = 60.0
# What a look at the numbers says of a rule.
SEEN = ("value", "sample", "evaluated_at", "seen_at")
TOLD = ("state", "since", "is_told", "owner", "acknowledged_at")


def sweep(*, now: datetime) -> int:
    """Give projects their rules, evaluate all; return how many states changed.

    None changes while writes have waited for more than a minute to be fed, but those
    of rules about just that.
    """
    looks, failed = Looks(now), set[str]()
    rules = Rule.objects.looked_at().order_by("project_id", "id")
    if projection.measure_lag().seconds(now) > LONGEST_LAG:
        # Rollbacks may wait to be counted: no state follows from what is missing.
        return _evaluate_all(rules.filter(metric=Metric.WORKER_LAG), looks, failed)
    for project in Project.objects.exclude(
        id__in=GivenRules.objects.filter(edition__gte=len(GIVEN)).values("project_id")
    ):
        _alone(project.id, failed, partial(give, project, now))
    mine = Rule.objects.active().exclude(each="")
    parents = list(mine.values_list("project_id", "id"))
    for project_id, parent_id in parents:
        _alone(project_id, failed, partial(spread, parent_id, looks))
    changed = _evaluate_all(rules, looks, failed)
    for project_id, parent_id in parents:
        _alone(project_id, failed, partial(gather, parent_id, now))
    return changed


def _alone(project_id: str, failed: set[str], step: Callable[[], bool | None]) -> bool:
    """Do one step for a project; what is wrong with it must not hold up the rest.

    Of a project that has failed nothing more is done in this sweep: each of its rules
    would wait as long.
    """
    if project_id in failed:
        return False
    try:
        return bool(step())
    except Exception as error:
        # The database is gone or in need: the next sweep goes on. A lock that somebody
        # keeps is of this project alone.
        if is_in_trouble(error, with_locks=False):
            raise
        failed.add(project_id)
        log.exception("a project's rules were not looked at", project=project_id)
        return False


@transaction.atomic
def give(project: Project, now: datetime) -> None:
    """Switch the given rules on, once; two workers at once give them once."""
    GivenRules.objects.bulk_create(
        [GivenRules(project_id=project.id, edition=0)], ignore_conflicts=True
    )
    given = GivenRules.objects.select_for_update().get(project_id=project.id)
    for edition in GIVEN[given.edition :]:
        for fields in edition:
            Rule.objects.create(
                id=new_id("rule", now=now),
                project_id=project.id,
                is_built_in=True,
                created_at=now,
                **_usual() | fields,
            )
    given.edition = len(GIVEN)
    given.save(update_fields=["edition"])


def _usual() -> dict[str, Any]:
    return {
        "metric": Metric.ROLLBACK_RATE,
        "window": GIVEN_WINDOW,
        "minimum_sample": MINIMUM_SAMPLE,
        "for_minutes": GIVEN_MINUTES,
    }


def _evaluate_all(rules: Any, looks: Looks, failed: set[str]) -> int:
    return sum(
        _alone(project_id, failed, partial(evaluate, rule_id, looks=looks))
        for project_id, rule_id in rules.values_list("project_id", "id")
    )


@transaction.atomic
def evaluate(rule_id: str, *, looks: Looks) -> bool:
    """Look at one rule; whether its state changed. Another worker may have it."""
    now = looks.now
    rule = (
        Rule.objects.select_for_update(skip_locked=True)
        .filter(id=rule_id, is_active=True)
        .first()
    )
    if rule is None:
        return False
    seen, before = looks.seen(rule), rule.state
    rule.value, rule.sample, rule.evaluated_at = seen.value, seen.sample, now
    if seen.sample:
        rule.seen_at = now
    rule.state = state_of(rule, now)
    if rule.state != before:
        rule.since = now
        disown(rule)
    if not is_quiet(rule, now) and rule.is_told != fires(rule):
        tell(rule, act=unrequested(SYSTEM, now))
    rule.save(update_fields=[*SEEN, *TOLD])
    return bool(rule.state != before)
