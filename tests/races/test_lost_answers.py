"""An answer lost after the commit: the same key again, and it was done exactly once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import RemoteDisconnected
from random import Random

import pytest

from tests import proof
from tests.races.dropping_proxy import dropping
from tests.races.traffic import Line

TIMES = 50
CLIENTS = 8
SEED = 20260301


@pytest.fixture
def proxy(live):
    with dropping(live.url) as proxy:
        yield proxy


@pytest.fixture
def attempt(proxy, secret):
    """Send through the proxy once, on a connection of its own; None: no answer."""

    def once(method, path, body, key):
        with closing(Line(proxy.url, secret)) as line:
            try:
                return line.send(method, path, body, Idempotency_Key=key)
            except (RemoteDisconnected, ConnectionError):
                return None

    return once


@pytest.fixture
def sessions(start, line):
    """Five sessions with the heads at version 2."""
    made = [start({"n": 0}) for _ in range(5)]
    for session_id in made:
        for number in (1, 2):
            path = f"/v1/sessions/{session_id}/state"
            assert line.patch(path, {"state": {"n": number}}).status == 200
    return made


def operations(sessions):
    """Return 50 of each verb, in an order drawn from the seed."""
    one_of_five = [f"/v1/sessions/{sessions[at % 5]}" for at in range(TIMES)]
    # Keys of creates and forks are the project's: no two tests may share one.
    tail = sessions[0][-8:]
    found = []
    for at, path in enumerate(one_of_five):
        found += [
            ("append", "PATCH", f"{path}/state", {"state": {f"k{at}": at}}),
            ("create", "POST", "/v1/sessions", {"agent_id": "racer", "user_id": "u"}),
            ("fork", "POST", f"{path}/fork", {"version": 1}),
            ("rollback", "POST", f"{path}/rollback", {"version": 1}),
        ]
    keyed = [(*one, f"{one[0]}-{tail}-{at}") for at, one in enumerate(found)]
    Random(SEED).shuffle(keyed)
    return keyed


def test_200_of_200_lost_answers_are_done_exactly_once(
    sessions, proxy, attempt, database
):
    asked = operations(sessions)

    def until_answered(operation):
        _, *request = operation
        return attempt(*request), attempt(*request), attempt(*request)

    with ThreadPoolExecutor(CLIENTS) as pool:
        done = list(pool.map(until_answered, asked))

    assert len(asked) == 200
    for (verb, *_, key), (lost, retried, again) in zip(asked, done, strict=True):
        assert lost is None, (SEED, key)
        assert proxy.dropped[key] == retried.status, (SEED, key)
        assert retried.status == (201 if verb in ("create", "fork") else 200), key
        assert retried.is_replay, (SEED, key)
        assert again.is_replay, (SEED, key)
        assert again.body == retried.body, (SEED, key)
    assert set(proxy.dropped) == {key for *_, key in asked}
    stored = database.execute(
        "SELECT request_key, count(*) FROM timeline_version"
        " WHERE request_key = ANY (%s) GROUP BY 1",
        [list(proxy.dropped)],
    ).fetchall()
    assert dict(stored) == dict.fromkeys(proxy.dropped, 1)
    assert Counter(key.split("-")[0] for key, _ in stored) == dict.fromkeys(
        ("append", "create", "fork", "rollback"), TIMES
    )


def test_what_the_retry_says_is_what_was_stored(sessions, attempt, database):
    asked = operations(sessions)[:40]

    for verb, *request in asked:
        assert attempt(*request) is None
        told, key = attempt(*request).body, request[-1]
        if verb in ("create", "fork"):
            history = proof.assert_proven(database, told["id"])
            assert [one.request_key for one in history.versions] == [key]
        else:
            history = proof.assert_proven(database, told["session_id"])
            assert history.versions[told["version"]].request_key == key
            assert proof.states(history)[told["version"]] == told["state"]


def test_no_session_and_no_version_is_made_besides(sessions, attempt, database):
    def counts():
        return [
            database.execute(f"SELECT count(*) FROM timeline_{name}").fetchone()[0]
            for name in ("session", "version", "requestkey")
        ]

    before = counts()
    asked = operations(sessions)[:60]
    verbs = Counter(verb for verb, *_ in asked)
    begun = verbs["create"] + verbs["fork"]

    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in range(2):
            list(pool.map(lambda operation: attempt(*operation[1:]), asked))

    made = [now - then for now, then in zip(counts(), before, strict=True)]
    assert made == [begun, len(asked), begun]
    for session_id in sessions:
        proof.assert_proven(database, session_id)


def test_a_refusal_that_was_lost_is_refused_again(sessions, attempt, database):
    path = f"/v1/sessions/{sessions[0]}/state"
    request = ("PATCH", path, {"state": {"n": 5}, "expected_version": 1}, "late")

    assert attempt(*request) is None
    answer = attempt(*request)

    assert (answer.status, answer.error["code"]) == (409, "version_conflict")
    assert len(proof.assert_proven(database, sessions[0]).versions) == 3


def test_a_stale_retry_of_a_write_that_landed_is_no_conflict(
    sessions, attempt, line, database
):
    path = f"/v1/sessions/{sessions[0]}/state"
    request = ("PATCH", path, {"state": {"n": 5}, "expected_version": 2}, "named")

    assert attempt(*request) is None
    assert line.patch(path, {"state": {"n": 6}}).body["version"] == 4
    answer = attempt(*request)

    assert (answer.status, answer.is_replay) == (200, True)
    assert (answer.body["version"], answer.body["state"]) == (3, {"n": 5})
    proof.assert_proven(database, sessions[0])
