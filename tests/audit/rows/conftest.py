"""A project with one of each kind of row that records cover."""

from random import Random

import pytest

from apps.accounts import operations as accounts
from apps.accounts.models import Project, Role, Scope
from apps.timeline import operations as timeline
from tests.acts import act_by, act_in
from tests.audit.rows.acts import AGENT, Acts


@pytest.fixture
def acts(project: Project) -> Acts:
    """One of each kind of row, in a session that was changed since it began."""
    made = Acts(project, Random(7))
    session_id = made.begin()
    act = act_in(project, AGENT)
    timeline.label(act=act, session_id=session_id, number=0, name="known good")
    timeline.add_note(act=act, session_id=session_id, text="Wrong city.")
    said = timeline.Exchange(input={"content": "Hi"}, output={"content": "Hello"})
    timeline.add_turn(
        act=act, session_id=session_id, exchange=said, step=timeline.Step()
    )
    timeline.add_summary(
        act=act, session_id=session_id, first_turn=1, last_turn=1, text="Said hi."
    )
    timeline.review(act=act, session_id=session_id, outcome="failed", why="No refund.")
    timeline.score(act=act, session_id=session_id, name="reward", value=0.25)
    told = {"metadata": {"owner": "ann"}, "ttl_seconds": 3600}
    timeline.update_metadata(act=act, session_id=session_id, **told)
    key, _ = accounts.issue_key(
        act=act, project=project, name="bot", scope=Scope.READ, agents=["travel"]
    )
    accounts.revoke_key(act=act, project=project, key_id=key.id)
    accounts.add_member(act=act, project=project, user=made.user(), role=Role.VIEWER)
    accounts.create_user(act=act_by(), username="mallory")
    made.webhook()
    made.guarded()
    made.budgeted()
    return made
