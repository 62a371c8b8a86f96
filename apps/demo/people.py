"""Who plays in the demo: two people of support and engineering, one key per agent.

The keys are real, so that records lead to them, and nobody's: their secrets are
dropped at once, and they expired when the demo's week ended.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.models import ApiKey, Membership, Project, Role, Scope, User
from apps.core.actors import Actor, ActorKind
from apps.core.provenance import unrequested

DIRECTOR = Actor(kind=ActorKind.SYSTEM, id="system", label="manage.py up (demo)")
OPERATOR = "demo-operator"
ENGINEER = "demo-engineer"
PEOPLE = {OPERATOR: "Demo operator", ENGINEER: "Demo engineer"}


def hired(
    project: Project, agents: Mapping[str, Mapping[str, Any]], *, until: datetime
) -> dict[str, Actor]:
    """Return all actors by name, making those that are not there yet."""
    now = project.created_at
    actors = {name: _person(project, name, now) for name in PEOPLE}
    return actors | {name: _key(project, name, now, until) for name in agents}


def _person(project: Project, username: str, now: datetime) -> Actor:
    user = User.objects.filter(username=username).first()
    if user is None:
        user = accounts.create_user(
            username=username,
            display_name=PEOPLE[username],
            act=unrequested(DIRECTOR, now),
        )
    if not Membership.objects.in_project(project.id).filter(user_id=user.id).exists():
        accounts.add_member(
            project=project,
            user=user,
            role=Role.OPERATOR,
            act=unrequested(DIRECTOR, now),
        )
    return actor_of(user)


def _key(project: Project, agent: str, now: datetime, until: datetime) -> Actor:
    keys = ApiKey.objects.in_project(project.id)
    key = keys.filter(name=agent, created_by=DIRECTOR.label).first()
    if key is None:
        key, _ = accounts.issue_key(
            project=project,
            name=agent,
            scope=Scope.WRITE,
            agents=[agent],
            terms=accounts.KeyTerms(expires_at=until),
            act=unrequested(DIRECTOR, now),
        )
    return Actor(kind=ActorKind.KEY, id=key.id, label=key.prefix)
