"""A rollback recomputes what is stored of the body it restores, whatever is cached."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from apps.accounts.models import Project, Role
from apps.audit.models import AuditRecord, Event
from apps.timeline import bodies
from apps.timeline.bodies.caching import Cache
from apps.timeline.models import Body, Session, Version
from apps.timeline.versions import intact
from tests.accounts.make import make_member
from tests.conftest import Answer
from tests.console.make import HTML, Story, address, signed_in
from tests.timeline.damage import damage, flipped, place_of
from tests.timeline.runs import Begin, Run, assert_refused

# Decoded bodies are cached when a transaction ends.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "cache", Cache())


def broken(run: Run, number: int, column: str = "data") -> None:
    """Flip a bit of a stored body, as a disk would."""
    with transaction.atomic():
        place = place_of(run, "body", number, column)
        damage(place, flipped(Random(number), place.value))


def everything() -> Any:
    """Return what a write would change."""
    rows = [model.objects.count() for model in (Version, Body, Event, AuditRecord)]
    return rows, sorted(Session.objects.values_list("id", "head_number", "updated_at"))


@pytest.mark.parametrize("path", ["rollback", "state/rollback"])
@pytest.mark.parametrize("preference", ["return=minimal", "return=representation"])
def test_a_rollback_says_that_it_was_verified(
    run: Run, path: str, preference: str
) -> None:
    answer = run.client.post(run.path(path), {"version": 1}, Prefer=preference)

    assert (answer.status, answer.body["verified"]) == (200, True)
    assert "verified" not in run.patch({"step": 3}).body


@pytest.mark.parametrize("column", ["data", "size", "salt", "codec"])
@pytest.mark.parametrize("is_cached", [True, False])
def test_a_broken_body_is_not_restored_and_nothing_is_written(
    run: Run, column: str, is_cached: bool
) -> None:
    broken(run, 2, column)
    run.patch({"step": 3})  # on the cached body
    if not is_cached:
        bodies.cache.forget(run.id, 2)
    before = everything()

    for path in ("rollback", "state/rollback"):
        answer = run.client.post(run.path(path), {"version": 2, "hold": True})

        assert_refused(answer, 500, "body_not_verified", "version")
        assert answer.body["error"]["version"] == 2
        assert "nothing was done" in answer.body["detail"]
    assert everything() == before
    preview = run.client.get(run.path("rollback/preview"), {"version": 2})
    assert_refused(preview, 500, "body_not_verified", "version")
    assert run.rollback(1)["verified"] is True


def test_a_broken_base_breaks_what_builds_on_it(run: Run) -> None:
    assert Body.objects.get(session_id=run.id, number=1).base_number == 0
    broken(run, 0)
    before = everything()

    answer = run.client.post(run.path("rollback"), {"version": 1})

    assert_refused(answer, 500, "body_not_verified")
    assert everything() == before


def test_another_commitment_is_not_met(run: Run) -> None:
    with transaction.atomic():
        place = place_of(run, "version", 1, "commitment")
        damage(place, flipped(Random(1), place.value))

    answer = run.client.post(run.path("rollback"), {"version": 1})

    assert_refused(answer, 500, "body_not_verified")


def test_a_body_that_was_emptied_is_not_restored(run: Run) -> None:
    with transaction.atomic():
        damage(place_of(run, "body", 1, "data"), b"")

    answer = run.client.post(run.path("rollback"), {"version": 1})

    assert_refused(answer, 500, "body_not_verified")


@pytest.fixture
def large(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A session of which every body counts as large."""
    monkeypatch.setattr(intact, "RECOMPUTED_BYTES", 0)
    run = begin({"n": 0, "text": "x" * 300})
    run.patch({"n": 1})
    return run


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bodies that are decoded along their chain, each time they are."""
    numbers: list[int] = []
    reconstruct: Callable[..., bytes] = bodies.reconstruct

    def counting(rows: Any, **options: Any) -> bytes:
        numbers.append(rows[-1].number)
        return reconstruct(rows, **options)

    monkeypatch.setattr(bodies, "reconstruct", counting)
    return numbers


def test_a_large_body_is_decoded_once_while_what_is_stored_is_the_same(
    large: Run, decoded: list[int]
) -> None:
    for version in (0, 1, 0, 1):
        assert large.rollback(version)["verified"] is True
    assert decoded == [0, 1]

    bodies.cache.forget(large.id, 0)
    large.rollback(0)
    assert decoded == [0, 1, 0]


@pytest.mark.parametrize(
    ("number", "column"),
    [
        *((1, column) for column in ("data", "size", "salt", "codec")),
        *((0, column) for column in ("data", "size", "codec")),
    ],
)
def test_a_large_body_that_breaks_later_is_not_restored(
    large: Run, number: int, column: str
) -> None:
    large.rollback(0)
    large.rollback(1)
    large.patch({"n": 2})
    broken(large, number, column)
    before = everything()

    answer = large.client.post(large.path("rollback"), {"version": 1})

    assert_refused(answer, 500, "body_not_verified")
    assert everything() == before


@pytest.fixture
def steps(large: Run, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Of each body that is decoded its number, and from how many rows."""
    found: list[tuple[int, int]] = []
    reconstruct: Callable[..., bytes] = bodies.reconstruct

    def counting(rows: Any, **options: Any) -> bytes:
        found.append((rows[-1].number, len(rows)))
        return reconstruct(rows, **options)

    monkeypatch.setattr(bodies, "reconstruct", counting)
    return found


def test_what_was_verified_before_is_not_decoded_for_what_builds_on_it(
    large: Run, steps: list[tuple[int, int]]
) -> None:
    large.patch({"n": 2})
    large.rollback(1)
    large.rollback(2)
    assert steps == [(1, 2), (2, 1)]

    bodies.cache.forget(large.id, 1)
    bodies.cache.forget(large.id, 2)
    large.rollback(2)

    assert steps[2:] == [(2, 3)]


def test_the_two_sides_of_a_merge_are_decoded_once(
    large: Run, steps: list[tuple[int, int]]
) -> None:
    large.patch({"m": 2})
    large.patch({"k": 3})

    answer = reverted(large, 2, 3)

    assert answer.status == 200, answer.content
    assert steps == [(1, 2), (3, 2)]


@pytest.mark.parametrize("is_large", [True, False])
@pytest.mark.parametrize("number", [1, 3])
def test_each_side_of_a_merge_is_verified_and_named(
    large: Run, monkeypatch: pytest.MonkeyPatch, number: int, is_large: bool
) -> None:
    if not is_large:
        monkeypatch.setattr(intact, "RECOMPUTED_BYTES", 10**6)
    large.patch({"m": 2})
    large.patch({"k": 3})
    large.patch({"j": 4})
    broken(large, number)
    before = everything()

    answer = reverted(large, 2, 3)

    assert_refused(answer, 500, "body_not_verified", "version")
    assert answer.body["error"]["version"] == number
    assert everything() == before


def reverted(run: Run, first: int, last: int) -> Answer:
    asked = {"first_version": first, "last_version": last, "reasoning": "It is wrong."}
    return run.client.post(run.path("revert"), asked | {"expected_version": run.head})


def test_a_replay_says_what_is_so_now(run: Run) -> None:
    def roll_back() -> Any:
        headers = {"Idempotency_Key": "once", "Prefer": "return=minimal"}
        return run.client.post(run.path("rollback"), {"version": 1}, **headers)

    first, again = roll_back(), roll_back()
    assert first.body == again.body
    assert again.body["verified"] is True
    broken(run, 1)

    later = roll_back()

    assert later.headers["Idempotent-Replayed"] == "true"
    assert later.body == first.body | {"verified": False}
    assert run.head == 3


def test_the_console_says_it_and_refuses(client: Client, project: Project) -> None:
    operator = signed_in(client, make_member(project, "olga", Role.OPERATOR))
    story = Story(project).update({"step": 1}).update({"step": 2})

    def sent(number: int, act: str, **fields: Any) -> Any:
        where = address(project, story.id, "versions", number, act)
        key = {"key": f"{act}-{len(fields)}-{number}"}
        return operator.post(where, key | fields, headers=HTML, follow=True)

    done = sent(1, "rollback", expected=2).content.decode()  # v3
    undone = sent(3, "undo").content.decode()  # v4
    assert "Rolled back to v1. Verified:" in done
    assert "Undone: v4 is as v2 was. Verified:" in undone
    of_story: Any = type("Of", (), {"id": story.id})
    broken(of_story, 1)
    before = everything()

    refused = sent(1, "rollback", expected=4)
    shown = operator.get(
        address(project, story.id, "versions", 1, "rollback"), headers=HTML
    )

    for page in (refused, shown):
        assert page.status_code == 500
        assert "What is stored of v1 is not what was committed to" in str(page.content)
    assert everything() == before
    broken(of_story, 2)
    sent(0, "rollback", expected=4)  # v5 shows v0; its undo would show v4, and so v2
    before = everything()
    assert sent(5, "undo").status_code == 500
    assert everything() == before
