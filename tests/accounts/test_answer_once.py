"""One act for a key, and its answer replayed, also when two ask at once."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection

from apps.accounts.models import StoredAnswer
from apps.accounts.operations import answer_once, answers, forget_answers
from apps.core.actors import SYSTEM
from apps.core.errors import IdempotencyKeyReused, InvalidRequest, NotFound
from tests.accounts.make import NOW


class Counter:
    """An act that counts how often it was run."""

    def __init__(self, seconds=0.0):
        self.runs = 0
        self.seconds = seconds

    def __call__(self):
        self.runs += 1
        time.sleep(self.seconds)
        return 201, b'{"run": %d}' % self.runs


def ask(perform, *, key="k1", digest=b"d1", now=NOW, project_id="proj_1"):
    return answer_once(
        project_id=project_id, key=key, digest=digest, now=now, perform=perform
    )


def test_the_first_request_acts_and_the_second_is_a_replay(db):
    act = Counter()

    assert ask(act) == (201, b'{"run": 1}', False)
    assert ask(act) == (201, b'{"run": 1}', True)
    assert act.runs == 1


def test_another_key_or_project_is_another_act(db):
    act = Counter()

    ask(act)
    ask(act, key="k2")
    ask(act, project_id="proj_2")

    assert act.runs == 3


def test_the_same_key_with_another_request_is_a_mistake(db):
    act = Counter()
    ask(act)

    with pytest.raises(IdempotencyKeyReused):
        ask(act, digest=b"d2")

    assert act.runs == 1


def test_after_a_day_the_key_is_new(db):
    act = Counter()
    ask(act)

    assert ask(act, digest=b"d2", now=NOW + timedelta(hours=24)) == (
        201,
        b'{"run": 2}',
        False,
    )
    assert ask(act, digest=b"d2", now=NOW + timedelta(hours=47))[2]
    assert StoredAnswer.objects.count() == 1


def test_answers_that_count_no_more_are_forgotten(db, monkeypatch):
    monkeypatch.setattr(answers, "FORGOTTEN_AT_ONCE", 2)
    for number in range(5):
        ask(Counter(), key=f"old{number}")
    late = NOW + timedelta(hours=24)
    ask(Counter(), key="new", now=late - timedelta(seconds=1))

    told = [forget_answers(actor=SYSTEM, now=late) for _ in range(2)]

    assert told == [5, 0]
    assert [one.key for one in StoredAnswer.objects.all()] == ["new"]


def test_an_act_that_fails_leaves_the_key_unused(db):
    def fail():
        raise NotFound

    with pytest.raises(NotFound):
        ask(fail)

    assert ask(Counter()) == (201, b'{"run": 1}', False)


@pytest.mark.parametrize("key", ["", "a" * 256, "a\0b", "a\nb"])
def test_an_unfit_key_is_refused(db, key):
    with pytest.raises(InvalidRequest):
        ask(Counter(), key=key)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("age", [None, timedelta(hours=30)])
def test_two_at_once_give_one_act_and_one_replay(age):
    if age is not None:
        ask(Counter(), digest=b"old", now=NOW - age)
    act, given, barrier = Counter(seconds=0.2), [], threading.Barrier(2)

    def work():
        try:
            barrier.wait(5)
            given.append(ask(act))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert act.runs == 1
    assert sorted(given) == [(201, b'{"run": 1}', False), (201, b'{"run": 1}', True)]
