"""What an encrypting project writes is sealed, and read by everybody who may."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import Project, SubjectKey
from apps.timeline import bodies
from apps.timeline.models import Body, Turn
from tests.encryption.conftest import forget, line
from tests.timeline import runs

pytestmark = pytest.mark.django_db
CANARY = "canary5d1e77"


@pytest.fixture
def client(api: runs.Clients, encrypted: Project) -> Any:
    return api()


@pytest.fixture
def run(client: Any) -> runs.Run:
    """A session with a turn, of nobody, of which every body holds the canary."""
    made = runs.begin(client, {"step": 0, "said": f"{CANARY} 0"})
    made.patch({"step": 1, "said": f"{CANARY} 1"})
    made.turn(f"{CANARY} hello", f"{CANARY} heard")
    return made


def stored(session_id: str) -> list[tuple[int, bytes]]:
    of_bodies = Body.objects.filter(session_id=session_id)
    of_turns = Turn.objects.filter(session_id=session_id)
    return [
        (one.codec, bytes(one.data)) for rows in (of_bodies, of_turns) for one in rows
    ]


def test_every_body_and_turn_is_sealed(run: runs.Run) -> None:
    rows = stored(run.id)
    assert len(rows) == 3
    assert all(codec > bodies.SEALED for codec, _ in rows)
    assert not any(CANARY.encode() in data for _, data in rows)


def test_a_new_process_reads_states_turns_and_the_past(run: runs.Run) -> None:
    bodies.cache.forget(run.id)
    forget()
    assert run.get("state")["state"]["said"] == f"{CANARY} 1"
    assert run.get("versions", 0)["state"]["said"] == f"{CANARY} 0"
    assert CANARY in str(run.get("turns"))
    assert CANARY in str(run.post("context", {}))


def test_rollback_and_fork_seal_what_they_show(run: runs.Run) -> None:
    run.rollback(0)
    assert run.get("state")["state"]["step"] == 0
    fork = run.fork(version=1)
    assert fork.get("state")["state"]["said"] == f"{CANARY} 1"
    assert all(codec > bodies.SEALED for codec, _ in stored(fork.id))


def test_verify_finds_nothing(run: runs.Run) -> None:
    run.rollback(0)
    found = run.get("verify")
    assert found["valid"], found


def test_deltas_stay_small(client: Any) -> None:
    run = runs.begin(client, {"text": "x" * 5_000 + CANARY, "step": 0})
    run.patch({"step": 1})
    delta = Body.objects.get(session_id=run.id, number=1)
    assert delta.codec == bodies.Codec.SEALED_ZSTD_DELTA
    assert len(delta.data) < 200


def test_each_person_has_a_key_of_their_own(client: Any) -> None:
    first = runs.begin(client, {"a": 1}, user_id="u_1")
    again = runs.begin(client, {"a": 2}, user_id="u_1")
    other = runs.begin(client, {"a": 3}, user_id="u_2")
    marks = [stored(one.id)[0][1][:8] for one in (first, again, other)]
    assert marks[0] == marks[1] != marks[2]
    assert SubjectKey.objects.count() == 2


def test_a_body_of_another_session_does_not_open(client: Any) -> None:
    one, other = (runs.begin(client, {"a": number}) for number in (1, 2))
    moved = Body.objects.get(session_id=one.id, number=0)
    place = bodies.Place(other.id, bytes(moved.salt))
    with pytest.raises(bodies.CorruptBody, match="stood elsewhere"):
        bodies.decode(moved.codec, bytes(moved.data), moved.size, None, place)


def test_without_the_key_what_is_not_known_answers_503(
    run: runs.Run, keys: Path
) -> None:
    bodies.cache.forget(run.id)
    assert run.get("state")["state"]["step"] == 1
    kept = keys.read_text()
    keys.unlink()
    bodies.cache.forget(run.id)
    # Known keys go on.
    assert run.get("state")["state"]["step"] == 1
    bodies.cache.forget(run.id)
    forget()
    answer = run.client.get(run.path("state"))
    assert (answer.status, answer.code) == (503, "keys_unavailable")
    assert int(answer.headers["Retry-After"]) > 0
    answer = run.client.patch(run.path("state"), {"state": {"step": 9}})
    assert (answer.status, answer.code) == (503, "keys_unavailable")
    keys.write_text(kept)
    assert run.get("state")["state"]["step"] == 1


def test_another_key_under_the_same_id_is_named(run: runs.Run, keys: Path) -> None:
    keys.write_text(line("first"))
    bodies.cache.forget(run.id)
    forget()
    answer = run.client.get(run.path("state"))
    assert (answer.status, answer.code) == (503, "keys_unavailable")
    assert "first" in answer.body["detail"]


def test_a_project_that_does_not_encrypt_writes_in_clear(
    api: runs.Clients, keys: Path
) -> None:
    run = runs.begin(api(), {"a": 1}, user_id="u_1")
    assert all(codec <= bodies.SEALED for codec, _ in stored(run.id))
    assert not SubjectKey.objects.exists()
