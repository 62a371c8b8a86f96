"""What came of an effect is held to the rules of states, and heard from its own."""

from __future__ import annotations

from typing import Any

import pytest

from apps.timeline.models import Effect, EffectStep
from tests.timeline import runs
from tests.timeline.effects.acting import MAIL, SENT, ask, begun, finish, read
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(begin: Begin) -> Run:
    return begin({"a": 1})


@pytest.mark.parametrize(
    ("result", "status", "code"),
    [
        (b"NaN", 400, "malformed_json"),
        (b'{"a": 1, "a": 2}', 400, "malformed_json"),
        (b"1e400", 422, "unacceptable_json"),
        (b"1" + b"0" * 5_000, 422, "unacceptable_json"),
        (b"[" * 140 + b"]" * 140, 422, "unacceptable_json"),
        (b'"' + b"x" * 262_143 + b'"', 413, "content_too_large"),
        (b'"' + b"x" * (16 << 20) + b'"', 413, "content_too_large"),
    ],
)
def test_results_are_held_to_the_rules_of_states(
    run: Run, result: bytes, status: int, code: str
) -> None:
    effect = begun(run)
    body = b'{"attempt": 1, "status": "done", "result": ' + result + b"}"

    answer = run.client.post(run.path("effects", effect["id"], "finish"), body)

    assert (answer.status, answer.code) == (status, code), answer.content[:500]
    assert EffectStep.objects.count() == 1


def test_names_have_200_characters(run: Run) -> None:
    long = "\N{LATIN SMALL LETTER E WITH ACUTE}" * 200

    assert begun(run, key=long, tool=long, call_id=long)

    for name in ("key", "tool", "call_id"):
        answer = ask(run, **{name: long + "e"})
        assert (answer.status, answer.param) == (400, name)


def test_a_class_that_was_not_said_is_another_than_one_that_is(run: Run) -> None:
    begun(run)

    unsaid = run.client.post(
        run.path("effects"), {k: v for k, v in MAIL.items() if k != "class"}
    )

    assert (unsaid.status, unsaid.code) == (422, "effect_differs")


def test_an_attempt_that_there_is_not_changes_nothing(run: Run) -> None:
    effect = begun(run)

    for attempt in (2, 10**15):
        answer = finish(run, effect, attempt=attempt)
        assert (answer.status, answer.code) == (409, "effect_attempt")
    for attempt in (True, "1", 1.5, -1, 2**63):
        assert finish(run, effect, attempt=attempt).status == 400
    assert read(run, effect)["status"] == "begun"


def test_a_stranger_finds_nothing(
    run: Run, api: runs.Clients, make_key: Any, other_project: Any
) -> None:
    effect = begun(run)
    stranger = api(make_key(project=other_project))
    path = run.path("effects", effect["id"])

    answers = [
        stranger.post(run.path("effects"), MAIL),
        stranger.get(run.path("effects")),
        stranger.get(path),
        stranger.post(f"{path}/finish", {"attempt": 1} | SENT),
        stranger.post(f"{path}/compensation", {"status": "done"}),
        stranger.get(run.path("compensations")),
    ]

    assert [one.status for one in answers] == [404] * len(answers)
    assert EffectStep.objects.count() == Effect.objects.count() == 1
