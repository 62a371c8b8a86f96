"""What a rule may be: its fields one by one, and what makes sense together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core.errors import InvalidRequest
from apps.core.time.zones import zone_named
from apps.metrics import ranges
from apps.metrics.alerting.measures import LONGEST_SECONDS, Unit, about
from apps.metrics.figures import MINIMUM_SAMPLE
from apps.metrics.models import Each, Metric, Rule

DEFAULTS: Mapping[str, Any] = {
    "metric": Metric.ROLLBACK_RATE,
    "window": "24h",
    "minimum_sample": MINIMUM_SAMPLE,
    "for_minutes": 5,
    "email": "",
}
MINUTES_OF_DAY = 24 * 60


def draft(project: Project, fields: Mapping[str, Any]) -> Rule:
    """Return the rule that these fields would make; nothing is stored.

    Raises: InvalidRequest, AgentNotFound.
    """
    rule = Rule(project_id=project.id)
    apply(rule, project, {**DEFAULTS, **fields})
    return rule


def apply(rule: Rule, project: Project, fields: Mapping[str, Any]) -> None:
    """Set what is said of a rule, and see that it makes sense together.

    Raises: InvalidRequest, AgentNotFound.
    """
    for name, value in fields.items():
        if name == "agent":
            agents = Agent.objects.visible_to(Scope(project))
            rule.agent_id = None if value is None else agents.one_named(value).id
        else:
            _check(name, value)
            setattr(rule, name, value)
    _check_scope(rule)
    _check_threshold(rule)
    if not about(rule.metric).sample:
        rule.minimum_sample = 1


def _check(name: str, value: Any) -> None:
    # It stands in subjects of mails, and in fields where nothing may hide.
    if name == "name" and not value.isprintable():
        raise InvalidRequest("name has printable characters only.", param=name)
    if name == "window" and value not in ranges.WINDOWS:
        raise InvalidRequest(f"window takes {', '.join(ranges.WINDOWS)}.", param=name)
    if name == "each" and value and value not in Each.values:
        raise InvalidRequest(f"each takes {' or '.join(Each.values)}.", param=name)
    if name == "quiet_zone" and zone_named(value) is None:
        raise InvalidRequest("quiet_zone is the name of a time zone.", param=name)
    if name in ("quiet_from", "quiet_to"):
        _check_minute(name, value)
    if name == "email" and value:
        check_email(value)


def _check_minute(name: str, value: int | None) -> None:
    if value is not None and not 0 <= value < MINUTES_OF_DAY:
        raise InvalidRequest(f"{name} is a time of day, as 22:00.", param=name)


def check_email(value: str) -> None:
    """Raises: InvalidRequest for what is no one address."""
    try:
        validate_email(value)
    except ValidationError:
        raise InvalidRequest("email is one address.", param="email") from None


def _check_scope(rule: Rule) -> None:
    """Refuse what a metric cannot be asked for, and half of the quiet hours."""
    spoken = about(rule.metric)
    if not spoken.has_agents and (rule.agent_id or rule.each):
        raise InvalidRequest(f"The {spoken.title} is of no agent.", param="agent")
    if (rule.release or rule.each == Each.RELEASE) and not spoken.has_releases:
        raise InvalidRequest(f"No release is known of {spoken.title}.", param="release")
    if rule.release and not rule.agent_id:
        raise InvalidRequest("A release is one of an agent's.", param="release")
    if rule.each and (rule.agent_id or rule.release):
        raise InvalidRequest("A rule is for each, or for one.", param="each")
    if (rule.quiet_from is None) != (rule.quiet_to is None):
        raise InvalidRequest("Quiet hours have a from and a to.", param="quiet_to")


def _check_threshold(rule: Rule) -> None:
    unit = about(rule.metric).unit
    most = LONGEST_SECONDS if unit is Unit.SECONDS else 100
    if not 0 < rule.threshold <= most:
        shown = "0.05 for 5 %" if unit is Unit.SHARE else f"2 for 2 {unit.value}"
        raise InvalidRequest(
            f"threshold is above 0 and at most {most:g}, as {shown}.", param="threshold"
        )
