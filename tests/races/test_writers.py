"""Many writers at once: one winner per number, no gap, nobody's work is lost."""

import multiprocessing
from datetime import datetime
from random import Random

import pytest

from tests import proof
from tests.races.contender import contend
from tests.races.traffic import at_once

WRITERS = 100
ROUNDS = 24
SAID = {"input": {"text": "?"}, "output": {"text": "!"}}


def instant(text):
    return datetime.fromisoformat(text)


def test_300_unnamed_writes_of_100_writers_all_land_one_per_number(
    lines, start, database
):
    session_id = start({"began": True})
    path = f"/v1/sessions/{session_id}/state"

    def write(line, writer):
        keys = [f"w{writer}-{count}" for count in range(3)]
        return [(key, line.patch(path, {"state": {key: writer}})) for key in keys]

    done = at_once(
        [
            lambda line=line, writer=writer: write(line, writer)
            for writer, line in enumerate(lines(WRITERS))
        ]
    )

    answers = dict(one for written in done for one in written)
    assert {answer.status for answer in answers.values()} == {200}
    won = {answer.body["version"]: key for key, answer in answers.items()}
    assert sorted(won) == list(range(1, 301))
    history = proof.assert_proven(database, session_id)
    assert len(history.versions) == 301
    states = proof.states(history)
    assert states[300].keys() == {"began", *answers}
    for number, key in won.items():
        # Each version adds the one key of the writer that was told this number.
        assert states[number].keys() - states[number - 1].keys() == {key}
        assert answers[key].body["state"] == states[number]


@pytest.fixture
def contest(live):
    """Race two processes through the rounds; return their answers side by side."""
    secrets = [live.key("races", "--name", name) for name in ("left", "right")]
    context = multiprocessing.get_context("spawn")

    def run(path, by_header):
        barrier, pipes, processes = context.Barrier(2), [], []
        for name, secret in zip(("left", "right"), secrets, strict=True):
            receiving, sending = context.Pipe(duplex=False)
            process = context.Process(
                target=contend,
                args=(live.url, secret, path, name, by_header[name], barrier, sending),
            )
            process.start()
            sending.close()
            pipes.append(receiving)
            processes.append(process)
        answers = [pipe.recv() if pipe.poll(60) else [] for pipe in pipes]
        for process in processes:
            process.join(10)
        return list(zip(*answers, strict=True))

    return run


def test_of_two_processes_on_one_head_exactly_one_succeeds(contest, start, database):
    session_id = start()
    # All four ways in which two writers may name the head they saw.
    by_header = {
        "left": [number % 2 == 1 for number in range(ROUNDS)],
        "right": [number // 2 % 2 == 1 for number in range(ROUNDS)],
    }

    rounds = contest(f"/v1/sessions/{session_id}/state", by_header)

    assert len(rounds) == ROUNDS
    history = proof.assert_proven(database, session_id)
    assert len(history.versions) == ROUNDS + 1
    for number, pair in enumerate(rounds):
        names = ("left", "right") if pair[0][0] == 200 else ("right", "left")
        (won_status, won), (lost_status, lost) = sorted(pair, key=lambda one: one[0])
        assert won_status == 200, number
        assert won["version"] == number + 1
        assert won["state"][f"{names[0]}-{number}"] == number
        error = lost["error"]
        assert (lost_status, error["code"], error["param"]) == (
            (412, "version_mismatch", "If-Match")
            if by_header[names[1]][number]
            else (409, "version_conflict", "expected_version")
        )
        assert (error["expected_version"], error["head"]) == (number, number + 1)
        assert error["head_written_by"] == history.versions[number + 1].actor_label
        assert instant(error["head_written_at"]) == instant(won["updated_at"])
        assert error["changed_paths"] == [f"/{names[0]}-{number}"]


def test_turns_at_once_make_one_chain(lines, start, database):
    session_id = start()
    path = f"/v1/sessions/{session_id}/turns"

    def talk(line, writer):
        # Every other turn leaves another state, and so has to win a number as well.
        after = [{}, {"state_after": {"by": writer}}]
        return [line.post(path, {**SAID, **after[n % 2]}) for n in range(6)]

    done = at_once(
        [
            lambda line=line, writer=writer: talk(line, writer)
            for writer, line in enumerate(lines(8))
        ]
    )

    answers = [answer for said in done for answer in said]
    assert {answer.status for answer in answers} == {201}
    numbers = sorted(answer.body["turn_number"] for answer in answers)
    assert numbers == list(range(1, 49))
    history = proof.assert_proven(database, session_id)
    assert len({turn.chain for turn in history.turns}) == 48


@pytest.mark.parametrize("seed", [1, 2])
def test_mixed_verbs_on_one_session_leave_histories_that_recompute(
    lines, start, database, seed
):
    session_id = start({"n": 0})
    path = f"/v1/sessions/{session_id}"

    def act(line, draw, writer):
        forks = []
        for step in range(6):
            verb = draw.choice(["patch", "put", "turn", "rollback", "fork"])
            state = {f"{writer}-{step}": "x" * draw.randrange(200)}
            answer = {
                "patch": lambda s=state: line.patch(f"{path}/state", {"state": s}),
                "put": lambda s=state: line.put(f"{path}/state", {"state": s}),
                "turn": lambda s=state: line.post(
                    f"{path}/turns", {**SAID, "state_after": s}
                ),
                "rollback": lambda: line.post(f"{path}/rollback", {"version": -1}),
                "fork": lambda: line.post(f"{path}/fork", {}),
            }[verb]()
            # Stepping back from version 0 is an error that says so.
            assert answer.status in (200, 201, 404), (seed, verb, answer.content)
            if verb == "fork":
                forks.append(answer.body["id"])
        return forks

    forked = at_once(
        [
            lambda line=line, writer=writer: act(
                line, Random(seed * 1000 + writer), writer
            )
            for writer, line in enumerate(lines(20))
        ]
    )

    for one in [session_id, *(fork for forks in forked for fork in forks)]:
        proof.assert_proven(database, one)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("end", "body", "refusal"),
    [
        ("pause", {"reason": "stop"}, (423, "session_paused")),
        ("rollback", {"version": 0, "hold": True}, (423, "session_paused")),
        ("close", {}, (409, "session_closed")),
    ],
)
def test_no_agent_writes_after_a_hold_was_answered(
    lines, start, database, seed, end, body, refusal
):
    session_id = start()
    path = f"/v1/sessions/{session_id}"
    *writers, holder = lines(9)
    moment = Random(seed).randrange(2, 12)

    def write(line, writer):
        answers = []
        for count in range(100):
            answers.append(
                line.patch(f"{path}/state", {"state": {f"{writer}-{count}": 1}})
            )
            if answers[-1].status != 200:
                break
        return answers

    def hold():
        # Let some versions come first, so that the hold meets writers in full run.
        while holder.get(f"{path}/state").body["version"] < moment:
            pass
        return [holder.post(f"{path}/{end}", body)]

    *written, (held,) = at_once(
        [
            hold if line is holder else lambda line=line, at=at: write(line, at)
            for at, line in enumerate([*writers, holder])
        ]
    )

    assert held.status == 200, (seed, held.content)
    history = proof.assert_proven(database, session_id)
    assert history.versions[-1].number == held.body["version"], seed
    for answers in written:
        *stored, last = answers
        assert all(one.body["version"] < held.body["version"] for one in stored), seed
        assert (last.status, last.error["code"]) == refusal, (seed, last.content)


def test_writers_go_on_where_a_resume_lets_them(lines, start, database):
    session_id = start()
    path = f"/v1/sessions/{session_id}"
    opener, *writers = lines(9)
    assert opener.post(f"{path}/pause", {}).status == 200

    def write(line, writer):
        # A refused write is sent again with the same key, as a client would.
        while True:
            answer = line.patch(
                f"{path}/state", {"state": {writer: 1}}, Idempotency_Key=writer
            )
            if answer.status != 423:
                return answer

    answers = at_once(
        [
            lambda: opener.post(f"{path}/resume", {}),
            *(
                lambda line=line, at=at: write(line, f"w{at}")
                for at, line in enumerate(writers)
            ),
        ]
    )

    assert {answer.status for answer in answers} == {200}
    history = proof.assert_proven(database, session_id)
    assert proof.states(history)[10] == {f"w{at}": 1 for at in range(8)}
