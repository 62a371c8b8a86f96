"""Recording acts: within their transaction, chained, and never changed."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.models import AuditRecord, Event
from apps.core.actors import SYSTEM, Actor, ActorKind
from apps.core.roles.names import Role
from tests.acting import acting_as, erasing
from tests.acts import act_by

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ALICE = Actor(kind=ActorKind.USER, id="user_1", label="alice")


def make_act(project_id="proj_1", *, details=None, now=NOW, stream_id=None):
    with transaction.atomic():
        return audit.record_act(
            stream_id=stream_id or project_id,
            project_id=project_id,
            action=Action.SESSION_ROLLED_BACK,
            resource_type="session",
            resource_id="sess_1",
            act=act_by(ALICE, now),
            details=details or {},
            number=7,
        )


@pytest.mark.django_db(transaction=True)
def test_it_refuses_to_record_outside_a_transaction():
    with pytest.raises(RuntimeError):
        audit.record(
            stream_id="proj_1",
            project_id="proj_1",
            action=Action.KEY_CREATED,
            resource_type="key",
            resource_id="key_1",
            act=act_by(ALICE, NOW),
            details={},
        )


AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")


@pytest.mark.parametrize(
    ("actor", "is_chained"), [(ALICE, True), (SYSTEM, True), (AGENT, False)]
)
def test_an_act_is_chained_unless_an_agent_does_it(db, actor, is_chained):
    audit.record_for(
        act=act_by(actor, NOW),
        stream_id="sess_1",
        project_id="proj_1",
        action=Action.VERSIONS_HIDDEN,
        resource_type="session",
        resource_id="sess_1",
        details={"version": 2},
        number=2,
    )

    event = Event.objects.get()
    assert (event.actor_id, event.created_at, event.number) == (actor.id, NOW, 2)
    chained = AuditRecord.objects.values_list("event_id", flat=True)
    assert list(chained) == ([event.id] if is_chained else [])


def test_an_act_is_an_event_and_a_record_of_the_same_facts(db):
    record = make_act(details={"reason": "wrong address"})

    event = Event.objects.get(id=record.event_id)

    assert (event.action, event.number) == ("session.rolled_back", 7)
    assert (event.actor_kind, event.actor_id, event.actor_label) == (
        "user",
        "user_1",
        "alice",
    )
    assert event.details == record.details == {"reason": "wrong address"}
    assert event.created_at == record.created_at == NOW


def test_each_project_has_a_chain_from_one_on(db):
    numbers = [make_act(project).number for project in ("proj_1", "proj_2", "proj_1")]

    assert numbers == [1, 1, 2]


def test_what_was_recorded_verifies_after_a_round_trip_through_the_database(db):
    awkward = {
        "nul": "a\0b",
        "huge": 10**40,
        "floats": [0.1, 1e16, 2.0**70, -0.0],
        "none": None,
    }
    make_act(details=awkward)
    make_act(details={"b": 1, "a": {"d": True, "c": "ü"}})

    verdict = audit.verify_records(stream_id="proj_1")

    assert verdict.is_intact
    assert verdict.count == 2


@pytest.mark.parametrize(
    ("role", "refusal"),
    [
        (Role.WEB, ProgrammingError),
        (Role.WORKER, ProgrammingError),
        # With one role triggers alone refuse it.
        (Role.OWNER, IntegrityError),
    ],
)
@pytest.mark.parametrize("model", [Event, AuditRecord])
def test_no_row_is_changed_or_deleted(db, model, role, refusal):
    make_act()

    with acting_as(role), pytest.raises(refusal), transaction.atomic():
        model.objects.update(actor_label="mallory")
    with acting_as(role), pytest.raises(refusal), transaction.atomic():
        model.objects.all().delete()


def test_retention_may_erase_and_the_chain_tells(db):
    make_act()
    make_act()

    with erasing():
        AuditRecord.objects.filter(number=1).delete()

    assert audit.verify_records(stream_id="proj_1").broken_at == 1


@pytest.mark.django_db(transaction=True)
def test_acts_at_the_same_time_make_one_chain_without_gaps():
    def act():
        try:
            barrier.wait(5)
            for _ in range(5):
                make_act()
        finally:
            connection.close()

    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=act) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    verdict = audit.verify_records(stream_id="proj_1")
    assert (verdict.count, verdict.is_intact) == (20, True)


def test_events_are_paged_by_their_id_newest_first(db):
    ids = [make_act(now=NOW + timedelta(seconds=n)).event_id for n in range(3)]

    page = Event.objects.for_project("proj_1").newest_first().before(ids[2])

    assert [event.id for event in page] == [ids[1], ids[0]]


def test_an_event_is_found_by_its_id_in_its_project_without_reading_others(db):
    act = make_act()

    asked = Event.objects.for_project("proj_1").filter(id=act.event_id)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = asked.explain()

    assert asked.get().resource_id == "sess_1"
    assert "Index Cond: (((project_id)::text = " in plan
    assert "(id)::text = " in plan
    assert "Filter" not in plan


def test_events_are_found_by_stream_action_and_time(db):
    make_act(stream_id="sess_1")
    make_act(now=NOW + timedelta(hours=1))

    assert Event.objects.for_stream("sess_1").count() == 1
    assert Event.objects.with_action([Action.SESSION_ROLLED_BACK]).count() == 2
    assert Event.objects.with_action([Action.KEY_CREATED]).count() == 0
    assert Event.objects.between(NOW, NOW + timedelta(minutes=1)).count() == 1
    assert Event.objects.between(None, None).count() == 2
