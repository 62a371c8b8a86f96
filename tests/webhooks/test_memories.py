"""What webhooks are told of memories: which and whose, never what they say."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.core.actors import SYSTEM
from apps.memory import operations as memory
from apps.memory.models import Memory
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = (
    *("memory.created", "memory.updated", "memory.deleted", "memory.conflicted"),
    "memory.restored",
)


def test_what_happens_to_memories_is_told(api, receiver, subscribe, sweep) -> None:
    subscribe(*KINDS)
    mind = Mind(api())
    session = mind.session(user="ada")
    seat = mind.add("Prefers aisle seats", session_id=session, scope="user", type="x")
    near = mind.add("Prefers aisle seats on trains", user_id="ada")
    done(mind.patch(seat["id"], content="Prefers window seats"))
    mind.delete(near["id"])
    body = {"user_id": "ada", "version": 0}
    done(mind.client.post("/v1/memories/rollback", body))

    sweep()

    told = [(one.kind, one.body["data"]) for one in receiver.seen]
    assert sorted(kind for kind, _ in told) == sorted(
        ["memory.created", "memory.conflicted", *KINDS],
    )
    first = next(data for _, data in told if data["id"] == seat["id"])
    assert (first["object"], first["scope"]) == ("memory", "user")
    assert first["owner"] == "ada"
    assert (first["session_id"], first["type"], first["at"]) == (session, "x", 1)
    flagged = next(data for kind, data in told if kind == "memory.conflicted")
    assert (flagged["memory_id"], flagged["near"]) == (near["id"], [seat["id"]])
    assert not any(b"seats" in one.content for one in receiver.seen)


def test_that_memories_have_expired_is_told(api, receiver, subscribe, sweep) -> None:
    subscribe("memory.expired")
    soon = timezone.now() + timedelta(seconds=30)
    made = Mind(api()).add(
        "Is in Rome today", user_id="ada", expires_at=soon.isoformat()
    )

    assert memory.expire_due(actor=SYSTEM, now=soon + timedelta(seconds=1)) == 1
    sweep()

    (sent,) = receiver.seen
    assert sent.kind == "memory.expired"
    told = sent.body["data"]
    assert (told["scope"], told["owner"]) == ("user", "ada")
    assert b"Rome" not in sent.content
    assert Memory.objects.get(id=made["id"]).status == "removed"


def test_slack_is_told_whose_memories_they_are(api, receiver, subscribe, sweep) -> None:
    subscribe("memory.created", format="slack")
    Mind(api()).add("Prefers aisle seats", user_id="<ada>")

    sweep()

    (sent,) = receiver.seen
    assert "remembered something of user &lt;ada&gt;." in sent.body["text"]
