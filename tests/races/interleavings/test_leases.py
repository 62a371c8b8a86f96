"""Every order of taking, renewing and giving back a lease against a write under it.

Whatever the order: one holds it, a fence is handed out once, and what is written with a
fence is in the history before the next one is handed out, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.timeline import operations as timeline
from apps.timeline.ledger.documents.shared import SharedName, begin
from apps.timeline.models import Lease, Version
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.pairs import AGENT, PERSON, Pairs, Verb
from tests.races.interleavings.stage import Played, Stage, stop_writers

pytestmark = pytest.mark.django_db


def name_of(session_id: str) -> SharedName:
    """Return the document that goes with the session that was made for an order."""
    return SharedName(f"public/{session_id}")


def make(act: Act, session_id: str) -> str:
    begin(act, name_of(session_id))
    return "made"


def take(holder: str) -> Verb:
    def taken(act: Act, session_id: str) -> str:
        lease = timeline.take_lease(
            act=act, name=name_of(session_id), holder=holder, seconds=60
        )
        return f"fence {lease.fence}"

    return taken


def lapse(act: Act, session_id: str) -> str:
    """Have the time of the lease be over."""
    own_id = name_of(session_id).id_in(act.scope)
    Lease.objects.filter(session_id=own_id).update(until=Now() - timedelta(hours=1))
    return "lapsed"


def write(fence: int | None) -> Verb:
    def written(act: Act, session_id: str) -> str:
        timeline.write_shared(
            act=act,
            name=name_of(session_id),
            write=lambda own, own_id: timeline.update(
                act=own,
                session_id=own_id,
                patch={"fence": fence},
                step=timeline.Step(),
                expected=timeline.Expected(fence=fence),
            ),
        )
        return "written"

    return written


def renew(act: Act, session_id: str) -> str:
    timeline.keep_lease(act=act, name=name_of(session_id), fence=1, seconds=60)
    return "kept"


def release(act: Act, session_id: str) -> str:
    timeline.release_lease(act=act, name=name_of(session_id), fence=1)
    return "released"


class Leases(Pairs):
    """Plays all orders of two acts on one shared document."""

    def orders(
        self, first: Verb, second: Verb, *, before: Any = ()
    ) -> Iterator[tuple[Played, SharedName]]:
        done = [(verb, AGENT) for verb in (make, *before)]
        for played, session_id in self.played(
            (first, AGENT), (second, PERSON), before=done
        ):
            yield played, name_of(session_id)

    def versions(self, name: SharedName) -> int:
        mine = Version.objects.filter(session_id=self.id(name), number__gt=0)
        return self.stage.aside(mine.count)

    def fence(self, name: SharedName) -> int:
        mine = Lease.objects.filter(session_id=self.id(name))
        return self.stage.aside(lambda: mine.get().fence)

    def id(self, name: SharedName) -> str:
        return name.id_in(Scope(self.project))


@pytest.fixture
def leases(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Leases:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    return Leases(stage, doors.project)


def test_of_two_that_take_one_holds(leases: Leases) -> None:
    for played, name in leases.orders(take("A"), take("B")):
        assert sorted(played.told.values()) == ["fence 1", "leased"], str(played)
        assert leases.fence(name) == 1


def test_a_late_write_lands_before_the_next_holder_or_not_at_all(
    leases: Leases,
) -> None:
    said = set()

    for played, name in leases.orders(write(1), take("B"), before=[take("A"), lapse]):
        told = played.told["A"]
        said.add(told)
        assert played.told["B"] == "fence 2", str(played)
        assert told in ("written", "fence_stale"), str(played)
        assert leases.versions(name) == (told == "written")
        if played.came_first("B", "A"):
            assert told == "fence_stale", str(played)
        if played.came_first("A", "B"):
            assert told == "written", str(played)
    assert said == {"written", "fence_stale"}


def test_a_write_without_a_fence_is_before_the_lease_or_refused(
    leases: Leases,
) -> None:
    said = set()

    for played, name in leases.orders(write(None), take("B")):
        said.add(played.told["A"])
        assert played.told["B"] == "fence 1", str(played)
        assert leases.versions(name) == (played.told["A"] == "written")
        if played.came_first("B", "A"):
            assert played.told["A"] == "leased", str(played)
    assert said == {"written", "leased"}


def test_what_is_renewed_is_not_taken(leases: Leases) -> None:
    for played, name in leases.orders(renew, take("B"), before=[take("A")]):
        assert played.told == {"A": "kept", "B": "leased"}, str(played)
        assert leases.fence(name) == 1


def test_what_is_given_back_is_taken_by_the_next_with_a_greater_fence(
    leases: Leases,
) -> None:
    said = set()

    for played, name in leases.orders(release, take("B"), before=[take("A")]):
        said.add(played.told["B"])
        assert played.told["A"] == "released", str(played)
        if played.came_first("A", "B"):
            assert played.told["B"] == "fence 2", str(played)
        assert leases.fence(name) == (2 if played.told["B"] == "fence 2" else 1)
    assert said == {"fence 2", "leased"}
