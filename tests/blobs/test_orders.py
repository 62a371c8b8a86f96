"""Whatever the order of upload, append, prune and collection, nothing named is lost."""

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from typing import Any

import pytest
from django.utils import timezone

from apps.blobs.models import Blob
from apps.blobs.operations import collecting
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.timeline.ledger import naming
from apps.timeline.models import Session
from tests.acting import acting_as
from tests.blobs.conftest import file, put, sha256, upload
from tests.conftest import Answer
from tests.timeline.keeping import taking
from tests.timeline.runs import Begin, Clients, Run

pytestmark = pytest.mark.django_db

Step = Callable[[], object]
# Between which acts of the agent the others come: before it asks what is missing;
# before it appends; after the lease, before the uses are there; at the end.
SLOTS = 4


def orders() -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Yield each order of the others, and at which slot each of them comes."""
    for order in (
        ("condemn", "take", "prune"),
        ("condemn", "prune", "take"),
        ("prune", "condemn", "take"),
    ):
        for slots in combinations_with_replacement(range(SLOTS), 3):
            yield order, slots


def condemn() -> None:
    with acting_as(Role.WORKER):
        collecting.condemn(timezone.now())


def take() -> None:
    with acting_as(Role.WORKER):
        for blob in Blob.objects.condemned():
            collecting.take(blob)


def prune(run: Run) -> None:
    taking.prune(run, 1, 1)


class Agent:
    """Names bytes that an older version of its session has named, as clients do."""

    def __init__(self, run: Run, data: bytes) -> None:
        self.run, self.data = run, data
        self.body = {"state": {"n": 3}, "artifacts": [file("a", data)]}

    def save(self, pause: Callable[[int], None]) -> None:
        digest = sha256(self.data)
        pause(0)
        asked = self.run.client.post("/v1/blobs/missing", {"digests": [digest]})
        if asked.body["missing"]:
            upload(self.run.client, self.data)
        pause(1)
        answer = self.append()
        if answer.status == 422:
            # It was collected since: the client sends what it is told of.
            assert answer.body["error"]["digests"] == [digest]
            assert put(self.run.client, self.data).status == 201
            answer = self.append()
        assert answer.status == 200, answer.content
        pause(3)

    def append(self) -> Answer:
        return self.run.client.patch(self.run.path("state"), self.body)


def test_nothing_that_a_kept_version_names_is_lost(
    begin: Begin, api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, seen, uploaded = api(), 0, 0
    for number, (order, slots) in enumerate(orders()):
        data = f"bytes {number}".encode()
        upload(client, data)
        run = begin({"n": 0}, client=client)
        run.patch({"n": 1}, artifacts=[file("a", data)])
        run.patch({"n": 2}, artifacts=[])
        Blob.objects.update(leased_until=timezone.now())
        steps: dict[str, Step] = {
            "condemn": condemn,
            "take": take,
            "prune": lambda run=run: prune(run),  # type: ignore[misc]
        }
        left = list(zip(order, slots, strict=True))

        def pause(at: int, left: Any = left, steps: Any = steps) -> None:
            while left and left[0][1] <= at:
                steps[left.pop(0)[0]]()

        leased = naming.leased

        def leasing(*args: Any, pause: Any = pause, leased: Any = leased) -> Any:
            act = leased(*args)
            pause(2)
            return act

        with monkeypatch.context() as patch:
            patch.setattr(naming, "leased", leasing)
            Agent(run, data).save(pause)

        with acting_as(Role.WORKER):
            collecting.collect(actor=SYSTEM, now=timezone.now())
        read = client.get(run.path("versions", 3, "files", "a"))
        assert (read.status, read.content) == (200, data), (order, slots)
        (blob,) = Blob.objects.named([sha256(data)])
        uploaded += blob.created_at > run_began(run)
        seen += 1
    # Some orders have it collected and sent anew, most do not.
    assert 0 < uploaded < seen == 60


def run_began(run: Run) -> Any:
    return Session.objects.get(id=run.id).created_at
