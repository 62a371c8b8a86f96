"""A thousand sessions of recorded runs go through three schemas, whoever is killed.

The states are made of the runs that STEPBACK_RUNS names, or of one made by hand. What
the migrations make is compared with a program that was written for it.
"""

from __future__ import annotations

import os
import random
import signal
import time
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.access import actor_of
from apps.accounts.models import Project, Role
from apps.core.actors import Actor
from apps.plans import operations as plans
from apps.plans import running
from apps.plans.models import Item, Plan
from apps.plans.operations import Picked
from apps.schemas import operations as schemas
from apps.schemas.operations import NewMigration, NewSchema
from apps.timeline import operations as timeline
from apps.timeline.models import Version
from apps.timeline.operations import About, Step
from apps.timeline.versions import head_of, parsed_state
from tests import proof
from tests.accounts.make import make_member
from tests.acts import act_in

pytestmark = pytest.mark.django_db(transaction=True)
RECORDED = os.environ.get("STEPBACK_RUNS")
STATES = 500 if RECORDED else 60
# Of so many one is of a shape that the second migration does not know.
BROKEN = 50
KILLS = 12
TO_SECOND = [
    {"op": "rename", "at": "/transcript", "to": "messages"},
    {
        "op": "each",
        "at": "/messages",
        "steps": [
            {"op": "rename", "at": "/content", "to": "text"},
            {"op": "default", "at": "/seen", "value": {"by": []}},
        ],
    },
    {"op": "convert", "at": "/task", "to": "string"},
]
TO_THIRD = [
    {"op": "move", "at": "/reward", "to": "/outcome/reward"},
    {
        "op": "map",
        "at": "/outcome/reward",
        "values": [{"from": 0, "to": "failed"}, {"from": 1, "to": "fine"}],
    },
    {"op": "remove", "at": "/model"},
]
SHAPES: dict[str, Any] = {
    "1": {"type": "object"},
    "2": {"required": ["messages"], "properties": {"task": {"type": "string"}}},
    "3": {"required": ["messages", "outcome"], "not": {"required": ["model"]}},
}


@cache
def runs() -> list[Any]:
    if not RECORDED:
        said = [{"role": "user", "content": f"Ärger {n}"} for n in range(9)]
        return [{"task_id": 1, "reward": 0.0, "model": "gpt-4o", "messages": said}]
    return [orjson.loads(line) for line in Path(RECORDED).read_bytes().splitlines()]


def first(index: int) -> dict[str, Any]:
    """Return a state of the first schema: a run up to one of its messages."""
    run = runs()[index % len(runs())]
    upto = 1 + index // len(runs()) * 2
    said = [
        {"role": one["role"], "content": str(one.get("content") or "")[:200]}
        for one in run["messages"][:upto]
    ]
    reward = 0.5 if index % BROKEN == BROKEN - 1 else run["reward"]
    return {
        "task": run["task_id"],
        "reward": reward,
        "model": run["model"],
        "transcript": said,
    }


def third(state: dict[str, Any]) -> dict[str, Any]:
    """Migrate a state as a program would that is written for it."""
    return {
        "task": str(state["task"]),
        "messages": [
            {"role": one["role"], "text": one["content"], "seen": {"by": []}}
            for one in state["transcript"]
        ],
        "outcome": {"reward": "fine" if state["reward"] == 1 else "failed"},
    }


def begin(project: Project, actor: Actor, index: int) -> str:
    return timeline.create(
        act=act_in(project, actor),
        agent="airline",
        state=first(index),
        about=About(),
        step=Step(schema_version="1"),
    ).session_id


def declare(project: Project, actor: Actor) -> None:
    act = act_in(project, actor)
    for version, shape in SHAPES.items():
        said = NewSchema(version=version, schema=shape, strict=True)
        schemas.declare_schema(act=act, reference="airline", said=said)
    for before, after, steps in (("1", "2", TO_SECOND), ("2", "3", TO_THIRD)):
        way = NewMigration(from_version=before, to_version=after, steps=steps)
        schemas.declare_migration(act=act, reference="airline", said=way)


def state_of(project: Project, session_id: str) -> Any:
    scope = act_in(project).scope
    return parsed_state(head_of(scope, session_id, now=timezone.now()))


def planned(project: Project, actor: Actor, ids: list[str], to: str) -> Plan:
    plan = plans.make(
        act=act_in(project, actor),
        kind="migrate",
        picked=Picked(session_ids=ids),
        params={"to_schema": to},
    )
    return plans.confirm(act=act_in(project, actor), plan_id=plan.id)


def found(plan: Plan) -> dict[str, str]:
    items = Item.objects.of_plan(plan.id)
    return dict(items.values_list("session_id", "state"))


def sweep_in_a_process_that_is_killed(seconds: float) -> bool:
    """Return whether it was killed at work."""
    child = os.fork()
    if child == 0:
        # The parent's connection is the parent's; psycopg leaves it to that.
        connection.connection = None
        running.sweep(now=timezone.now())
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.fixture
def ada(project: Project) -> Actor:
    return actor_of(make_member(project, "ada", Role.ADMIN))


def test_lazily_and_in_bulk_all_become_what_a_program_makes_of_them(
    project: Project, ada: Actor
) -> None:
    lazy = [begin(project, ada, index) for index in range(STATES)]
    bulk = [begin(project, ada, index) for index in range(STATES)]
    declare(project, ada)
    broken = set(range(BROKEN - 1, STATES, BROKEN))

    for to in ("2", "3"):
        for index, session_id in enumerate(lazy):
            if to == "2" or index not in broken:
                act = act_in(project, ada)
                timeline.migrate(act=act, session_id=session_id, to=to, step=Step())
        plan = planned(project, ada, bulk, to)
        dry = found(plan)
        killed = to == "2" and sum(
            sweep_in_a_process_that_is_killed(random.Random(n).uniform(0.05, 0.3))
            for n in range(KILLS)
        )
        assert to == "3" or killed, "No sweep was killed at work."
        while not Plan.objects.get(id=plan.id).is_finished:
            running.sweep(now=timezone.now())
        done = found(plan)
        assert dry.keys() == done.keys()
        assert {id for id, state in dry.items() if state == "planned"} == {
            id for id, state in done.items() if state == "done"
        }
        assert set(done.values()) <= {"done", "left_out"}

    for index, (one, other) in enumerate(zip(lazy, bulk, strict=True)):
        states = state_of(project, one), state_of(project, other)
        if index in broken:
            assert states[0] == states[1]
            assert "transcript" not in states[0]
        else:
            assert states == (third(first(index)), third(first(index)))
    assert Version.objects.filter(op="migrate").count() == 2 * (
        2 * STATES - len(broken)
    )
    connection.ensure_connection()
    for session_id in (*lazy[:5], *bulk[:5], bulk[BROKEN - 1]):
        proof.assert_proven(connection.connection, session_id)


def test_steps_back_across_the_boundary_are_migrated_or_not_done(
    project: Project, ada: Actor
) -> None:
    ids = [begin(project, ada, index) for index in range(40)]
    declare(project, ada)
    for session_id in ids:
        for to in ("2", "3"):
            act = act_in(project, ada)
            timeline.migrate(act=act, session_id=session_id, to=to, step=Step())
        act = act_in(project, ada)
        timeline.rollback(
            act=act, session_id=session_id, to=0, step=Step(), migrate_to="3"
        )

    for index, session_id in enumerate(ids):
        assert state_of(project, session_id) == third(first(index))
        ops = Version.objects.filter(session_id=session_id).order_by("number")
        assert [*ops.values_list("op", "schema_version")][3:] == [
            ("rollback", "1"),
            ("migrate", "3"),
        ]
