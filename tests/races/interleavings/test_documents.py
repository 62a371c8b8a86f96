"""Every order of emptying old values of a document against who uses it.

What comes of an order is what comes of one of the two acts done after the other. So
what was brought back or is pointed to by a checkpoint stays or was refused, a legal
hold that was answered holds, and the rest verifies.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.operations import create as create_agent
from apps.audit.streams import Operation
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.roles.names import Role
from apps.data import operations as data
from apps.data.documents.values import NewValue
from apps.data.models import Checkpoint
from apps.data.operations.checkpoints import NewCheckpoint
from apps.retention import operations as retention
from apps.retention.words import HoldKind
from apps.timeline.models import Body, Entry, Tombstone, Version
from apps.timeline.operations import (
    Document,
    Gone,
    Restoration,
    Told,
    empty_entries,
    prune_entries,
    restore_document,
)
from apps.timeline.verification import findings
from tests.acting import acting_as
from tests.acts import act_in
from tests.races.interleavings import stage as stages
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.pairs import AGENT, PERSON, Pairs, Verb
from tests.races.interleavings.stage import Played, Stage, stop_writers

pytestmark = pytest.mark.django_db

# Of four versions: three of one key, then one of another.
LAST = 3
SET_ASIDE = 2
STEPS = (
    ("look at what is seen", re.compile(r"WITH restored AS MATERIALIZED")),
    ("look at what is needed", re.compile(r"v\.op IN \('set', 'remove'")),
    ("take", re.compile(r"timeline_(empty|prune)_v\d")),
    ("write", re.compile(r"timeline_keyed_(write|restore|remove)(_one)?_v\d")),
    ("look at what came back", re.compile(r"v\.salt = ''\s+WHERE e\.session_id")),
    ("hide", re.compile(r'UPDATE "data_checkpoint"')),
    ("read", re.compile(r"FROM timeline_entry e\s+JOIN timeline_version v")),
)
_serial = count()


def own(act: Act) -> Act:
    """Return the act as one that nobody sent before."""
    digest = b"%d" % next(_serial)
    return replace(act, request=replace(act.request, digest=digest))


def document(act: Act, name: str) -> Document:
    agent = Agent.objects.of_project(act.project_id).named(name).get()
    return Document.of_agent(act.project, agent.id)


# -- what removes


def empty(act: Act, name: str) -> str:
    return taken(empty_entries, act, name)


def prune(act: Act, name: str) -> str:
    return taken(prune_entries, act, name)


def taken(take: Callable[..., Gone], act: Act, name: str) -> str:
    own_id = document(act, name).id
    with acting_as(Role.RETENTION):
        gone = take(
            document_id=own_id,
            first=0,
            last=LAST,
            shown_from=LAST,
            removal_id=new_id("rem", now=timezone.now()),
            reason="policy",
        )
    return f"{gone.outcome} {gone.versions}"


# -- who comes in between


def write(act: Act, name: str) -> str:
    data.write_batch(act=own(act), reference=name, items=[NewValue(key="a", value="4")])
    return "written"


def point(act: Act, name: str) -> str:
    made = data.create_checkpoint(act=own(act), reference=name, said=NewCheckpoint())
    return f"pointed to v{made.checkpoint.number}"


def unpoint(act: Act, name: str) -> str:
    (one,) = Checkpoint.objects.of(document(act, name).id)
    data.delete_checkpoint(act=own(act), reference=name, checkpoint_id=one.id)
    return "deleted"


def restore(act: Act, name: str) -> str:
    (one,) = Checkpoint.objects.of(document(act, name).id)
    wanted = data.RestoreWanted()
    told = data.restore_checkpoint(
        act=own(act), reference=name, checkpoint_id=one.id, wanted=wanted
    )
    return f"restored {told.in_place}"


def bring_back(act: Act, name: str) -> str:
    """Restore a version that no checkpoint points to."""
    told = Told(
        operation=Operation.CHECKPOINT_RESTORE,
        resource_type="checkpoint",
        resource_id="",
    )
    restore_document(
        act=own(act),
        document=document(act, name),
        wanted=Restoration(target=SET_ASIDE, config=False, data=True),
        told=told,
    )
    return "brought back"


def hold(act: Act, name: str) -> str:
    said = {"kind": HoldKind.AGENT, "value": name, "reason": "A court asked."}
    retention.set_legal_hold(act=act, **said)
    return "held"


def read(act: Act, name: str) -> str:
    found = data.read_value(act=act, reference=name, key="a", at=SET_ASIDE)
    return f"read {found.value.value}"


class Emptyings(Pairs):
    """Plays all orders of emptying and another act on a document of four versions.

    With `pointed`, a checkpoint points to this version.
    """

    pointed = 1

    def session(self) -> str:
        """Return the name of an agent with such a document."""
        name = f"agent-{next(_serial)}"
        act = act_in(self.project, PERSON)
        create_agent(act=act, external_id=name, fields={})
        for number, (key, value) in enumerate(("a1", "a2", "a3", "b1"), 1):
            items = [NewValue(key=key, value=value)]
            data.write_batch(act=own(act), reference=name, items=items)
            if number == self.pointed:
                point(act, name)
        return name

    def one_by_one(self, *acts: tuple[str, Verb, Actor]) -> Any:
        """Return what comes of the acts, each done before the next begins."""
        name = self.stage.aside(lambda: self.begun(()))
        told = {
            who: self.stage.aside(self._said(verb, actor, name))
            for who, verb, actor in acts
        }
        return self.stage.aside(lambda: self.became(told, name))

    def became(self, told: dict[str, Any], name: str) -> Any:
        """Return what two acts were told and left, without ids and times."""
        mine = {"session_id": document(act_in(self.project), name).id}
        versions = Version.objects.filter(**mine).order_by("number")
        bodies = Body.objects.filter(**mine).order_by("number")
        entries = Entry.objects.filter(**mine).order_by("number", "key")
        return (
            sorted(told.items()),
            [(v.number, v.op, v.restored_number, not v.salt) for v in versions],
            [(body.number, len(body.data) > 0) for body in bodies],
            list(entries.values_list("number", "key", "body_number", "cause")),
            [
                (stone.kind, stone.first_number, stone.last_number)
                for stone in Tombstone.objects.of_session(mine["session_id"])
            ],
            sorted(one.number for one in Checkpoint.objects.of(mine["session_id"])),
        )

    def wrong_with(self, name: str) -> list[str]:
        found = findings(document(act_in(self.project), name).id)
        return [str(one) for one in found]


@pytest.fixture
def emptyings(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Emptyings:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    monkeypatch.setattr(stages, "STEPS", (*stages.STEPS, *STEPS))
    return Emptyings(stage, doors.project)


def judge(
    emptyings: Emptyings, other: Verb, actor: Actor, take: Verb = empty
) -> tuple[int, set[str]]:
    """Hold every order to what the two come to one by one.

    Return how many there were, and what the other was told.
    """
    acts = (("A", take, AGENT), ("B", other, actor))
    first = emptyings.one_by_one(*acts)
    last = emptyings.one_by_one(*reversed(acts))
    aside: Callable[..., Any] = emptyings.stage.aside
    told, n = set(), 0
    for played, name in emptyings.played((take, AGENT), (other, actor)):
        n += 1
        told.add(played.told["B"])
        found = aside(partial(emptyings.became, played.told, name))
        possible = _possible(played, first, last)
        assert found in possible, f"\n{played}\nbecame\n {found}\nnot\n {possible}"
        assert aside(partial(emptyings.wrong_with, name)) == [], str(played)
    return n, told


def _possible(played: Played, first: Any, last: Any) -> list[Any]:
    if played.came_first("A", "B"):
        return [first]
    return [last] if played.came_first("B", "A") else [first, last]


@pytest.mark.parametrize("other", [write, point, restore], ids=lambda one: one.__name__)
def test_who_writes_points_or_restores_has_all_that_was_to_be_seen(
    emptyings: Emptyings, other: Verb
) -> None:
    orders, told = judge(emptyings, other, PERSON)
    assert orders >= 4
    assert told <= {"written", "pointed to v4", "restored 1"}


def test_a_value_is_brought_back_before_it_goes_or_not_at_all(
    emptyings: Emptyings,
) -> None:
    orders, told = judge(emptyings, bring_back, PERSON)
    assert orders >= 4
    assert told == {"brought back", "contents_erased"}


def test_a_checkpoint_that_is_deleted_keeps_its_value_until_then(
    emptyings: Emptyings,
) -> None:
    emptyings.pointed = SET_ASIDE
    assert judge(emptyings, unpoint, PERSON)[0] >= 4


def test_a_legal_hold_that_was_answered_holds(emptyings: Emptyings) -> None:
    assert judge(emptyings, hold, PERSON)[0] >= 4


def test_who_reads_has_what_was_there_or_is_told_that_it_went(
    emptyings: Emptyings,
) -> None:
    _, told = judge(emptyings, read, AGENT)
    assert told == {"read 2", "contents_erased"}


def test_of_two_that_empty_one_takes_it(emptyings: Emptyings) -> None:
    assert judge(emptyings, empty, AGENT)[0] >= 4


@pytest.mark.parametrize("other", [write, point, restore], ids=lambda one: one.__name__)
def test_what_is_pruned_is_what_nobody_has_to_see(
    emptyings: Emptyings, other: Verb
) -> None:
    orders, told = judge(emptyings, other, PERSON, prune)
    assert orders >= 4
    assert told <= {"written", "pointed to v4", "restored 1"}


def test_what_stood_is_brought_back_before_it_is_pruned_or_not_at_all(
    emptyings: Emptyings,
) -> None:
    orders, told = judge(emptyings, bring_back, PERSON, prune)
    assert orders >= 4
    assert told == {"brought back", "version_pruned"}


def test_a_checkpoint_that_is_deleted_keeps_its_versions_until_then(
    emptyings: Emptyings,
) -> None:
    emptyings.pointed = SET_ASIDE
    assert judge(emptyings, unpoint, PERSON, prune)[0] >= 4


def test_a_restore_by_steps_keeps_what_it_brings_back(emptyings: Emptyings) -> None:
    emptyings.pointed = SET_ASIDE

    def start(act: Act, name: str) -> str:
        """Begin a restore of the checkpoint, which goes by steps."""
        (one,) = Checkpoint.objects.of(document(act, name).id)
        wanted = data.RestoreWanted()
        data.start_restore(
            act=own(act), reference=name, checkpoint_id=one.id, wanted=wanted
        )
        return "begun"

    _, told = judge(emptyings, start, PERSON, prune)
    assert told == {"begun"}


def test_a_legal_hold_that_was_answered_keeps_versions(emptyings: Emptyings) -> None:
    assert judge(emptyings, hold, PERSON, prune)[0] >= 4


def test_who_reads_a_version_has_what_stood_or_is_told_that_it_went(
    emptyings: Emptyings,
) -> None:
    _, told = judge(emptyings, read, AGENT, prune)
    assert told == {"read 2", "version_pruned"}


@pytest.mark.parametrize("other", [prune, empty], ids=lambda one: one.__name__)
def test_of_two_that_prune_one_takes_it(emptyings: Emptyings, other: Verb) -> None:
    assert judge(emptyings, other, AGENT, prune)[0] >= 4
