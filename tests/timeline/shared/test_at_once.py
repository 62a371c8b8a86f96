"""Fifty holders fight for one lease, their clocks set back: no late write lands."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core import json
from apps.core.errors import DomainError
from apps.core.ids import new_id
from apps.timeline import operations as timeline
from apps.timeline.errors import FenceStale, Leased
from apps.timeline.ledger.documents.shared import SharedName
from apps.timeline.models import Lease, Version
from apps.timeline.operations import Expected, Step
from apps.timeline.verification import findings
from apps.timeline.versions import fetching
from tests.acts import act_in

pytestmark = pytest.mark.django_db(transaction=True)
HOLDERS = 50
AT_ONCE = 8
ROUNDS = 2
TRIES = 200
NAME = SharedName("public/plan")


@dataclass
class Fight:
    """What each holder was handed out, and what became of its writes."""

    project: Project
    lock: threading.Lock = field(default_factory=threading.Lock)
    # In the order in which they were handed out, by the database's row lock.
    fences: list[int] = field(default_factory=list)
    refused: int = 0

    def act(self, chance: random.Random) -> Act:
        """Act by a clock that is hours behind, or ahead: whoever looks at it loses."""
        off = timedelta(seconds=chance.randrange(-7200, 7200))
        now = timezone.now() + off
        return act_in(self.project, now=now, id=new_id("req", now=now))

    def hold(self, name: str) -> None:
        chance = random.Random(name)
        for _ in range(ROUNDS):
            lease = self.waited_for(name, chance)
            if lease is None:
                continue
            is_late = chance.random() < 0.4
            if is_late:
                self.overtaken(chance, lease.session_id)
            self.write(chance, name, lease.fence)
            if is_late or chance.random() < 0.2:
                self.lapse(lease.session_id)
            else:
                self.given_back(chance, lease.fence)

    def waited_for(self, name: str, chance: random.Random) -> Any:
        for _ in range(TRIES):
            lease = self.taken(name, chance)
            if lease is not None:
                return lease
            time.sleep(chance.random() / 50)
        return None

    def taken(self, name: str, chance: random.Random) -> Any:
        try:
            lease = timeline.take_lease(
                act=self.act(chance), name=NAME, holder=name, seconds=60
            )
        except Leased:
            return None
        with self.lock:
            self.fences.append(lease.fence)
        return lease

    def overtaken(self, chance: random.Random, session_id: str) -> None:
        """Have the time be over, as after a long pause, and another take it."""
        self.lapse(session_id)
        self.taken(f"other {chance.random()}", chance)

    def lapse(self, session_id: str) -> None:
        past = timezone.now() - timedelta(days=1)
        Lease.objects.filter(session_id=session_id).update(until=past)

    def write(self, chance: random.Random, name: str, fence: int) -> None:
        act = self.act(chance)
        try:
            timeline.write_shared(
                act=act,
                name=NAME,
                write=lambda own, session_id: timeline.update(
                    act=own,
                    session_id=session_id,
                    patch={"by": name, "fence": fence},
                    step=Step(),
                    expected=Expected(fence=fence),
                ),
            )
        except FenceStale:
            with self.lock:
                self.refused += 1

    def given_back(self, chance: random.Random, fence: int) -> None:
        try:
            timeline.release_lease(act=self.act(chance), name=NAME, fence=fence)
        except FenceStale:
            return


def test_fences_only_grow_and_no_late_write_lands(project: Project) -> None:
    fight = Fight(project)

    def work(name: str) -> None:
        try:
            fight.hold(name)
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(work, [f"holder {one}" for one in range(HOLDERS)]))

    session_id = NAME.id_in(Scope(project))
    assert max(fight.fences) > 20
    assert fight.refused > 0
    # Each fence was handed out to one holder, and none left out.
    assert set(fight.fences) == set(range(1, max(fight.fences) + 1))
    newest = Lease.objects.get(session_id=session_id).fence
    assert newest == max(fight.fences)
    written = fences_of(session_id)
    assert written == sorted(written)
    assert list(findings(session_id)) == []


def fences_of(session_id: str) -> list[int]:
    """Return under which fences the versions were written, in their order."""
    rows = fetching.versions_of(session_id, newest_first=False, after=0, limit=10_000)
    states = fetching.states(rows)
    return [
        json.parse(states[session_id, row.number])["fence"]
        for row in rows
        if row.number > 0
    ]


def test_two_who_begin_a_document_at_once_write_both(project: Project) -> None:
    barrier = threading.Barrier(AT_ONCE)
    fight = Fight(project)

    def work(at: int) -> int | DomainError:
        act = fight.act(random.Random(at))
        barrier.wait(30)
        try:
            receipt = timeline.write_shared(
                act=act,
                name=NAME,
                write=lambda own, session_id: timeline.update(
                    act=own, session_id=session_id, patch={f"k{at}": at}, step=Step()
                ),
            )
            return receipt.number
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        numbers = list(threads.map(work, range(AT_ONCE)))

    assert sorted(numbers) == list(range(1, AT_ONCE + 1))
    session_id = NAME.id_in(Scope(project))
    assert Version.objects.filter(session_id=session_id).count() == AT_ONCE + 1
