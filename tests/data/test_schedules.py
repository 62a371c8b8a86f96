"""Checkpoints on a schedule: one for each due moment, and missed ones are named."""

from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import connection

from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.core.actors import SYSTEM
from apps.core.errors import InvalidRequest
from apps.data import operations as data
from apps.data.checkpoints import moments
from apps.data.models import Checkpoint, Schedule
from apps.data.operations.keeping import scheduling
from tests.acts import act_in
from tests.data.conftest import Store, made

NOW = datetime(2026, 11, 20, 7, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


def scheduled(store: Store, schedule: str | None = "hourly") -> Any:
    agent = Agent.objects.get(external_id=store.agent)
    act = act_in(agent.project, now=NOW)
    return data.set_schedule(act=act, reference=agent.id, schedule=schedule).schedule


def keep_due(*, now: datetime) -> int:
    return data.keep_due(actor=SYSTEM, now=now)


def kept() -> list[tuple[str, str, str | None]]:
    rows = Checkpoint.objects.order_by("ordinal")
    return [(one.label, one.metadata["due_at"], one.description) for one in rows]


def test_each_due_moment_has_one(store: Store) -> None:
    made(store.write("a"))
    scheduled(store)

    before = keep_due(now=NOW + timedelta(minutes=29))
    eight = [keep_due(now=NOW + timedelta(minutes=30 + n)) for n in range(3)]
    nine = keep_due(now=NOW + timedelta(minutes=91))

    assert (before, eight, nine) == (0, [1, 0, 0], 1)
    assert kept() == [
        ("every hour", "2026-11-20T08:00Z", None),
        ("every hour", "2026-11-20T09:00Z", None),
    ]
    made_by = AuditRecord.objects.filter(action="checkpoint.create")
    assert {one.actor_label for one in made_by} == {"system"}
    assert [one.keys for one in Checkpoint.objects.all()] == [1, 1]


def test_what_was_missed_is_named_and_not_made_up(store: Store) -> None:
    scheduled(store)

    made_late = keep_due(now=NOW + 24 * HOUR)
    again = keep_due(now=NOW + 24 * HOUR)

    assert (made_late, again) == (1, 0)
    missed = "23 before it, from 2026-11-20T08:00Z on, missed: no worker made them."
    assert kept() == [("every hour", "2026-11-21T07:00Z", missed)]
    assert Schedule.objects.get().due_at == NOW + timedelta(hours=24, minutes=30)


def test_a_worker_that_is_killed_has_made_none(store: Store, monkeypatch: Any) -> None:
    scheduled(store)
    create = scheduling.create_checkpoint

    def killed(**asked: Any) -> None:
        create(**asked)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(scheduling, "create_checkpoint", killed)
        with pytest.raises(KeyboardInterrupt):
            keep_due(now=NOW + HOUR)
    left = kept()

    assert left == []
    assert keep_due(now=NOW + HOUR) == 1
    assert len(kept()) == 1


def test_one_that_fails_holds_up_no_other(
    store: Store, api: Any, monkeypatch: Any
) -> None:
    other = Store(api(), "other")
    made(other.client.post("/v1/agents", {"name": "Other", "external_id": "other"}))
    failing = scheduled(store).agent_id
    scheduled(other)
    create = scheduling.create_checkpoint

    def broken(**asked: Any) -> Any:
        if asked["reference"] == failing:
            raise RuntimeError
        return create(**asked)

    with monkeypatch.context() as patch:
        patch.setattr(scheduling, "create_checkpoint", broken)
        first = keep_due(now=NOW + HOUR)

    assert first == 1
    assert keep_due(now=NOW + HOUR) == 1
    assert Checkpoint.objects.values("session_id").distinct().count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_workers_make_one(store: Store) -> None:
    scheduled(store)

    def work() -> None:
        try:
            keep_due(now=NOW + HOUR)
        finally:
            connection.close()

    workers = [Thread(target=work) for _ in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()

    assert len(kept()) == 1


def test_policies_say_how_many_are_kept(store: Store) -> None:
    made(store.policies(checkpoint_keep_last=2))
    scheduled(store)

    for n in range(1, 5):
        keep_due(now=NOW + n * HOUR)

    assert Checkpoint.objects.filter(hidden_at=None).count() == 2


def test_a_deleted_agent_has_none_made(store: Store) -> None:
    scheduled(store)
    Agent.objects.update(status="deleted", deleted_at=NOW)

    assert keep_due(now=NOW + HOUR) == 0
    assert Schedule.objects.get().due_at > NOW + HOUR


def test_it_is_set_read_and_ended_over_rest(store: Store) -> None:
    at = f"{store.checkpoints}/schedule"

    none = made(store.client.get(at))
    daily = made(store.client.put(at, {"schedule": "daily"}))
    same = made(store.client.put(at, {"schedule": "daily"}))
    ended = made(store.client.put(at, {"schedule": None}))

    assert (none["schedule"], none["next_at"]) == (None, None)
    assert daily["schedule"] == "daily"
    assert daily["next_at"].endswith("T00:00:00.000000Z")
    assert same == daily
    assert ended == none
    changed = AuditRecord.objects.filter(action="agent.updated").order_by("number")
    said = [one.details["checkpoint_schedule"] for one in changed]
    assert said == ["daily", None]


@pytest.mark.parametrize(
    "text",
    [
        *("", "often", "* * * *", "* * * * * *", "@hourly", "0 R * * *", "H * * * *"),
        *("61 * * * *", "0 0 31 2 *", "*/5 * * * *", "0,5 * * * *", "0 " * 60, "é"),
    ],
)
def test_what_is_no_schedule_is_refused(store: Store, text: str) -> None:
    with pytest.raises(InvalidRequest):
        moments.require_schedule(text, now=NOW)
    answer = store.client.put(f"{store.checkpoints}/schedule", {"schedule": text})
    assert (answer.status, answer.param) == (400, "schedule")


@pytest.mark.parametrize(
    ("schedule", "following"),
    [
        ("hourly", "2026-11-20 08:00"),
        ("daily", "2026-11-21 00:00"),
        ("0 6 * * mon-fri", "2026-11-23 06:00"),
        ("*/15 * * * *", "2026-11-20 07:45"),
    ],
)
def test_the_next_moment_follows(schedule: str, following: str) -> None:
    moments.require_schedule(schedule, now=NOW)

    assert f"{moments.next_after(schedule, NOW):%Y-%m-%d %H:%M}" == following


def test_missed_moments_are_counted_up_to_a_bound() -> None:
    due = moments.due_since("hourly", NOW.replace(minute=0), NOW + 5_000 * HOUR)

    assert due.missed == moments.MOST_COUNTED + 1
    assert due.has_more_missed
