"""Removals as tests ask for them: by the retention role, once all is projected."""

from typing import Any

from apps.core.roles.names import Role
from apps.timeline.operations import keeping
from apps.timeline.operations.keeping import Gone
from tests.acting import acting_as
from tests.feeding import project_all
from tests.timeline import runs

REMOVAL = "rem_01"


def prune(run: runs.Run, first: int, last: int, **given: Any) -> Gone:
    return as_retention(keeping.prune_versions, run, first=first, last=last, **given)


def empty(run: runs.Run, first: int, last: int, **given: Any) -> Gone:
    return as_retention(keeping.empty_versions, run, first=first, last=last, **given)


def remove(run: runs.Run, **given: Any) -> Gone:
    return as_retention(keeping.remove_session, run, **given)


def as_retention(act: Any, run: runs.Run, **given: Any) -> Gone:
    project_all()
    with acting_as(Role.RETENTION):
        gone: Gone = act(
            session_id=run.id, removal_id=REMOVAL, **{"reason": "policy"} | given
        )
    return gone
