"""What the pages of alerts show, put together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.pages.alerts import history, rows
from apps.console.pages.alerts.broken import broken_of
from apps.console.pages.alerts.worst import worst_of
from apps.metrics import alerting
from apps.metrics.models import Rule, SummaryReader
from apps.webhooks.models import Subscription
from apps.worker import health

MOST_MEMBERS = 500
# While nothing was looked at for so long, whoever reads should know.
STALE = timedelta(minutes=5)


class Preview(NamedTuple):
    """What a rule would say now, and what it would have done."""

    row: rows.Row
    replay: alerting.Replay


def preview_of(rule: Rule, membership: Membership, now: datetime) -> Preview:
    """Return what a rule that is not stored would say and would have done."""
    found = alerting.replay(rule, alerting.Looks(now))
    rule.value, rule.sample = found.now.value, found.now.sample
    (row,) = rows.rows_of(membership.project, [rule], now)
    return Preview(row, found)


def list_context(membership: Membership, now: datetime) -> dict[str, Any]:
    """Return the context of the list of rules."""
    # A project has some hundred at most.
    rules = list(Rule.objects.of_project(membership.project_id).order_by("id"))
    shown = rows.rows_of(membership.project, rules, now)
    own = [row for row in shown if not row.rule.each]
    return {
        "membership": membership,
        "rows": own,
        "parents": [row for row in shown if row.rule.each],
        "answer": rows.answer(own, now),
        "n_webhooks": _n_webhooks(membership),
        "reader": SummaryReader.objects.of_member(membership).first(),
        "n_summary_webhooks": _n_webhooks(membership, "summary.weekly"),
        "history": history.history(membership.project, rules, now),
        "bar_width": rows.BAR_WIDTH,
        **_worker(rules, now),
    }


def rule_context(membership: Membership, rule_id: str, now: datetime) -> dict[str, Any]:
    """Return the context of a rule's page.

    Raises: RuleNotFound.
    """
    rule = Rule.objects.of_project(membership.project_id).one(rule_id)
    (row,) = rows.rows_of(membership.project, [rule], now)
    following = Rule.objects.following(rule.id) if rule.each else Rule.objects.none()
    return {
        "membership": membership,
        "row": row,
        "rule": rule,
        "parent": _parent(rule),
        "following": rows.rows_of(membership.project, list(following), now),
        # Of no session is how far the worker is behind.
        "broken": broken_of(rule, now=now) if row.about.has_agents else None,
        "worst": worst_of(rule, membership.project.slug),
        "n_webhooks": _n_webhooks(membership),
        "may_act": may(membership, Permission.WRITE, membership.project),
        "members": _members(membership),
        **_worker([rule], now),
    }


def _worker(rules: Sequence[Rule], now: datetime) -> dict[str, Any]:
    """Return when the rules were last looked at, and whether that is too long ago."""
    looked = [rule.evaluated_at for rule in rules if rule.is_active]
    last = max((at for at in looked if at is not None), default=None)
    is_stale = last is not None and now - last > STALE
    return {"looked_at": last, "is_stale": is_stale or health.state() != "healthy"}


def _n_webhooks(membership: Membership, kind: str = "alert.firing") -> int:
    """Return how many webhooks are told of something."""
    mine = Subscription.objects.of_project(membership.project_id).enabled()
    return int(mine.filter(kinds__contains=[kind]).count())


def _parent(rule: Rule) -> Rule | None:
    if rule.parent_id is None:
        return None
    return Rule.objects.of_project(rule.project_id).one(rule.parent_id)


def _members(membership: Membership) -> list[str]:
    """Return who may have what fires: the names of the project's members."""
    mine = Membership.objects.filter(project_id=membership.project_id)
    names = mine.order_by("user__username").values_list("user__username", flat=True)
    return list(names[:MOST_MEMBERS])
