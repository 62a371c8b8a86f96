"""Run by `manage.py shell`: tells a project's history of months ago, writes a key.

Over HTTP nothing happens but now, and no policy takes what is younger than a day.
"""

import sys

from apps.accounts import operations as accounts
from apps.accounts.models import Scope
from apps.core import json
from tests.acts import act_by
from tests.retention.aged import Past

# Of all sessions but the idle ones, the last was written yesterday.
LONG = 30


def tell(slug: str, many: int) -> None:
    """Write the secret of an administrator's key, and the ids of sessions by kind."""
    project = accounts.create_project(slug=slug, name=slug, act=act_by())
    _, secret = accounts.issue_key(
        project=project, name="test", scope=Scope.ADMIN, act=act_by()
    )
    days = [90.5 - 2 * n for n in range(LONG)]
    made: dict[str, list[str]] = {"long": [], "idle": []}
    for n in range(many):
        past = Past.of(project, [*days, 0.5], user_id="ann")
        past.label(n % LONG)
        idle = Past.of(project, [200.5, 190.5, 180.5], user_id="ann")
        made["long"].append(past.id)
        made["idle"].append(idle.id)
    told = {"project": project.id, "secret": secret, **made}
    sys.stdout.write(json.dumps(told).decode() + "\n")


def tell_long(slug: str, many: int) -> None:
    """Write the secret of a key of a project with sessions of more than two groups."""
    project = accounts.create_project(slug=slug, name=slug, act=act_by())
    _, secret = accounts.issue_key(
        project=project, name="test", scope=Scope.ADMIN, act=act_by()
    )
    days = [90.5 - n / 10 for n in range(LONG * 2 + 10)]
    for _ in range(many):
        Past.of(project, days)
    sys.stdout.write(json.dumps({"secret": secret}).decode() + "\n")
