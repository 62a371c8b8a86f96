"""Run by `manage.py shell`: tells a project's history of hours ago, writes a key.

Over HTTP nothing happens but now, and hours that are not over are not added up.
"""

import sys
from datetime import datetime, timedelta

from apps.accounts import operations as accounts
from apps.accounts.models import Project, Scope
from tests.acts import act_by
from tests.metrics.make import Told


def tell(slug: str, begins: str) -> None:
    """Write the project's id and the secret of an administrator's key."""
    about = {"act": act_by()}
    project = accounts.create_project(slug=slug, name=slug, **about)
    _, secret = accounts.issue_key(
        project=project, name="test", scope=Scope.ADMIN, **about
    )
    _history(project, datetime.fromisoformat(begins))
    sys.stdout.write(f"{project.id} {secret}\n")


def _history(project: Project, begins: datetime) -> None:
    """Three hours that are over: sessions, rollbacks, one undone, a fork, turns."""

    def at(minutes: int) -> datetime:
        return begins + timedelta(minutes=minutes)

    told = [Told(project, at(n), agent=f"agent-{n % 2}") for n in range(4)]
    told[0].update(at(10), at(70)).back(0, at(75), reason="bad_plan")
    told[1].update(at(20)).turn(at(65)).back(0, at(80)).undo(2, at(130))
    told[2].update(at(90), at(125)).fork(1, at(140))
    told[3].turn(at(150))
