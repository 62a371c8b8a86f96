"""Rules for each agent or release: one of its own for each, which follows them.

It is made when an agent or a release is met with enough sessions to say something, the
busiest first, and goes when there has been nothing of it for a week.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.ids import new_id
from apps.core.provenance import Provenance, unrequested
from apps.metrics.alerting import telling
from apps.metrics.alerting.looks import Looks, seen_in
from apps.metrics.comparison import releases_of
from apps.metrics.figures import Figures
from apps.metrics.models import AlertState, Each, Rule
from apps.metrics.querysets import RuleQuerySet

# Of one rule; a project with more agents or releases has rules for the busiest.
MOST_FOLLOWING = 50
KEPT = timedelta(days=7)
# What a rule has from the one that it follows.
FOLLOWED = (
    *("name", "metric", "window", "threshold", "minimum_sample", "for_minutes"),
    *("email", "quiet_from", "quiet_to", "quiet_zone"),
)
# What is to be looked at comes first.
WORST = (AlertState.FIRING, AlertState.PENDING)
Group = tuple[str, str | None]


@transaction.atomic
def spread(parent_id: str, looks: Looks) -> None:
    """Make and remove the rules that follow one; another worker may have it."""
    parent = _claimed(parent_id)
    if parent is None:
        return
    following = Rule.objects.following(parent.id)
    known = set(following.values_list("agent_id", "release"))
    for group in _met(parent, looks):
        if group not in known and len(known) < MOST_FOLLOWING:
            known.add(group)
            _follow(parent, group, looks.now)
    gone = following.filter(seen_at__lt=looks.now - KEPT)
    stop_all(gone, unrequested(SYSTEM, looks.now))


@transaction.atomic
def gather(parent_id: str, now: datetime) -> None:
    """Let a rule show the worst of those that follow it; it tells nobody itself."""
    parent = _claimed(parent_id)
    if parent is None:
        return
    mine = list(Rule.objects.following(parent.id))
    states = {one.state for one in mine}
    parent.state = next((one for one in WORST if one in states), AlertState.OK)
    worst = max(
        (one for one in mine if one.value is not None),
        key=lambda one: (one.state == parent.state, one.value),
        default=None,
    )
    parent.value = worst.value if worst else None
    parent.sample = worst.sample if worst else 0
    parent.since = worst.since if worst else None
    parent.evaluated_at = now
    parent.save(update_fields=["state", "value", "sample", "since", "evaluated_at"])


def stop_all(following: RuleQuerySet, act: Provenance) -> None:
    """Remove rules that follow one; who was told that one fires is told it is over.

    Each removal is recorded: links to it stay in mails.
    """
    for rule in following.select_for_update():
        telling.end(rule, act=act, ends="has nothing to look at")
        audit.record_act(
            stream_id=rule.project_id,
            project_id=rule.project_id,
            action=Action.RULE_DELETED,
            resource_type="rule",
            resource_id=rule.id,
            act=act,
            details={"name": rule.name, "fields": []},
        )
        rule.delete()


def _claimed(parent_id: str) -> Rule | None:
    mine = Rule.objects.active().filter(id=parent_id)
    return mine.select_for_update(skip_locked=True).first()


def _follow(parent: Rule, group: Group, now: datetime) -> None:
    agent_id, release = group
    Rule.objects.create(
        id=new_id("rule", now=now),
        project_id=parent.project_id,
        parent_id=parent.id,
        agent_id=agent_id,
        release=release,
        silenced_until=parent.silenced_until,
        is_built_in=parent.is_built_in,
        created_at=now,
        seen_at=now,
        **{name: getattr(parent, name) for name in FOLLOWED},
    )


def _met(parent: Rule, looks: Looks) -> Iterator[Group]:
    """Yield agents or releases with enough in the window, the busiest first."""
    reading = looks.reading(parent)
    found: dict[Group, Figures]
    if parent.each == Each.AGENT:
        found = {(agent_id, None): one for agent_id, one in reading.by_agent().items()}
    else:
        found = {
            (agent_id, release): one
            for agent_id, mine in releases_of(reading).items()
            for release, one in mine.items()
            if release
        }
    for group in sorted(found, key=lambda group: -found[group].sessions):
        if _sample(parent, found[group]) >= parent.minimum_sample:
            yield group


def _sample(parent: Rule, found: Figures) -> int:
    """Return what the sample of a rule about these counts would be."""
    match parent.metric:
        case "latency":
            return found.timed
        case "unlike_usual":
            return found.sessions
    return seen_in(parent.metric, found).sample
