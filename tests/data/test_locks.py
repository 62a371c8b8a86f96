"""Who holds what while it acts: one waits where it must, and passes by where it may."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.access import actor_of
from apps.accounts.models import Project, Role
from apps.agents.models import Agent, AgentStatus
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role as DatabaseRole
from apps.data import operations as data
from apps.data.models import Checkpoint, LongRestore
from apps.data.operations import RestoreWanted, checkpoints
from apps.data.operations.keeping import (
    long_restores,
    releases,
    scheduling,
    stepping,
)
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.acts import act_in
from tests.conftest import Answer
from tests.data.conftest import AGENT, Store, made
from tests.data.test_long_restores import derailed
from tests.data.test_releases import age_all, run_with

pytestmark = pytest.mark.django_db(transaction=True)

# How long somebody is held who is not let go: whoever should have passed by waited.
SECONDS = 4
Sweep = Callable[[], int]


class Held:
    """The first call of a function waits in it, until somebody lets it go."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._calls = iter(range(1_000))
        self._reached, self._free = threading.Event(), threading.Event()
        self.was_let_go: bool | None = None

    def __call__(self, *given: Any, **more: Any) -> Any:
        if next(self._calls) == 0:
            self._reached.set()
            self.was_let_go = self._free.wait(SECONDS)
        return self._call(*given, **more)

    def wait_for_it(self) -> None:
        assert self._reached.wait(30)

    def let_go(self) -> None:
        self._free.set()


def in_thread(act: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    outcomes: list[Any] = []

    def run() -> None:
        try:
            outcomes.append(act())
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcomes


def as_worker(sweep: Sweep) -> Sweep:
    def swept() -> int:
        with acting_as(DatabaseRole.WORKER):
            return sweep()

    return swept


def due_on_a_schedule(store: Store) -> Sweep:
    agent = Agent.objects.get(external_id=AGENT)
    act = act_in(agent.project)
    data.set_schedule(act=act, reference=agent.id, schedule="hourly")
    due = timezone.now() + timedelta(hours=1)
    return lambda: scheduling.keep_due(actor=SYSTEM, now=due)


def due_before_a_release(store: Store) -> Sweep:
    made(store.write("a"))
    for name in ("1", "2"):
        run_with(store, name)
        with acting_as(DatabaseRole.WORKER):
            if name == "1":
                releases.keep_before_releases(actor=SYSTEM, now=timezone.now())
        age_all(timedelta(hours=1) if name == "1" else timedelta())
    return lambda: releases.keep_before_releases(actor=SYSTEM, now=timezone.now())


def due_step_by_step(store: Store) -> Sweep:
    project = Project.objects.get()
    olga = make_member(project, "olga", Role.OPERATOR)
    checkpoint = derailed(store)
    data.start_restore(
        act=act_in(project, actor_of(olga)),
        reference=AGENT,
        checkpoint_id=checkpoint["id"],
        wanted=RestoreWanted(),
    )
    return lambda: long_restores.restore_running(now=timezone.now())


@pytest.mark.parametrize(
    ("due", "module", "what"),
    [
        (due_on_a_schedule, scheduling, "create_checkpoint"),
        (due_before_a_release, releases, "create_checkpoint"),
        (due_step_by_step, stepping, "restore_document"),
    ],
)
def test_what_one_worker_has_in_hand_another_passes_by(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    due: Callable[[Store], Sweep],
    module: Any,
    what: str,
) -> None:
    sweep = as_worker(due(store))
    held = Held(getattr(module, what))
    monkeypatch.setattr(module, what, held)

    first, outcomes = in_thread(sweep)
    held.wait_for_it()
    passed_by = sweep()
    held.let_go()
    first.join()

    assert (passed_by, outcomes) == (0, [1])
    assert held.was_let_go
    if module is stepping:
        assert LongRestore.objects.get().steps == 1
    else:
        assert Checkpoint.objects.count() == 1


def test_a_checkpoint_waits_for_another_of_the_agent(
    store: Store, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store.write("a", "1"))
    one, other = Store(api(), AGENT), Store(api(), AGENT)
    held = Held(checkpoints._made_before)
    monkeypatch.setattr(checkpoints, "_made_before", held)

    first, firsts = in_thread(lambda: made(one.checkpoint("mine")))
    held.wait_for_it()
    second, seconds = in_thread(lambda: made(other.checkpoint("theirs")))
    second.join(SECONDS / 4)
    is_waiting = second.is_alive()
    held.let_go()
    first.join()
    second.join()

    assert is_waiting
    ordinals = dict(Checkpoint.objects.values_list("id", "ordinal"))
    assert ordinals == {firsts[0]["id"]: 1, seconds[0]["id"]: 2}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"status": AgentStatus.SUSPENDED}, "agent_suspended"),
        ({"status": "suspended", "deleted_at": timezone.now()}, "agent_deleted"),
    ],
)
def test_what_was_decided_while_a_checkpoint_waited_refuses_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, change: Any, code: str
) -> None:
    made(store.write("a", "1"))
    lock = checkpoints.lock_document

    def waited(**asked: Any) -> Any:
        Agent.objects.filter(external_id=AGENT).update(**change)
        return lock(**asked)

    monkeypatch.setattr(checkpoints, "lock_document", waited)
    answer: Answer = store.checkpoint("mine")

    assert (answer.status, answer.code) == (403, code)
    assert not Checkpoint.objects.exists()
