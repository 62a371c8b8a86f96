"""What a write answers from, without reading it again, is what a read would find."""

from dataclasses import fields, replace
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.timeline import bodies
from apps.timeline.ledger import appending
from apps.timeline.versions import fetching, heads, reading
from tests.timeline import damage
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db(transaction=True)

# Read or decoded when they are asked for.
LAZY = ("raw", "parsed", "rollback")


def tell_story(run: Run) -> None:
    run.patch({"step": 3}, reasoning="Because.", model="m", external_id="three")
    run.patch({"step": 3})
    run.put({"all": "new"}, messages=[{"id": "m1"}], step_number=7)
    run.rollback(1, reason="Lost.", reason_code="lost")
    run.patch({"step": 4})
    run.rollback(-2, hold=True)
    run.hold("resume", reason="Go on.")
    run.turn(state_after={"step": 5})
    batch = [{"state": {"step": 5}}, {"state": {"step": 6}}, {"state": {"step": 6}}]
    run.post("versions", {"versions": batch})
    run.hold("pause")


def test_a_version_is_told_as_it_is_read(
    project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    stored = appending._receipt_of_stored

    def listening(*arguments: Any) -> Any:
        receipt = stored(*arguments)
        told.extend(receipt.made)
        return receipt

    monkeypatch.setattr(appending, "_receipt_of_stored", listening)
    tell_story(run)

    assert [one.number for one in told] == list(range(3, 15))
    for one in told:
        read = fetching.version(Scope(project), run.id, one.number, now=timezone.now())
        for name in [each.name for each in fields(read) if each.name not in LAZY]:
            assert getattr(one, name) == getattr(read, name), (one.number, name)
        assert reading.state(one) == reading.state(read)
        assert fetching.last_rollback(one) == fetching.last_rollback(read)


@pytest.mark.parametrize("known", ["nothing", "an earlier body", "a later body", "it"])
def test_a_version_is_shown_as_it_is_read(
    project: Project, run: Run, known: str
) -> None:
    tell_story(run)
    scope, now = Scope(project), timezone.now()
    versions = [
        fetching.version(scope, run.id, number, now=now) for number in range(15)
    ]
    expected = [(reading.state(one), fetching.last_rollback(one)) for one in versions]
    kept = {one.body_number: reading.parts(one) for one in versions}
    beside = {"an earlier body": -1, "a later body": 1, "it": 0}.get(known)
    for version, (state, rollback) in zip(versions, expected, strict=True):
        bodies.cache.forget(run.id)
        if beside is not None and version.body_number + beside in kept:
            number = version.body_number + beside
            bodies.cache.put((run.id, number), bodies.frame(kept[number]))

        found = heads.shown(scope, run.id, version.number, now=now)

        assert (reading.state(found), fetching.last_rollback(found)) == (
            state,
            rollback,
        )
        plain = replace(found, raw=None, parsed=None, rollback=version.rollback)
        assert plain == replace(version, raw=None, parsed=None)


def test_no_state_is_read_that_its_commitment_does_not_hold(
    project: Project, run: Run
) -> None:
    head = fetching.head(Scope(project), run.id, now=timezone.now())
    place = damage.place_of(run, "body", head.body_number, "salt")
    with transaction.atomic():
        damage.damage(place, bytes(len(place.value)))
    bodies.cache.forget(run.id)

    with pytest.raises(bodies.CorruptBody):
        reading.state(head)
    with pytest.raises(bodies.CorruptBody):
        fetching.states([head])


def test_a_body_that_was_tampered_with_is_not_shown(project: Project, run: Run) -> None:
    now = timezone.now()
    head = fetching.head(Scope(project), run.id, now=now)
    bodies.cache.forget(run.id)
    # What is known by that number is not what the next one was stored against.
    other = bodies.frame([bodies.Part("state", "application/json", b'{"step":9}')])
    bodies.cache.put((run.id, head.number - 1), other)

    with pytest.raises(bodies.CorruptBody):
        heads.shown(Scope(project), run.id, None, now=now)

    bodies.cache.forget(run.id)
