"""Looks at every rule each minute, and tells when one fires and when it is over.

A rule goes ok, pending (the threshold is reached), firing (it has been for as long as
the rule asks), resolved. Of fewer sessions than the rule's sample nothing is said: the
rule stays as it is while it fires, and else is ok. What it tells is an event in the
transaction that changes the state, so that webhooks have it exactly as often; mail goes
out after the commit, and may be lost with the process. A silenced rule changes state
and tells nobody; when the silence is over, it tells what is news to those who were
told before it. Whoever was told that a rule fires is told that it is over, whatever
ends it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.ids import new_id
from apps.core.outbound.links import path_to
from apps.core.provenance import Provenance, unrequested
from apps.metrics import ranges
from apps.metrics.figures import CRITICAL, MINIMUM_SAMPLE, WARNING, Figures
from apps.metrics.mailing import mail
from apps.metrics.models import AlertState, GivenRules, Metric, Rule
from apps.metrics.range_query import Reading
from apps.timeline import projection

# The guide's thresholds, on from the start. From 2 % on people look; nobody is woken.
GIVEN = (
    ("Rollback rate, warning", WARNING),
    ("Rollback rate, critical", CRITICAL),
)
GIVEN_WINDOW, GIVEN_MINUTES = "24h", 5
LONGEST_LAG = 60.0
# What a look at the numbers says of a rule.
SEEN = ("value", "sample", "evaluated_at")


def sweep(*, now: datetime) -> int:
    """Give new projects their rules, evaluate all; return how many states changed.

    None changes while writes have waited for more than a minute to be fed.
    """
    if projection.measure_lag().seconds(now) > LONGEST_LAG:
        # Rollbacks may wait to be counted: no state follows from what is missing.
        return 0
    for project in Project.objects.exclude(
        id__in=GivenRules.objects.values_list("project_id", flat=True)
    ):
        give(project, now)
    rules = Rule.objects.active().order_by("project_id", "id")
    looks = Looks(now)
    return sum(
        evaluate(rule_id, looks=looks) for rule_id in rules.values_list("id", flat=True)
    )


@transaction.atomic
def give(project: Project, now: datetime) -> None:
    """Switch the guide's thresholds on, once; two workers at once give them once."""
    GivenRules.objects.bulk_create(
        [GivenRules(project_id=project.id)], ignore_conflicts=True
    )
    GivenRules.objects.select_for_update().get(project_id=project.id)
    if Rule.objects.filter(project_id=project.id, is_built_in=True).exists():
        return
    for name, threshold in GIVEN:
        Rule.objects.create(
            id=new_id("rule", now=now),
            project_id=project.id,
            name=name,
            metric=Metric.ROLLBACK_RATE,
            window=GIVEN_WINDOW,
            threshold=threshold,
            minimum_sample=MINIMUM_SAMPLE,
            for_minutes=GIVEN_MINUTES,
            is_built_in=True,
            created_at=now,
        )


class Looks:
    """What the numbers say at one moment: rules that ask for the same share a look.

    The hour that is still open is counted for each look, the longer the busier it is,
    and a project's given rules differ in their thresholds alone.
    """

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._found: dict[tuple[str, str, str | None], Figures] = {}

    def totals(self, rule: Rule) -> Figures:
        """Return all that was counted of the rule's agents in its window."""
        asked = rule.project_id, rule.window, rule.agent_id
        if asked not in self._found:
            self._found[asked] = Reading(
                rule.project_id,
                ranges.window(rule.window, now=self.now),
                None if rule.agent_id is None else [rule.agent_id],
            ).totals()
        return self._found[asked]


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
    found = looks.totals(rule)
    before = rule.state
    rule.value, rule.sample, rule.evaluated_at = (
        value_of(rule, found),
        found.sessions,
        now,
    )
    rule.state = state_of(rule, now)
    if rule.state != before:
        rule.since = now
    if not _is_silenced(rule, now) and rule.is_told != _fires(rule):
        tell(rule, act=unrequested(SYSTEM, now))
    rule.save(update_fields=[*SEEN, "state", "since", "is_told"])
    return bool(rule.state != before)


def end(rule: Rule, *, act: Provenance) -> None:
    """Have a rule that nobody looks at any more fire no longer; the caller saves it.

    Silenced or not: those who were told that it fires wait for the end of it.
    """
    if _fires(rule):
        rule.state, rule.since = AlertState.RESOLVED, act.now
    if rule.is_told:
        tell(rule, act=act, ends="is switched off")


def _fires(rule: Rule) -> bool:
    return bool(rule.state == AlertState.FIRING)


def _is_silenced(rule: Rule, now: datetime) -> bool:
    return rule.silenced_until is not None and rule.silenced_until > now


def value_of(rule: Rule, found: Figures) -> float | None:
    if rule.metric == Metric.ROLLBACK_RATE:
        return found.rate
    return found.per_session


def state_of(rule: Rule, now: datetime) -> AlertState:
    """Return where a rule goes from where it is, by the value just read."""
    state = AlertState(rule.state)
    if rule.sample < rule.minimum_sample or rule.value is None:
        return AlertState.OK if state == AlertState.PENDING else state
    if rule.value < rule.threshold:
        return {
            AlertState.FIRING: AlertState.RESOLVED,
            AlertState.PENDING: AlertState.OK,
        }.get(state, state)
    waits = timedelta(minutes=rule.for_minutes)
    if state == AlertState.FIRING:
        return state
    if state == AlertState.PENDING:
        is_over = rule.since is not None and now - rule.since >= waits
        return AlertState.FIRING if is_over else state
    return AlertState.PENDING if waits else AlertState.FIRING


def summary(rule: Rule, verb: str) -> str:
    """Say in one line what a rule does, and what it found."""
    value = "no value" if rule.value is None else f"{rule.value * 100:.1f} %"
    return (
        f"{rule.name} {verb}: {value} of {rule.sample:,} sessions in {rule.window}, "
        f"threshold {rule.threshold * 100:g} %"
    )


def place(rule: Rule, now: datetime) -> dict[str, str]:
    """Return what to ask the pages of metrics for, to see what a rule saw.

    Up to the moment at which it looked: what happened later is another number.
    """
    start = ranges.window(rule.window, now=now).start
    asked = {"from": _written(start), "to": _written(now)}
    return asked | ({"agent": rule.agent_id} if rule.agent_id else {})


def paths(rule: Rule, now: datetime) -> dict[str, str]:
    """Return where the rule, its chart and the sessions behind its value are.

    Without the host: a record may outlive it, and holds 200 characters of a text.
    """
    slug = Project.objects.values_list("slug", flat=True).get(id=rule.project_id)
    asked = place(rule, now)
    return {
        "rule_path": path_to("alert", slug, rule.id),
        "dashboard_path": path_to("metrics", slug, query=asked),
        "sessions_path": path_to("metrics_rollbacks", slug, query=asked),
    }


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def details(rule: Rule, now: datetime, *, verb: str) -> dict[str, Any]:
    """Return what is told of a rule, with the way to what is behind its number."""
    range_ = ranges.window(rule.window, now=now)
    agent = Agent.objects.filter(id=rule.agent_id).first() if rule.agent_id else None
    return {
        "name": rule.name,
        "state": rule.state,
        "metric": rule.metric,
        "value": rule.value,
        "threshold": rule.threshold,
        "sample": rule.sample,
        "window": rule.window,
        "from": range_.start.isoformat(),
        "to": range_.end.isoformat(),
        "agent_id": agent.external_id if agent else None,
        "summary": summary(rule, verb),
        **paths(rule, now),
    }


def tell(
    rule: Rule,
    *,
    act: Provenance,
    ends: str = "is over",
) -> None:
    """Tell whether a rule fires, and note that it was told; the caller saves it."""
    rule.is_told = _fires(rule)
    told = details(rule, act.now, verb="fires" if rule.is_told else ends)
    audit.record(
        stream_id=rule.project_id,
        project_id=rule.project_id,
        action=Action.ALERT_FIRING if rule.is_told else Action.ALERT_RESOLVED,
        resource_type="alert",
        resource_id=rule.id,
        act=act,
        details=told,
    )
    mail(rule, told)
