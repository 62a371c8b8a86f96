"""Batches among other writers: whole or not at all, once, and nothing in between."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import RemoteDisconnected
from random import Random

import psycopg
import pytest

from tests import proof
from tests.races.dropping_proxy import dropping
from tests.races.traffic import Line, at_once

TIMES = 50
SEED = 20260301
SECONDS = 20

# A version after the head that changes nothing. Its leaf is that of the head, which
# does not cover the number; `ahead` puts it further on, its chain over all between.
INSERT = """
WITH RECURSIVE head AS (
    SELECT * FROM timeline_version WHERE session_id = %(session)s AND number = %(head)s
), chained (number, chain) AS (
    SELECT number, chain FROM head
     UNION ALL
    SELECT c.number + 1, sha256('\\x01'::bytea || c.chain || int8send(c.number + 1)
                                || head.leaf)
      FROM chained c, head WHERE c.number < %(head)s + %(ahead)s
)
INSERT INTO timeline_version
SELECT (jsonb_populate_record(v, jsonb_build_object(
           'number', c.number, 'parent_number', c.number - 1, 'chain', c.chain))).*
  FROM timeline_version v, chained c
 WHERE v.session_id = %(session)s AND v.number = %(head)s
   AND c.number = %(head)s + %(ahead)s
"""
WAITING = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock'
   AND query LIKE '%%timeline_append_batch_v%%'
"""


def numbered(count, name="n"):
    return {"versions": [{"state": {name: at}} for at in range(1, count + 1)]}


def numbers(answer):
    return [one["version"] for one in answer.body["versions"]]


@pytest.fixture
def session_id(start):
    return start({"n": 0})


@pytest.fixture
def path(session_id):
    return f"/v1/sessions/{session_id}/versions"


def test_50_identical_batches_at_once_are_one_and_49_replays(
    lines, session_id, path, database
):
    answers = at_once(
        [
            lambda line=line: line.post(path, numbered(20), Idempotency_Key="once")
            for line in lines(TIMES)
        ]
    )

    assert {answer.status for answer in answers} == {201}
    assert sum(answer.is_replay for answer in answers) == TIMES - 1
    assert len({answer.content for answer in answers}) == 1
    assert numbers(answers[0]) == list(range(1, 21))
    assert len(proof.assert_proven(database, session_id).versions) == 21


def test_50_batches_of_two_bodies_under_one_key_store_one_of_them(
    lines, session_id, path, database
):
    answers = at_once(
        [
            lambda line=line, at=at: line.post(
                path, numbered(3 + at % 2), Idempotency_Key="k"
            )
            for at, line in enumerate(lines(TIMES))
        ]
    )

    stored = len(proof.assert_proven(database, session_id).versions) - 1
    won, lost = answers[stored - 3 :: 2], answers[4 - stored :: 2]
    assert {answer.status for answer in won} == {201}
    assert sum(not answer.is_replay for answer in won) == 1
    assert {answer.status for answer in lost} == {422}


@pytest.mark.parametrize("seed", [1, 2])
def test_batches_and_single_writes_all_land_and_nothing_comes_between(
    lines, session_id, path, database, seed
):
    def write(line, draw, writer):
        done = []
        for step in range(5):
            name, count = f"{writer}-{step}", draw.randrange(1, 12)
            if draw.random() < 0.5:
                answer = line.post(path, numbered(count, name))
                done.append((name, answer, lambda one: numbers(one)))
            else:
                state = {"state": {name: 1}}
                answer = line.patch(path.replace("versions", "state"), state)
                done.append((name, answer, lambda one: [one.body["version"]]))
        return done

    written = at_once(
        [
            lambda line=line, at=at: write(line, Random(seed * 1000 + at), at)
            for at, line in enumerate(lines(16))
        ]
    )

    history = proof.assert_proven(database, session_id)
    states, taken = proof.states(history), []
    for name, answer, told in (one for done in written for one in done):
        assert answer.status in (200, 201), (seed, answer.content)
        made = told(answer)
        assert made == list(range(made[0], made[0] + len(made))), (seed, name)
        # What stands between two versions of a batch is the one step it asked for.
        for step, number in enumerate(made, 1):
            assert states[number] == {**states[number - 1], name: step}, (seed, name)
        assert answer.body["state"] == states[made[-1]], (seed, name)
        taken += made
    assert sorted(taken) == list(range(1, len(history.versions))), seed


def test_of_8_batches_on_one_named_head_exactly_one_is_stored(
    lines, session_id, path, database
):
    answers = at_once(
        [
            lambda line=line, at=at: line.post(
                path, {**numbered(5, f"w{at}"), "expected_version": 0}
            )
            for at, line in enumerate(lines(8))
        ]
    )

    (won,) = [at for at, answer in enumerate(answers) if answer.status == 201]
    lost = [answer.error for answer in answers if answer.status != 201]
    assert {(one["code"], one["head"]) for one in lost} == {("version_conflict", 5)}
    assert all(one["changed_paths"] == [f"/w{won}"] for one in lost)
    history = proof.assert_proven(database, session_id)
    assert proof.states(history)[-1] == {"n": 0, f"w{won}": 5}


def test_no_batch_is_stored_in_part_when_a_hold_meets_it(
    lines, session_id, path, database
):
    *writers, holder = lines(5)

    def write(line, name):
        answers = []
        while not answers or answers[-1].status == 201:
            answers.append(line.post(path, numbered(7, name)))
        return answers

    def hold():
        while holder.get(path).body["current_version"] < 7:
            pass
        return [holder.post(path.replace("versions", "pause"), {})]

    *written, (held,) = at_once(
        [
            hold if line is holder else lambda line=line, at=at: write(line, f"w{at}")
            for at, line in enumerate([*writers, holder])
        ]
    )

    history = proof.assert_proven(database, session_id)
    stored = sum(len(answers) - 1 for answers in written)
    assert held.body["version"] == len(history.versions) - 1 == 7 * stored + 1
    assert {answers[-1].error["code"] for answers in written} == {"session_paused"}


@contextmanager
def waiting(live, database, line, path, body):
    """Yield an open transaction and, to be called inside, a batch that waits for it."""
    with psycopg.connect(live.dsn) as other, ThreadPoolExecutor(1) as pool:

        def send():
            sent = pool.submit(line.post, path, body)
            deadline = time.monotonic() + SECONDS
            while not database.execute(WAITING).fetchone()[0]:
                assert time.monotonic() < deadline, "The batch did not wait."
                assert not sent.done(), sent.result().content
                time.sleep(0.01)
            return sent

        yield other, send


def insert(connection, session_id, *, head=0, ahead=1):
    connection.execute(INSERT, {"session": session_id, "head": head, "ahead": ahead})


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("locks", [True, False])
def test_it_waits_for_an_open_write_and_then_builds_on_what_became_of_it(
    live, line, session_id, path, database, commits, locks
):
    with waiting(live, database, line, path, numbered(5)) as (other, send):
        if locks:
            query = "SELECT 1 FROM timeline_session WHERE id = %s FOR NO KEY UPDATE"
            other.execute(query, [session_id])
        insert(other, session_id)
        sent = send()
        other.commit() if commits else other.rollback()
        answer = sent.result(SECONDS)

    assert answer.status == 201, answer.content
    first = 2 if commits else 1
    assert numbers(answer) == list(range(first, first + 5))
    history = proof.assert_proven(database, session_id)
    assert len(history.versions) == first + 5
    assert proof.states(history)[-1] == {"n": 5}


@pytest.mark.parametrize("is_named", [True, False])
def test_a_number_taken_in_its_middle_rolls_all_of_it_back(
    live, line, session_id, path, database, is_named
):
    body = {**numbered(5), **({"expected_version": 0} if is_named else {})}

    with waiting(live, database, line, path, body) as (other, send):
        # A writer without the lock, ahead of the batch: it meets its third version.
        insert(other, session_id, ahead=3)
        sent = send()
        other.commit()
        answer = sent.result(SECONDS)

    stored = database.execute(
        "SELECT number FROM timeline_version WHERE session_id = %s ORDER BY 1",
        [session_id],
    ).fetchall()
    after = [] if is_named else [4, 5, 6, 7, 8]
    assert [number for (number,) in stored] == [0, 3, *after]
    if is_named:
        assert (answer.status, answer.error["code"]) == (409, "version_conflict")
        assert answer.error["head"] == 3
    else:
        assert (answer.status, numbers(answer)) == (201, after)
        # Once the gap is filled, every chain value that was written over it is right.
        insert(database, session_id, ahead=1)
        insert(database, session_id, ahead=2)
        proof.assert_proven(database, session_id)


def test_40_of_40_batches_with_lost_answers_are_done_exactly_once(
    live, secret, start, database
):
    sessions = [start({"n": 0}) for _ in range(4)]
    draw = Random(SEED)
    asked = [
        (f"batch-{at}", draw.choice(sessions), draw.randrange(1, 8)) for at in range(40)
    ]

    with dropping(live.url) as proxy:

        def attempt(key, session_id, count):
            path, body = f"/v1/sessions/{session_id}/versions", numbered(count, key)
            with closing(Line(proxy.url, secret)) as line:
                try:
                    return line.post(path, body, Idempotency_Key=key)
                except (RemoteDisconnected, ConnectionError):
                    return None

        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda one: [attempt(*one) for _ in range(3)], asked))

    states = {}
    for session_id in sessions:
        history = proof.assert_proven(database, session_id)
        states[session_id] = proof.states(history)
        steps = sum(count for _, where, count in asked if where == session_id)
        assert len(history.versions) == 1 + steps
    for (key, session_id, count), (lost, retried, again) in zip(
        asked, done, strict=True
    ):
        assert lost is None, (SEED, key)
        assert (retried.status, retried.is_replay) == (201, True), (SEED, key)
        assert again.content == retried.content, (SEED, key)
        made = numbers(retried)
        assert made == list(range(made[0], made[0] + count)), (SEED, key)
        assert [states[session_id][at][key] for at in made] == list(
            range(1, count + 1)
        ), (SEED, key)
        assert key not in states[session_id][made[0] - 1], (SEED, key)
