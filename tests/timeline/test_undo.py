"""Undoing a rollback, and the chained record of what people do to a session."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.audit import operations as audit
from apps.audit.models import AuditRecord, Event
from apps.core.actors import Actor, ActorKind
from apps.timeline import operations as timeline
from apps.timeline.errors import NoRollback, VersionConflict
from apps.timeline.ledger.drafts import Expected
from apps.timeline.verification import findings
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
OLGA = Actor(kind=ActorKind.USER, id="user_1", label="olga")


@pytest.fixture
def act(project: Project) -> Act:
    return act_in(project, OLGA, timezone.now() + timedelta(minutes=1))


def state_of(run: Run, project: Project) -> Any:
    head = fetching.head(Scope(project), run.id, now=timezone.now())
    return reading.parsed(head), head


def test_an_undo_is_a_rollback_to_what_was_before(
    run: Run, project: Project, act: Act
) -> None:
    before, _ = state_of(run, project)
    timeline.rollback(session_id=run.id, to=0, step=Step(), hold=True, act=act)

    timeline.undo(session_id=run.id, number=3, step=Step(), act=act)

    after, head = state_of(run, project)
    assert after == before
    assert (head.op, head.restored_number, head.undo_of) == ("rollback", 2, 3)
    assert head.reason_code == "undo"
    assert head.hold == "paused"  # until somebody resumes it
    assert run.get("versions", 4)["undo_of"] == 3
    assert list(findings(run.id)) == []


def test_only_a_rollback_can_be_undone(run: Run, act: Act) -> None:
    with pytest.raises(NoRollback):
        timeline.undo(session_id=run.id, number=1, step=Step(), act=act)


def test_an_undo_respects_the_head_that_was_shown(run: Run, act: Act) -> None:
    timeline.rollback(session_id=run.id, to=0, step=Step(), act=act)
    run.patch({"step": 9})

    with pytest.raises(VersionConflict):
        timeline.undo(
            session_id=run.id,
            number=3,
            step=Step(),
            expected=Expected(number=3),
            act=act,
        )


def recorded(project: Project) -> list[tuple[str, int | None]]:
    """Return what people did to sessions, by action and version."""
    events = Event.objects.for_project(project.id)
    numbers = dict(events.values_list("id", "number"))
    records = AuditRecord.objects.for_project(project.id).oldest_first()
    return [(one.action, numbers[one.event_id]) for one in records][2:]


def test_what_a_person_does_is_chained_once(
    run: Run, project: Project, act: Act
) -> None:
    about = {"session_id": run.id, "act": act}
    timeline.rollback(to=0, step=Step(reasoning="lost"), **about)
    timeline.undo(number=3, step=Step(), **about)
    timeline.pause(step=Step(), **about)
    timeline.resume(step=Step(), **about)
    timeline.label(number=1, name="known-good", **about)
    timeline.unlabel(number=1, name="known-good", **about)
    note = timeline.add_note(number=1, text="Look here", **about)
    fork = timeline.fork(
        act=act,
        origin=timeline.Origin(session_id=run.id, number=1),
        about=timeline.About(),
        step=Step(),
    )
    timeline.close(step=Step(), **about)

    assert recorded(project) == [
        ("session.rolled_back", 3),
        ("session.rolled_back", 4),
        ("session.paused", 5),
        ("session.resumed", 6),
        ("version.labelled", 1),
        ("version.unlabelled", 1),
        ("note.added", 1),
        ("session.forked", 0),
        ("session.closed", 7),
    ]
    assert audit.verify_records(stream_id=project.id).is_intact
    kept = AuditRecord.objects.for_project(project.id)
    assert set(kept.values_list("resource_id", flat=True)) >= {note.id, fork.session_id}
    assert "Look here" not in str(list(kept.values_list("details", flat=True)))


def test_what_an_agent_does_to_a_state_is_not_chained(
    run: Run, project: Project
) -> None:
    run.rollback(0)
    run.post("undo", {})

    assert recorded(project) == []


def test_a_refused_act_leaves_no_record(run: Run, project: Project, act: Act) -> None:
    with pytest.raises(VersionConflict), transaction.atomic():
        timeline.rollback(
            session_id=run.id, to=0, step=Step(), expected=Expected(number=1), act=act
        )

    assert recorded(project) == []
