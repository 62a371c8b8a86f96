"""What a session's contexts were given is noted, and what became of it is said."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Project, Scope
from apps.core.roles.names import Role
from apps.memory import operations as memory
from apps.memory.models import ContextRead
from apps.memory.reads import noting
from apps.memory.reads.listing import Read, list_reads
from tests.acting import acting_as
from tests.acts import SYSTEM, act_in
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db


@pytest.fixture
def reads(project: Project) -> Any:
    """Return what a session read, as a person of the project lists it."""

    def listed(session_id: str, **more: Any) -> list[Read]:
        act = act_in(project)
        asked = {"limit": 20, **more}
        return list(list_reads(act=act, session_id=session_id, **asked).reads)

    return listed


def since(found: list[Read]) -> dict[str, list[str]]:
    """Return what happened to each memory of the newest read since."""
    return {one.id: list(one.since) for one in found[0].memories}


def test_a_context_notes_what_it_was_given_by_whom_and_at_which_version(
    mind: Mind, reads: Any
) -> None:
    session = mind.session(user="ada")
    seat = mind.add("Prefers aisle seats on planes", user_id="ada")
    mind.add("Was born in May", user_id="ada", confidence=0.1)
    mind.change_state(session, step=1)
    told = mind.context(session, query="Which seat on the plane?")["memories"]

    (read,) = reads(session)
    assert [one.id for one in read.memories] == [seat["id"]]
    assert [one.score for one in read.memories] == [told[0]["score"]]
    assert (read.note.version, read.note.actor_kind) == (1, "key")
    assert read.note.memories == [seat["id"]]
    assert since([read]) == {seat["id"]: []}
    assert "Which seat" not in str(ContextRead.objects.values())


def test_a_context_without_memories_notes_nothing(mind: Mind, reads: Any) -> None:
    session = mind.session(user="ada")
    mind.context(session, query="anything")
    mind.add("Prefers aisle seats", user_id="ada")
    mind.context(session, memory_limit=0)

    assert reads(session) == []


def test_a_search_is_no_read_of_the_session(mind: Mind, reads: Any) -> None:
    session = mind.session(user="ada")
    mind.add("Prefers aisle seats", user_id="ada")
    assert mind.found("aisle seats", session_id=session)

    assert reads(session) == []


def test_the_same_memories_are_noted_once_a_version(mind: Mind, reads: Any) -> None:
    session = mind.session(user="ada")
    made = mind.add("Prefers aisle seats", user_id="ada")
    for _ in range(3):
        mind.context(session)
    assert len(reads(session)) == 1

    mind.change_state(session, step=1)
    mind.context(session)
    assert [one.note.version for one in reads(session)] == [1, 0]
    # Another version of the memory is another thing to have read.
    done(mind.patch(made["id"], content="Prefers window seats"))
    mind.context(session)
    assert [one.note.ordinals for one in reads(session)] == [[2], [1], [1]]


def test_of_one_version_so_many_reads_are_noted_and_no_more(
    mind: Mind, reads: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noting, "MOST_OF_VERSION", 2)
    session = mind.session(user="ada")
    for place in range(4):
        mind.add(f"Fact number {place}", user_id="ada")
        mind.context(session)

    assert len(reads(session)) == 2
    mind.change_state(session, step=1)
    mind.context(session)
    assert len(reads(session)) == 3


def test_reads_are_listed_page_by_page_newest_first(
    mind: Mind, project: Project, reads: Any
) -> None:
    session = mind.session(user="ada")
    for place in range(3):
        mind.add(f"Fact number {place}", user_id="ada")
        mind.context(session)
    act = act_in(project)

    first = list_reads(act=act, session_id=session, limit=2)
    rest = list_reads(act=act, session_id=session, limit=2, after_id=first.last_id)

    assert (len(first.reads), first.has_more) == (2, True)
    assert (len(rest.reads), rest.has_more) == (1, False)
    sizes = [len(one.memories) for one in (*first.reads, *rest.reads)]
    assert sizes == [3, 2, 1]


def test_a_reader_may_build_a_context_and_it_is_noted(
    mind: Mind, api: Any, make_key: Any, reads: Any
) -> None:
    session = mind.session(user="ada")
    mind.add("Prefers aisle seats", user_id="ada")

    Mind(api(make_key(scope=Scope.READ))).context(session)

    assert len(reads(session)) == 1


def test_another_session_or_project_sees_none_of_it(
    mind: Mind, other_project: Project, reads: Any
) -> None:
    session, other = mind.session(user="ada"), mind.session(user="ada")
    mind.add("Prefers aisle seats", user_id="ada")
    mind.context(session)

    assert reads(other) == []
    act = act_in(other_project)
    assert list_reads(act=act, session_id=session, limit=9).reads == []


def test_what_became_of_a_memory_since_is_said(mind: Mind, reads: Any) -> None:
    session = mind.session(user="ada")
    seat, paid, gone, tea, kept = (
        mind.add(text, user_id="ada")["id"]
        for text in ("Sits aside", "Has paid", "Likes tea", "Is vegan", "Lives in Rome")
    )
    mind.context(session)
    assert set(map(tuple, since(reads(session)).values())) == {()}

    done(mind.patch(seat, content="Sits at the window"))
    decision = {"memory_id": paid, "decision": "drop"}
    done(mind.client.post("/v1/memories/resolve", decision))
    assert mind.delete(gone).status == 204

    assert since(reads(session)) == {
        seat: ["changed"],
        paid: ["dropped"],
        gone: ["deleted"],
        tea: [],
        kept: [],
    }


def test_a_memory_that_was_rolled_back_since_says_so(mind: Mind, reads: Any) -> None:
    session = mind.session(user="ada")
    seat = mind.add("Sits aside", user_id="ada")
    done(mind.patch(seat["id"], content="Sits at the window"))
    late = mind.add("Has paid", user_id="ada")
    mind.context(session)

    back = {"user_id": "ada", "version": 1}
    done(mind.client.post("/v1/memories/rollback", back))

    assert since(reads(session)) == {
        seat["id"]: ["rolled back"],
        late["id"]: ["rolled back"],
    }


def test_a_memory_whose_source_was_rolled_back_says_so(mind: Mind, reads: Any) -> None:
    session = mind.session(user="ada")
    mind.change_state(session, step=1)
    made = mind.add("Has paid", session_id=session, scope="user")
    mind.context(session)
    mind.step_back(session, 0)

    assert since(reads(session)) == {made["id"]: ["its source was rolled back"]}


def test_a_memory_that_expired_since_says_so(
    mind: Mind, project: Project, reads: Any
) -> None:
    session = mind.session(user="ada")
    soon = timezone.now() + timedelta(seconds=60)
    made = mind.add("Has a coupon", user_id="ada", expires_at=soon.isoformat())
    mind.context(session)
    memory.expire_due(actor=SYSTEM, now=soon + timedelta(seconds=1))

    assert since(reads(session)) == {made["id"]: ["expired"]}


def test_noting_waits_for_no_disk(mind: Mind, project: Project) -> None:
    session = mind.session(user="ada")
    mind.add("Prefers aisle seats", user_id="ada")

    def commits(**asked: Any) -> str:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = on")
            mind.context(session, **asked)
            cursor.execute("SHOW synchronous_commit")
            return str(cursor.fetchone()[0])

    assert commits(memory_limit=0) == "on"
    assert commits() == "off"


def test_the_worker_notes_nothing(mind: Mind) -> None:
    session = mind.session(user="ada")
    mind.add("Prefers aisle seats", user_id="ada")
    mind.context(session)

    with acting_as(Role.WORKER), pytest.raises(Exception, match="permission denied"):
        ContextRead.objects.create(
            session_id=session, id="read_0", project_id="p", version=0, digest=b"1"
        )
