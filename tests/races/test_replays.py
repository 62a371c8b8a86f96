"""One idempotency key stands for one request: it is done once and answered alike."""

import pytest

from tests import proof
from tests.races.traffic import at_once

TIMES = 50
SAID = {"input": {"text": "?"}, "output": {"text": "!"}}
# What each verb sends to a session whose head is version 2, and what it makes of it.
TO_A_SESSION = {
    "update": ("PATCH", "/state", {"state": {"n": 7}}, 1, 0),
    "update of a named head": (
        "PATCH",
        "/state",
        {"state": {"n": 7}, "expected_version": 2},
        1,
        0,
    ),
    "replace": ("PUT", "/state", {"state": {"n": 7}}, 1, 0),
    "turn with a state": ("POST", "/turns", {**SAID, "state_after": {"n": 7}}, 1, 1),
    "turn": ("POST", "/turns", SAID, 0, 1),
    "rollback": ("POST", "/rollback", {"version": 1, "reason": "wrong"}, 1, 0),
    "pause": ("POST", "/pause", {"reason": "look"}, 1, 0),
    "close": ("POST", "/close", {}, 1, 0),
}
BEGINNINGS = {
    "create": ("/v1/sessions", {"agent_id": "racer", "initial_state": {"n": 1}}),
    "create under a name": (
        "/v1/sessions",
        {"agent_id": "racer", "external_id": "order-1", "metadata": {"a": 1}},
    ),
    "fork": ("/v1/sessions/{}/fork", {"version": 1, "metadata": {"why": "try"}}),
    "fork with a state": ("/v1/sessions/{}/fork", {"state": {"n": 9}}),
}
EVERY_VERB = pytest.mark.parametrize("verb", TO_A_SESSION)
EVERY_BEGINNING = pytest.mark.parametrize("verb", BEGINNINGS)


@pytest.fixture
def session_id(start, line):
    made = start({"n": 0})
    for number in (1, 2):
        answer = line.patch(f"/v1/sessions/{made}/state", {"state": {"n": number}})
        assert answer.status == 200
    return made


@pytest.fixture
def send(session_id):
    """`send(line, verb, key)` sends what the verb sends, to the session."""

    def one(line, verb, key, **other):
        if verb in TO_A_SESSION:
            method, end, body, *_ = TO_A_SESSION[verb]
            path = f"/v1/sessions/{session_id}{end}"
        else:
            method, (path, body) = "POST", BEGINNINGS[verb]
            path = path.format(session_id)
            if "external_id" in body:
                body = {**body, "external_id": f"order-{session_id}"}
        return line.send(method, path, {**body, **other}, Idempotency_Key=key)

    return one


def counted(database, query, *params):
    return database.execute(query, params).fetchone()[0]


def assert_one_and_replays(answers):
    """One answer is the act's own, the others repeat it and say so."""
    assert sorted(answer.is_replay for answer in answers) == [False] + [True] * (
        len(answers) - 1
    )
    assert len({(answer.status, answer.content) for answer in answers}) == 1
    assert answers[0].status in (200, 201), answers[0].content
    assert len({answer.headers.get("etag") for answer in answers}) == 1


@EVERY_VERB
def test_50_identical_requests_at_once_write_once(
    lines, session_id, send, database, verb
):
    *_, versions, turns = TO_A_SESSION[verb]

    answers = at_once(
        [lambda line=line: send(line, verb, "once") for line in lines(TIMES)]
    )

    assert_one_and_replays(answers)
    history = proof.assert_proven(database, session_id)
    assert len(history.versions) == 3 + versions
    assert len(history.turns) == turns


@EVERY_BEGINNING
def test_50_identical_requests_at_once_begin_one_session(
    lines, session_id, send, database, verb
):
    key = f"{verb} of {session_id}"
    before = counted(database, "SELECT count(*) FROM timeline_session")

    answers = at_once(
        [lambda line=line: send(line, verb, key) for line in lines(TIMES)]
    )

    assert_one_and_replays(answers)
    assert counted(database, "SELECT count(*) FROM timeline_session") == before + 1
    proof.assert_proven(database, answers[0].body["id"])


@pytest.mark.parametrize("verb", [*TO_A_SESSION, *BEGINNINGS])
def test_a_key_with_another_body_is_refused(line, session_id, send, database, verb):
    key = f"{verb} of {session_id}"
    assert send(line, verb, key).status in (200, 201)

    again = send(line, verb, key, reasoning="another story")

    assert again.status == 422
    assert again.error["code"] == "idempotency_key_reused"
    assert again.error["param"] == "Idempotency-Key"
    proof.assert_proven(database, session_id)


def test_a_key_with_another_verb_is_refused(line, session_id, send):
    first, *others = TO_A_SESSION
    assert send(line, first, "k").status == 200

    answers = [send(line, verb, "k") for verb in others]

    assert {(one.status, one.error["code"]) for one in answers} == {
        (422, "idempotency_key_reused")
    }


def test_a_key_with_another_expected_version_is_another_request(line, session_id):
    path, body = f"/v1/sessions/{session_id}/state", {"state": {"n": 3}}
    made = line.patch(path, body, Idempotency_Key="k", If_Match='"v2"')

    again = line.patch(path, body, Idempotency_Key="k", If_Match='"v3"')

    assert (made.status, again.status) == (200, 422)


def test_a_key_belongs_to_its_session(line, start):
    paths = [f"/v1/sessions/{start()}/state" for _ in range(2)]

    answers = [
        line.patch(path, {"state": {"n": 1}}, Idempotency_Key="k") for path in paths
    ]

    assert [answer.status for answer in answers] == [200, 200]
    assert not any(answer.is_replay for answer in answers)


@pytest.mark.parametrize("repetition", range(3))
def test_50_identical_requests_with_if_match_meet_no_mismatch(
    lines, session_id, database, repetition
):
    path = f"/v1/sessions/{session_id}/state"

    answers = at_once(
        [
            lambda line=line: line.patch(
                path, {"state": {"n": 7}}, Idempotency_Key="once", If_Match='"v2"'
            )
            for line in lines(TIMES)
        ]
    )

    assert_one_and_replays(answers)
    assert len(proof.assert_proven(database, session_id).versions) == 4


@pytest.mark.parametrize("verb", ["resume", "delete"])
def test_50_identical_requests_that_could_only_succeed_once_are_repeated(
    lines, line, session_id, database, verb
):
    path = f"/v1/sessions/{session_id}"
    assert line.post(f"{path}/pause", {}).status == 200
    method, path = ("DELETE", path) if verb == "delete" else ("POST", f"{path}/resume")

    answers = at_once(
        [
            lambda line=line: line.send(method, path, Idempotency_Key="once")
            for line in lines(TIMES)
        ]
    )

    assert {answer.status for answer in answers} == {204 if verb == "delete" else 200}
    assert sum(answer.is_replay for answer in answers) == TIMES - 1
    assert len(proof.assert_proven(database, session_id).versions) == 5


def test_50_requests_of_two_bodies_under_one_key_store_one_of_them(
    lines, session_id, send, database
):
    answers = at_once(
        [
            lambda line=line, at=at: send(line, "update", "k", reasoning=f"{at % 2}")
            for at, line in enumerate(lines(TIMES))
        ]
    )

    history = proof.assert_proven(database, session_id)
    won = int(history.versions[3].reasoning)
    assert len(history.versions) == 4
    assert_one_and_replays(answers[won::2])
    assert {one.status for one in answers[1 - won :: 2]} == {422}


@EVERY_VERB
def test_a_late_replay_answers_what_was_stored_then(
    line, session_id, send, database, verb
):
    path = f"/v1/sessions/{session_id}"
    first = send(line, verb, "early")
    if verb == "pause":
        assert line.post(f"{path}/resume", {}).status == 200
    if verb != "close":
        moves = [
            line.patch(f"{path}/state", {"state": {"n": 99}}),
            line.post(f"{path}/turns", SAID),
            line.post(f"{path}/rollback", {"version": 0}),
            line.send("PATCH", path, {"metadata": {"seen": True}}),
            line.post(f"{path}/close", {}),
        ]
        assert {answer.status for answer in moves} <= {200, 201}

    late = send(line, verb, "early")

    assert (late.status, late.body) == (first.status, first.body)
    assert (first.is_replay, late.is_replay) == (False, True)
    assert late.headers["etag"] == first.headers["etag"]
    proof.assert_proven(database, session_id)


@EVERY_BEGINNING
def test_a_late_replay_answers_with_the_session_as_it_began(
    line, session_id, send, database, verb
):
    key = f"{verb} of {session_id}"
    first = send(line, verb, key)
    path = f"/v1/sessions/{first.body['id']}"
    moves = [
        line.patch(f"{path}/state", {"state": {"n": 99}}),
        line.post(f"{path}/turns", {**SAID, "state_after": {"n": 100}}),
        line.post(f"{path}/rollback", {"version": 0}),
        line.send("PATCH", path, {"metadata": {"seen": True}, "ttl_seconds": 3600}),
        line.post(f"{path}/close", {}),
    ]
    assert {answer.status for answer in moves} <= {200, 201}

    late = send(line, verb, key)

    assert (late.status, late.body) == (first.status, first.body)
    assert (first.is_replay, late.is_replay) == (False, True)


def test_a_delete_is_repeated_after_the_session_is_gone(line, session_id):
    path = f"/v1/sessions/{session_id}"

    answers = [line.send("DELETE", path, Idempotency_Key="k") for _ in range(3)]

    assert [answer.status for answer in answers] == [204] * 3
    assert [answer.is_replay for answer in answers] == [False, True, True]
    assert line.send("DELETE", path).status == 404
