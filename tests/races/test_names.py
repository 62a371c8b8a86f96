"""A name that the caller chose goes to one session, whoever dies on the way."""

import json
from datetime import UTC, datetime

import pytest
from django.test import RequestFactory

from apps.core.http import request_digest
from apps.core.ids import new_id
from tests import proof
from tests.races.traffic import at_once


@pytest.fixture
def name(request):
    return f"order of {request.node.name}"


@pytest.fixture
def project_id(start, database):
    query = "SELECT project_id FROM timeline_session WHERE id = %s"
    return database.execute(query, [start()]).fetchone()[0]


@pytest.fixture
def dies_after(database, project_id):
    """Leave what a create has written when it dies: its key, then its name."""

    def leave(body, *, key, writes_name=True):
        asked = RequestFactory().post(
            "/v1/sessions", json.dumps(body), content_type="application/json"
        )
        now = datetime.now(UTC)
        session_id = new_id("sess", now=now)
        database.execute(
            "INSERT INTO timeline_requestkey (project_id, key, digest, session_id,"
            " metadata, requested_at) VALUES (%s, %s, %s, %s, '{}', %s)",
            [project_id, key, request_digest(asked), session_id, now],
        )
        if writes_name:
            database.execute(
                "INSERT INTO timeline_sessionname (project_id, external_id, session_id)"
                " VALUES (%s, %s, %s)",
                [project_id, body["external_id"], session_id],
            )
        return session_id

    return leave


def create(line, body, key):
    return line.post("/v1/sessions", body, Idempotency_Key=key)


def wanted(name, **more):
    return {"agent_id": "racer", "external_id": name, **more}


def test_of_20_creates_under_one_name_one_wins_and_19_are_told_who(
    lines, database, name
):
    answers = at_once(
        [
            lambda line=line, at=at: create(
                line, wanted(name, initial_state={"by": at}), f"{name} {at}"
            )
            for at, line in enumerate(lines(20))
        ]
    )

    (won,) = [answer for answer in answers if answer.status == 201]
    lost = [answer for answer in answers if answer is not won]
    assert {(one.status, one.error["code"]) for one in lost} == {
        (409, "external_id_taken")
    }
    assert {one.error["session_id"] for one in lost} == {won.body["id"]}
    query = "SELECT count(*) FROM timeline_session WHERE external_id = %s"
    assert database.execute(query, [name]).fetchone() == (1,)
    proof.assert_proven(database, won.body["id"])


def test_the_losers_lose_again_with_the_same_key_and_the_winner_is_repeated(line, name):
    body = wanted(name)
    made = create(line, body, f"{name} 1")
    for _ in range(2):
        lost = create(line, body, f"{name} 2")
        assert (lost.status, lost.error["session_id"]) == (409, made.body["id"])

    again = create(line, body, f"{name} 1")

    assert again.is_replay
    assert again.body == made.body


def test_creates_and_forks_compete_for_one_name(lines, start, database, name):
    origin = start({"n": 1})
    paths = ["/v1/sessions", f"/v1/sessions/{origin}/fork"] * 10

    answers = at_once(
        [
            lambda line=line, path=path: line.post(path, wanted(name))
            for path, line in zip(paths, lines(20), strict=True)
        ]
    )

    assert sorted(answer.status for answer in answers) == [201] + [409] * 19
    (won,) = [answer for answer in answers if answer.status == 201]
    proof.assert_proven(database, won.body["id"])


@pytest.mark.parametrize("writes_name", [False, True])
def test_a_retry_completes_a_create_that_died_before_its_session(
    line, dies_after, database, name, writes_name
):
    body, key = wanted(name, initial_state={"n": 1}), f"{name} key"
    session_id = dies_after(body, key=key, writes_name=writes_name)

    made, again = create(line, body, key), create(line, body, key)

    assert (made.status, made.is_replay) == (201, False)
    assert made.body["id"] == session_id
    assert (again.is_replay, again.body) == (True, made.body)
    proof.assert_proven(database, session_id)


def test_a_name_whose_first_creator_died_is_free_for_another(
    line, dies_after, database, name
):
    body = wanted(name)
    session_id = dies_after(body, key=f"{name} dead")

    made = create(line, body, f"{name} alive")
    again = create(line, body, f"{name} alive")

    assert (made.status, made.body["id"]) == (201, session_id)
    assert (again.is_replay, again.body) == (True, made.body)
    proof.assert_proven(database, session_id)


def test_a_creator_that_comes_back_does_not_take_anothers_session_for_its_own(
    line, dies_after, name
):
    body = wanted(name, initial_state={"by": "the one who died"})
    session_id = dies_after(body, key=f"{name} dead")
    other = wanted(name, initial_state={"by": "another"})
    assert create(line, other, f"{name} alive").status == 201

    back = create(line, body, f"{name} dead")

    assert (back.status, back.error["code"]) == (409, "external_id_taken")
    assert back.error["session_id"] == session_id


def test_20_retries_at_once_complete_one_create(lines, dies_after, database, name):
    body, key = wanted(name, initial_state={"n": 1}), f"{name} key"
    session_id = dies_after(body, key=key)

    answers = at_once([lambda line=line: create(line, body, key) for line in lines(20)])

    assert sorted(answer.is_replay for answer in answers) == [False] + [True] * 19
    assert {answer.body["id"] for answer in answers} == {session_id}
    proof.assert_proven(database, session_id)


def test_20_first_sessions_of_an_agent_nobody_knew_register_it_once(
    lines, database, name
):
    answers = at_once(
        [
            lambda line=line: line.post("/v1/sessions", {"agent_id": name})
            for line in lines(20)
        ]
    )

    assert [answer.status for answer in answers] == [201] * 20
    query = "SELECT count(*) FROM agents_agent WHERE external_id = %s"
    assert database.execute(query, [name]).fetchone() == (1,)


def test_of_20_versions_under_one_name_of_a_session_one_is_written(
    lines, start, database
):
    session_id = start()
    path = f"/v1/sessions/{session_id}/state"

    answers = at_once(
        [
            lambda line=line, at=at: line.patch(
                path, {"state": {f"k{at}": at}, "external_id": "checkpoint-1"}
            )
            for at, line in enumerate(lines(20))
        ]
    )

    assert sorted(answer.status for answer in answers) == [200] + [409] * 19
    lost = [answer for answer in answers if answer.status == 409]
    assert {answer.error["code"] for answer in lost} == {"external_id_taken"}
    assert len(proof.assert_proven(database, session_id).versions) == 2
