"""Every order of a removal against who writes to the session, beside it, or reads it.

What comes of an order is what comes of one of the two acts done after the other, on a
session like it. So what is labelled, noted, forked or restored stays or was refused, a
legal hold that was answered holds, nobody waits for ever, and the rest verifies.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.agents.acts import Act
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.words import HoldKind
from apps.timeline import operations as timeline
from apps.timeline import projection
from apps.timeline.bodies.archives import located
from apps.timeline.models import (
    Body,
    Change,
    Label,
    Note,
    Review,
    Session,
    Tombstone,
    Version,
)
from apps.timeline.operations import keeping
from apps.timeline.verification import findings
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import Step
from apps.timeline.words import ARCHIVED
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import project_all
from tests.races.interleavings import stage as stages
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.pairs import AGENT, HEAD, PERSON, Pairs, Verb
from tests.races.interleavings.stage import Played, Stage, stop_writers

pytestmark = pytest.mark.django_db

LAST = HEAD + 2
# What it holds is long enough to be stored as a difference from the version before.
LONG = "something to build on, " * 40
STEPS = (
    ("look at what stays", re.compile(r"'labelled' AS why")),
    ("take", re.compile(r"timeline_(prune|empty|remove)_v\d")),
    ("project", re.compile(r"timeline_(take_pending|project)_v\d")),
    ("read bodies", re.compile(r"WITH RECURSIVE needed")),
)


# -- what removes


def prune(act: Act, session_id: str) -> str:
    return _taken(keeping.prune_versions, session_id, first=0, last=HEAD + 1)


def empty(act: Act, session_id: str) -> str:
    return _taken(keeping.empty_versions, session_id, first=0, last=HEAD + 1)


def remove(act: Act, session_id: str) -> str:
    return _taken(keeping.remove_session, session_id)


def erase(act: Act, session_id: str) -> str:
    return _taken(keeping.remove_session, session_id, erasing=True)


def archive(act: Act, session_id: str) -> str:
    with acting_as(Role.RETENTION):
        gone = keeping.archive_versions(session_id=session_id, first=0, last=HEAD)
    # It looks and writes before it has the lock; what has changed by then it leaves.
    # A session that went after it was looked at has no bodies any more.
    is_held = gone.outcome is keeping.Went.HELD
    return "kept by law" if is_held else "archived what was left"


def _taken(call: Callable[..., keeping.Gone], session_id: str, **asked: Any) -> str:
    with acting_as(Role.RETENTION):
        gone = call(
            session_id=session_id,
            removal_id=new_id("rem", now=timezone.now()),
            reason="policy",
            **asked,
        )
    return f"{gone.outcome}, but {sorted(gone.pinned.items())}"


# -- who comes in between


def append(act: Act, session_id: str) -> str:
    timeline.update(act=act, session_id=session_id, patch={"n": 9}, step=Step())
    return "appended"


def turn(act: Act, session_id: str) -> str:
    said = timeline.Exchange(input={"content": "Hi"}, output={"content": "Hello"})
    timeline.add_turn(
        act=act,
        session_id=session_id,
        exchange=said,
        state_after={"n": 9},
        step=Step(),
    )
    return "said"


def rollback(act: Act, session_id: str) -> str:
    timeline.rollback(act=act, session_id=session_id, to=1, step=Step())
    return "rolled back"


def fork(act: Act, session_id: str) -> str:
    timeline.fork(
        act=act,
        origin=timeline.Origin(session_id=session_id, number=1),
        about=timeline.About(),
        step=Step(),
    )
    return "forked"


def label(act: Act, session_id: str) -> str:
    timeline.label(act=act, session_id=session_id, number=1, name="good")
    return "labelled"


def note(act: Act, session_id: str) -> str:
    timeline.add_note(act=act, session_id=session_id, number=1, text="Look at this.")
    return "noted"


def review(act: Act, session_id: str) -> str:
    timeline.review(act=act, session_id=session_id, outcome="fine")
    return "reviewed"


def hold(act: Act, session_id: str) -> str:
    retention.set_legal_hold(
        act=act, kind=HoldKind.SESSION, value=session_id, reason="A court asked."
    )
    return "held"


def read(act: Act, session_id: str) -> str:
    version = fetching.version(act.scope, session_id, 1, now=act.now)
    return f"read {reading.parsed(version)['n']}"


def compare(act: Act, session_id: str) -> str:
    """Read two versions that build on others."""
    pair = [fetching.version(act.scope, session_id, n, now=act.now) for n in (1, 3)]
    one, other = reading.parsed_pair(*pair)
    return f"compared {one['n']} and {len(other['text'])}"


def project(act: Act, session_id: str) -> str:
    with acting_as(Role.WORKER):
        projection.project_session(session_id, now=act.now)
    return "projected"


class Removals(Pairs):
    """Plays all orders of a removal and another act on a session with five versions."""

    is_projected = True

    def session(self) -> str:
        session_id = super().session()
        on = act_in(self.project, AGENT)
        timeline.update(
            act=on, session_id=session_id, patch={"text": LONG}, step=Step()
        )
        timeline.update(act=on, session_id=session_id, patch={"n": 4}, step=Step())
        if self.is_projected:
            project_all()
        return session_id

    def one_by_one(self, *acts: tuple[str, Verb, Actor]) -> Any:
        """Return what comes of the acts, each done before the next begins."""
        session_id = self.stage.aside(lambda: self.begun(()))
        told = {
            name: self.stage.aside(self._said(verb, actor, session_id))
            for name, verb, actor in acts
        }
        return self.stage.aside(lambda: became(told, session_id))


def became(told: dict[str, Any], session_id: str) -> Any:
    """Return what two acts were told and left, without ids and times."""
    mine = {"session_id": session_id}
    versions = Version.objects.filter(**mine).order_by("number")
    bodies = Body.objects.filter(**mine).order_by("number")
    forks = Session.objects.filter(origin_session_id=session_id)
    return (
        sorted(told.items()),
        [(v.number, v.op, v.restored_number, not v.salt) for v in versions],
        [(body.number, len(body.data) > 0) for body in bodies],
        [
            (stone.kind, stone.first_number, stone.last_number)
            for stone in Tombstone.objects.of_session(session_id)
        ],
        list(Label.objects.filter(**mine).values_list("number")),
        list(Note.objects.filter(**mine).values_list("number")),
        Review.objects.filter(**mine).count(),
        sorted(set(Change.objects.filter(**mine).values_list("number", flat=True))),
        [one.origin_number for one in forks],
    )


def wrong_with(session_id: str) -> list[str]:
    """Return what does not verify of a session and of its forks, where they are."""
    sessions = [session_id] if Session.objects.filter(id=session_id).exists() else []
    sessions += Session.objects.filter(origin_session_id=session_id).values_list(
        "id", flat=True
    )
    return [str(one) for session in sessions for one in findings(session)]


@pytest.fixture
def removals(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Removals:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    monkeypatch.setattr(stages, "STEPS", (*stages.STEPS, *STEPS))
    return Removals(stage, doors.project)


def judge(removals: Removals, removing: Verb, other: Verb, actor: Actor) -> int:
    """Hold every order to what the two come to one by one; return how many."""
    acts = (("A", removing, AGENT), ("B", other, actor))
    first = removals.one_by_one(*acts)
    last = removals.one_by_one(*reversed(acts))
    aside, count = removals.stage.aside, 0
    for played, session_id in removals.played((removing, AGENT), (other, actor)):
        count += 1
        found = aside(partial(became, played.told, session_id))
        assert found in _possible(played, first, last), _story(
            played, found, first, last
        )
        assert aside(partial(wrong_with, session_id)) == [], str(played)
    return count


def _possible(played: Played, first: Any, last: Any) -> list[Any]:
    if played.came_first("A", "B"):
        return [first]
    return [last] if played.came_first("B", "A") else [first, last]


def _story(played: Played, found: Any, first: Any, last: Any) -> str:
    return f"\n{played}\nbecame\n  {found}\nwhich is neither\n  {first}\nnor\n  {last}"


@pytest.fixture(autouse=True)
def objects(tmp_path: Path, settings: Any) -> Path:
    settings.OBJECTS = str(tmp_path / "objects")
    return tmp_path / "objects"


def each(name: str, verbs: list[Verb]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(name, verbs, ids=lambda one: one.__name__)


@each("other", [append, turn, rollback, fork])
@each("removing", [prune, empty, erase])
def test_a_removal_and_an_agent_who_writes(
    removals: Removals, removing: Verb, other: Verb
) -> None:
    # The removal locks, looks and takes; it holds the lock between these.
    assert judge(removals, removing, other, AGENT) >= 4


@each("other", [label, note, review, rollback, fork])
@each("removing", [prune, empty, remove, erase])
def test_a_removal_and_a_person_who_writes(
    removals: Removals, removing: Verb, other: Verb
) -> None:
    assert judge(removals, removing, other, PERSON) >= 4


@each("removing", [prune, empty, remove, erase])
def test_a_legal_hold_that_was_answered_holds(
    removals: Removals, removing: Verb
) -> None:
    assert judge(removals, removing, hold, PERSON) >= 4


@each("other", [read, compare])
@each("removing", [prune, empty, erase])
def test_who_reads_has_what_was_there_or_is_told_that_it_went(
    removals: Removals, removing: Verb, other: Verb
) -> None:
    assert judge(removals, removing, other, AGENT) >= 4


@each("removing", [prune, empty, remove, erase])
def test_what_waits_to_be_projected_is_projected_or_goes(
    removals: Removals, removing: Verb
) -> None:
    removals.is_projected = False
    assert judge(removals, removing, project, AGENT) >= 4


@each("removing", [empty, prune, erase])
def test_of_two_removals_each_takes_what_the_other_left(
    removals: Removals, removing: Verb
) -> None:
    assert judge(removals, removing, prune, AGENT) >= 4


@each(
    "other", [append, rollback, fork, label, hold, prune, empty, erase, read, compare]
)
def test_an_archive_and_who_writes_removes_or_reads(
    removals: Removals, objects: Path, other: Verb
) -> None:
    """Who archives reads and writes without the lock, and looks again under it."""
    actor = AGENT if other in (append, fork, prune, empty, erase, read) else PERSON
    assert judge(removals, archive, other, actor) >= 4
    for session in {one.parent.name for one in objects.rglob("arch_*")}:
        assert removals.stage.aside(partial(_named, session)) == {
            one.name for one in (objects / "archives" / session).iterdir()
        }


def _named(session_id: str) -> set[str]:
    """Return the archives that rows of a session name."""
    found = Body.objects.filter(session_id=session_id, codec__gt=ARCHIVED)
    return {
        located(bytes(data)).object_name(session_id).rpartition("/")[2]
        for data in found.values_list("data", flat=True)
    }
