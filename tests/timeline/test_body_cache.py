"""Decoded bodies are kept only once what they belong to is committed."""

import pytest
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.timeline import bodies
from apps.timeline import operations as timeline
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db(transaction=True)


def replaced(project: Project, run: Run) -> None:
    """Write version 3 and read it."""
    receipt = timeline.replace(
        act=act_in(project), session_id=run.id, state={"undone": True}, step=Step()
    )
    head = fetching.head(Scope(project), run.id, now=timezone.now())
    assert (receipt.number, reading.state(head)) == (3, b'{"undone":true}')


def test_what_was_rolled_back_is_not_shown_for_what_takes_its_number(
    project: Project, run: Run
) -> None:
    with transaction.atomic():
        replaced(project, run)
        transaction.set_rollback(True)
    assert bodies.cache.get((run.id, 3)) is None

    run.put({"stored": True})

    assert run.state == {"stored": True}


def test_what_was_committed_is_kept(project: Project, run: Run) -> None:
    with transaction.atomic():
        replaced(project, run)

    assert bodies.cache.get((run.id, 3)) is not None
