"""Where a rule goes from where it is, and when it keeps quiet. Nothing is written."""

from __future__ import annotations

from datetime import datetime, timedelta

from apps.core import sql
from apps.core.time.zones import zone_named
from apps.metrics.models import AlertState, Rule

# As `Rule.objects.firing().count()`, without a queryset: every console page asks.
_FIRING = """
SELECT count(*) AS count FROM metrics_rule
 WHERE project_id = %(project)s AND is_active AND each = '' AND state = %(state)s
"""


def count_firing(project_id: str) -> int:
    """Return how many rules of a project people are to look at now."""
    asked = {"project": project_id, "state": AlertState.FIRING.value}
    (row,) = sql.rows(_FIRING, asked)
    return int(row.count)


def fires(rule: Rule) -> bool:
    """Whether it fires, as far as is known."""
    return bool(rule.state == AlertState.FIRING)


def is_quiet(rule: Rule, now: datetime) -> bool:
    """Whether nobody is told now: it is silenced, or these are its quiet hours."""
    silenced = rule.silenced_until is not None and rule.silenced_until > now
    return silenced or is_quiet_hour(rule, now)


def is_quiet_hour(rule: Rule, now: datetime) -> bool:
    """Whether the clocks of the rule's zone are within its quiet hours.

    They may go over midnight; from and to the same moment is all day.
    """
    if rule.quiet_from is None or rule.quiet_to is None:
        return False
    zone = zone_named(rule.quiet_zone)
    local = now if zone is None else now.astimezone(zone)
    minute = local.hour * 60 + local.minute
    if rule.quiet_from < rule.quiet_to:
        return bool(rule.quiet_from <= minute < rule.quiet_to)
    return bool(minute >= rule.quiet_from or minute < rule.quiet_to)


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
