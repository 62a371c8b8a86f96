"""Every version can be proven: from its columns alone, and by nobody else's columns."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from random import Random

import pytest
from django.db import connection

from apps.timeline import bodies
from apps.timeline.versions import proof
from tests import proof as checker
from tests.acting import erasing

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
STEP = {
    "reasoning": "The customer asked for Tokyo.",
    "step_number": 3,
    "parent_id": "step-2",
    "objective_status": "In Progress",
    "schema_version": "2",
    "release": "2026.3",
    "model": "large-1",
    "external_id": "checkpoint-1",
    "trace_id": "trace-of-the-agent",
}
CLAIM = proof.Claim(
    project_id="proj_1",
    session_id="sess_1",
    op="update",
    hold="open",
    restored_number=None,
    undo_of=None,
    external_id=None,
    actor_kind="key",
    actor_id="key_1",
    trace_id="trace_1",
    request_key=None,
    requested_at=NOW,
    reasoning_digest=bytes(32),
    step_digest=bytes(32),
    commitment=bytes(32),
)
LEAF_OF_CLAIM = "f9813e85fedffcc89f5c1bdf43f3d88fa197fff9d31ce869c37baf76843b30f7"
TURN_CLAIM = proof.TurnClaim(
    project_id="proj_1",
    session_id="sess_1",
    id="turn_1",
    head_number=1,
    made_version=False,
    before_number=None,
    state_after_sent=False,
    actor_kind="key",
    actor_id="key_1",
    trace_id="trace_1",
    input_type="text",
    output_type="text",
    request_key=None,
    requested_at=NOW,
    reasoning_digest=bytes(32),
    commitment=bytes(32),
)
OTHERWISE = {
    "head_number": 2,
    "made_version": True,
    "before_number": 0,
    "state_after_sent": True,
    "restored_number": 0,
    "undo_of": 0,
    "external_id": "",
    "request_key": "",
    "usage": {"input_tokens": 1},
    "requested_at": NOW + timedelta(microseconds=1),
    "reasoning_digest": b"\x01" * 32,
    "step_digest": b"\x01" * 32,
    "commitment": b"\x01" * 32,
    "source_number": 0,
    "source_digest": b"\x01" * 32,
    "source_opaque": False,
}


VERBS = (
    *("patch", "put", "turn", "rollback", "pause", "resume"),
    *("revert", "reapply", "restore"),
)


def driver():
    connection.ensure_connection()
    return connection.connection


def make_story(agent, key="create-1"):
    """Return a session with one of every kind of version, its head closed."""
    made = agent.post(
        "/v1/sessions",
        {"agent_id": "desk", "initial_state": {"city": "Kyoto", "nights": 3}},
        Idempotency_Key=key,
    )
    path = f"/v1/sessions/{made.body['id']}"
    said = {"input": {"text": "Tokyo!"}, "output": {"text": "Done."}}
    sent = [
        agent.patch(f"{path}/state", {"state": {"city": "Tokyo"}, **STEP}),
        agent.post(f"{path}/turns", {**said, "state_after": {"city": None}}),
        agent.post(f"{path}/turns", said),
        agent.put(
            f"{path}/state",
            b'{"state": {"n": 1180591620717411303424}}',
            Idempotency_Key="put-1",
        ),
        agent.post(
            f"{path}/rollback",
            {"version": 1, "reason": "wrong", "reason_code": "bad_tool", "hold": True},
        ),
        agent.post(f"{path}/resume", {"reason": "looked at it"}),
        agent.patch(f"{path}/state", {"state": {"city": "Tokyo"}}),
        agent.post(f"{path}/pause", {}),
        agent.post(f"{path}/rollback", {"version": -1}),
        agent.post(f"{path}/close", {"reason": "done"}),
    ]
    assert {answer.status for answer in (made, *sent)} <= {200, 201}
    return made.body["id"]


@pytest.fixture
def story(api):
    return make_story(api())


@pytest.fixture
def history(story):
    return checker.assert_proven(driver(), story)


def test_every_kind_of_version_recomputes_from_its_columns(history):
    assert [version.op for version in history.versions] == [
        "create",
        "update",
        "turn",
        "replace",
        "rollback",
        "resume",
        "update",
        "pause",
        "rollback",
        "close",
    ]
    assert len(history.turns) == 2


def test_a_rollback_and_an_update_without_a_difference_store_no_bytes(history):
    assert sorted(history.bodies) == [0, 1, 2, 3]
    assert [version.body_number for version in history.versions[4:]] == [1] * 6


@pytest.mark.parametrize(
    ("number", "column", "value", "found"),
    [
        (1, "op", "replace", "v1: the leaf"),
        (1, "hold", "paused", "v1: the leaf"),
        (4, "restored_number", 0, "v4: the leaf"),
        (1, "undo_of", 0, "v1: the leaf"),
        (1, "external_id", "checkpoint-2", "v1: the leaf"),
        (1, "external_id", None, "v1: the leaf"),
        (1, "actor_kind", "user", "v1: the leaf"),
        (1, "actor_id", "key_somebody", "v1: the leaf"),
        (1, "trace_id", "another", "v1: the leaf"),
        (3, "request_key", "put-2", "v3: the leaf"),
        (3, "request_key", None, "v3: the leaf"),
        (1, "requested_at", NOW, "v1: the leaf"),
        (1, "commitment", bytes(32), "v1: the leaf"),
        (1, "reasoning_digest", bytes(32), "v1: the leaf"),
        (1, "step_digest", bytes(32), "v1: the leaf"),
        (1, "leaf", bytes(32), "v1: the chain"),
        (1, "chain", bytes(32), "v1: the chain"),
        (1, "reasoning", "Nobody asked.", "v1: the reasoning"),
        (1, "step_number", 4, "v1: the step"),
        (1, "step_parent_id", "step-1", "v1: the step"),
        (1, "objective_status", "Done", "v1: the step"),
        (1, "schema_version", "3", "v1: the step"),
        (1, "release", "2026.4", "v1: the step"),
        (1, "model", "small-1", "v1: the step"),
        (4, "reason_code", "other", "v4: the step"),
        (1, "salt", bytes(32), "v1: the reasoning"),
        (1, "body_number", 0, "v1: its body"),
        (1, "body_number", 9, "v1: its body"),
        (1, "parent_number", 5, "v1: its parent"),
        (1, "size", 1, "v1: its state"),
        (2, "created_at", NOW, "v2: it is older"),
    ],
)
def test_every_changed_column_is_found(history, number, column, value, found):
    versions = list(history.versions)
    versions[number] = versions[number]._replace(**{column: value})

    problems = checker.problems(replace(history, versions=versions))

    assert any(problem.startswith(found) for problem in problems), problems


def test_a_version_left_out_is_found(history):
    versions = history.versions[:2] + history.versions[3:]

    problems = checker.problems(replace(history, versions=versions))

    assert any("a gap" in problem for problem in problems)
    assert "v3: the chain does not recompute" in problems


def test_a_version_of_another_session_does_not_fit(history, api):
    other = checker.read(driver(), make_story(api(), key="create-2"))
    versions = [*history.versions[:2], other.versions[2], *history.versions[3:]]

    problems = checker.problems(replace(history, versions=versions))

    assert "v2: the chain does not recompute" in problems


def test_a_flipped_bit_of_a_body_is_found_unless_it_changes_nothing(history):
    seed = 20260301
    draw, read = Random(seed), checker.raws(history)
    for _ in range(300):
        number, body = draw.choice(list(history.bodies.items()))
        data = bytearray(body.data)
        at = draw.randrange(len(data))
        data[at] ^= 1 << draw.randrange(8)
        flipped = {**history.bodies, number: body._replace(data=bytes(data))}
        changed = replace(history, bodies=flipped)

        # One bit of a zstd header means nothing: then the same body is read.
        is_found = bool(checker.problems(changed))
        assert is_found or checker.raws(changed) == read, (seed, number, at)


def test_texts_can_be_emptied_and_leaf_and_chain_recompute(story):
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_version SET reasoning = NULL, model = NULL"
            " WHERE session_id = %s AND number = 1",
            [story],
        )

    assert checker.problems(checker.read(driver(), story)) == [
        "v1: the reasoning is not what was digested",
        "v1: the step metadata is not what was digested",
    ]


def test_a_body_can_be_encoded_anew_and_is_still_what_was_committed_to(story, history):
    raw = checker.raws(history)[1]
    again = bodies.encode(raw, number=1, base=None, salt=history.bodies[1].salt)
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_body SET codec = %s, data = %s, base_number = NULL,"
            " depth = 0 WHERE session_id = %s AND number = 1",
            [again.codec, again.data, story],
        )

    checker.assert_proven(driver(), story)


def test_a_fork_begins_with_its_origins_chain_and_commitment(api, story):
    forked = api().post(f"/v1/sessions/{story}/fork", {"version": 2})

    fork = checker.assert_proven(driver(), forked.body["id"])
    origin = checker.assert_proven(driver(), story)

    first, source = fork.versions[0], origin.versions[2]
    assert first.chain == proof.chain(source.chain, 0, first.leaf)
    assert first.commitment == source.commitment
    assert checker.states(fork)[0] == checker.states(origin)[2]


def test_a_fork_with_another_state_commits_to_that_one(api, story):
    body = {"version": 2, "state": {"city": "Osaka"}}
    forked = api().post(f"/v1/sessions/{story}/fork", body)

    fork = checker.assert_proven(driver(), forked.body["id"])

    assert fork.versions[0].commitment != fork.origin.commitment
    assert checker.states(fork) == [{"city": "Osaka"}]


def test_a_fork_moved_to_another_origin_is_found(api, story):
    forked = api().post(f"/v1/sessions/{story}/fork", {"version": 2})
    fork = checker.read(driver(), forked.body["id"])
    origin = checker.read(driver(), story)

    problems = checker.problems(replace(fork, origin=origin.versions[3]))

    assert problems == ["v0: the chain does not recompute"]


def test_no_two_versions_share_a_salt(history):
    salts = [version.salt for version in history.versions]

    assert len(set(salts)) == len(salts)
    assert {len(salt) for salt in salts} == {32}


@pytest.mark.parametrize("seed", range(3))
def test_any_sequence_of_verbs_is_proven_and_leaves_what_was_there(api, seed):
    draw, agent = Random(seed), api()
    made = agent.post("/v1/sessions", {"agent_id": "desk", "initial_state": {"n": 0}})
    path = f"/v1/sessions/{made.body['id']}"
    seen = {}
    for step in range(40):
        key = {"Idempotency_Key": f"step-{step}"} if draw.random() < 0.5 else {}
        verb = draw.choice(VERBS)
        state = {f"k{draw.randrange(6)}": draw.randrange(100), "text": "x" * step}
        head = max(seen, default=0)
        ends = sorted(draw.randint(1, max(head, 1)) for _ in range(2))
        merged = dict(zip(("first_version", "last_version"), ends, strict=True))
        merged["expected_version"] = head
        restored = {"version": head // 2, "pointers": [f"/k{draw.randrange(6)}"]}
        restored["expected_version"] = head
        bodies_by_verb = {
            "patch": ("PATCH", "state", {"state": state}),
            "put": ("PUT", "state", {"state": state}),
            "turn": (
                "POST",
                "turns",
                {"input": {"t": "?"}, "output": {"t": "!"}, "state_after": state},
            ),
            "rollback": ("POST", "rollback", {"version": draw.randrange(step + 2)}),
            "pause": ("POST", "pause", {}),
            "resume": ("POST", "resume", {}),
            "revert": ("POST", "revert", merged),
            "reapply": ("POST", "reapply", merged),
            "restore": ("POST", "restore", restored),
        }
        method, end, body = bodies_by_verb[verb]
        answer = agent.send(method, f"{path}/{end}", body, key)
        allowed = (200, 201, 404, 409, 422, 423)
        assert answer.status in allowed, (seed, step, answer.content)

        history = checker.assert_proven(driver(), made.body["id"])
        chains = {version.number: version.chain for version in history.versions}
        assert seen.items() <= chains.items(), f"seed {seed}, step {step}"
        seen = chains


@pytest.mark.parametrize("name", [field.name for field in fields(proof.Claim)])
def test_a_leaf_covers_every_field_of_its_claim(name):
    other = replace(CLAIM, **{name: OTHERWISE.get(name, "other")})

    assert other.leaf() != CLAIM.leaf()


def test_a_leaf_without_a_second_parent_is_what_it_was_before_there_were_any():
    # Computed when versions had none.
    assert CLAIM.leaf().hex() == LEAF_OF_CLAIM


@pytest.mark.parametrize("name", [field.name for field in fields(proof.TurnClaim)])
def test_a_turns_leaf_covers_every_field_of_its_claim(name):
    other = replace(TURN_CLAIM, **{name: OTHERWISE.get(name, "other")})

    assert other.leaf() != TURN_CLAIM.leaf()


def test_a_turn_recomputes_by_code_of_our_own_and_by_no_other_turns_columns(history):
    first, second = history.turns
    project_id = history.session.project_id

    assert checker.turn_leaf(project_id, first) == first.leaf
    assert checker.turn_leaf(project_id, second) == second.leaf
    assert first.salt != second.salt
    for turns in ([second], [second, first], [first._replace(turn_number=2)]):
        assert checker.problems(replace(history, turns=turns))


@pytest.mark.parametrize("number", [0, 1, 2**62])
def test_no_value_of_versions_is_one_of_turns(number):
    # Each begins with a byte of its own, and what follows has one length.
    leaf, start = TURN_CLAIM.leaf(), proof.before_turns("sess_1")

    assert proof.turn_chain(start, number, leaf) != proof.chain(start, number, leaf)
    assert start != proof.before_turns("sess_2") != proof.NO_CHAIN


def test_text_cannot_wander_from_one_field_to_the_next():
    left = replace(CLAIM, actor_kind="ab", actor_id="c")
    right = replace(CLAIM, actor_kind="a", actor_id="bc")

    assert left.leaf() != right.leaf()


def test_a_leaf_depends_on_the_instant_and_not_on_the_zone():
    elsewhere = NOW.astimezone(timezone(timedelta(hours=5)))

    assert replace(CLAIM, requested_at=elsewhere).leaf() == CLAIM.leaf()


def test_a_chain_depends_on_what_came_before_the_number_and_the_leaf():
    leaf = CLAIM.leaf()
    values = {
        proof.chain(proof.NO_CHAIN, 0, leaf),
        proof.chain(proof.NO_CHAIN, 1, leaf),
        proof.chain(b"\x01" * 32, 0, leaf),
        proof.chain(proof.NO_CHAIN, 0, bytes(32)),
    }

    assert len(values) == 4


def test_a_digest_of_no_text_differs_from_one_of_empty_text():
    assert proof.salted(bytes(32), None) != proof.salted(bytes(32), "")
    assert proof.salted(bytes(32), "a", "b") != proof.salted(bytes(32), "ab", None)
    assert proof.salted(bytes(32), "a") != proof.salted(b"\x01" * 32, "a")
