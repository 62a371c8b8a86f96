"""Whatever is done to memories, they are what a plain model says, and verify holds."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Project
from apps.audit import operations as audit
from apps.core.actors import SYSTEM
from apps.memory import operations as memory
from apps.memory.documents.finding import read_entries
from apps.memory.documents.storing import row_of
from apps.memory.models import Memory
from apps.timeline import queries
from apps.timeline.operations import Document
from apps.timeline.verification import verify_session
from tests.memory.conftest import Mind, done
from tests.memory.modelled import SURE, Owned, Said, living

pytestmark = pytest.mark.django_db
EXAMPLES = 60 if os.environ.get("CI") else 15
TEXTS = ("Order 1 was paid", "Order 2 was paid", "Likes tea", "Likes  TEA", "Has a cat")
# Two users, and the memories of two sessions of the first one.
OWNERS = ("ada", "bob", "first", "second")
SESSIONS = OWNERS[2:]
AWAY = timedelta(minutes=2)
# Once; twice with one key; twice without, as after a lost answer.
WAYS = st.sampled_from(("once", "key", "lost"))
SURENESS = st.sampled_from((0.4, 0.6, 0.8, 1.0))
PLACES = st.integers(0, 9)
ACTS = st.one_of(
    st.tuples(
        st.just("add"),
        WAYS,
        st.sampled_from(OWNERS),
        st.sampled_from(TEXTS),
        st.none() | st.sampled_from(SESSIONS),
        SURENESS,
        st.booleans(),
    ),
    st.tuples(st.just("change"), WAYS, PLACES, st.sampled_from(TEXTS)),
    st.tuples(st.just("doubt"), WAYS, PLACES, SURENESS),
    st.tuples(st.just("delete"), WAYS, PLACES),
    st.tuples(
        st.just("decide"),
        WAYS,
        PLACES,
        st.sampled_from(("accept", "drop", "promote")),
    ),
    st.tuples(
        st.just("decide_of_two"),
        WAYS,
        PLACES,
        PLACES,
        st.sampled_from(("keep", "replace", "both")),
    ),
    st.tuples(st.just("forget"), WAYS, st.sampled_from(SESSIONS)),
    st.tuples(st.just("back"), WAYS, st.sampled_from(OWNERS), st.integers(0, 5)),
    st.tuples(
        st.just("import_"),
        WAYS,
        st.sampled_from(OWNERS[:2]),
        st.sampled_from(TEXTS),
        st.text("ab", max_size=2),
    ),
    st.tuples(st.just("wait"), st.booleans()),
)


@dataclass
class Clock:
    """The time of all requests; it goes on when it is told to."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass
class History:
    """Does the same to the model and over the API, and compares them."""

    mind: Mind
    # An agent's key may not decide about what is proposed.
    administrator: Mind
    project: Project
    clock: Clock
    number: int
    owned: dict[str, Owned] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    imported: set[str] = field(default_factory=set)
    keys: count[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.owned = {name: Owned() for name in OWNERS}
        for name in SESSIONS:
            self.sessions[name] = self.mind.session(user=self.user("ada"))

    # How it is asked.

    def user(self, name: str) -> str:
        return f"{name} {self.number}"

    def place(self, name: str) -> dict[str, str]:
        """Return how an owner is named: all memories of a place are in one document."""
        if name in SESSIONS:
            return {"session_id": self.sessions[name], "scope": "session"}
        return {"user_id": self.user(name), "scope": "user"}

    def document(self, name: str) -> Document:
        if name in SESSIONS:
            return Document.of_memories(self.project, "session", self.sessions[name])
        return Document.of_memories(self.project, "user", self.user(name))

    def send(self, way: str, method: str, path: str, body: Any = None) -> Any:
        """Ask; where the answer is lost, ask again, and have nothing more happen."""
        key = f"k-{self.number}-{next(self.keys)}"
        headers = {"Idempotency_Key": key} if way == "key" else {}
        is_decision = method == "PATCH" or path.endswith("/resolve")
        client = (self.administrator if is_decision else self.mind).client
        answer = client.send(method, path, body, headers)
        assert answer.status in (200, 201, 204), answer.content
        if way == "once":
            return answer.body if answer.content else None
        before = self.heads()
        again = client.send(method, path, body, headers)
        assert self.heads() == before
        if way == "key":
            assert (again.status, again.content) == (answer.status, answer.content)
        else:
            # What is gone already cannot be deleted once more.
            assert again.status == 404 if method == "DELETE" else answer.status
        return answer.body if answer.content else None

    def heads(self) -> list[int]:
        """Return the version of each document."""
        found = []
        for name in OWNERS:
            document_id = self.document(name).id
            standing = queries.standing(document_id, now=self.clock.now)
            found.append(0 if standing is None else standing.number)
        return found

    def chosen(self, place: int) -> tuple[str, str, Said] | None:
        """Return the memory at that place of all that there are."""
        everything = [
            (name, own_id, said)
            for name in OWNERS
            for own_id, said in sorted(self.owned[name].at(self.clock.now).items())
        ]
        return everything[place % len(everything)] if everything else None

    # What is done.

    def add(
        self,
        way: str,
        name: str,
        text: str,
        session: str | None,
        confidence: float,
        expires: bool,
    ) -> None:
        session = name if name in SESSIONS else session
        body: dict[str, Any] = {"content": text, "confidence": confidence}
        expires_at = self.clock.now + AWAY if expires else None
        if expires_at is not None:
            body["expires_at"] = expires_at.isoformat()
        if session is not None:
            body["session_id"] = self.sessions[session]
        made = self.send(way, "POST", "/v1/memories", body | self.place(name))
        owned, now = self.owned[name], self.clock.now
        known = owned.equal(text, now)
        if known is None:
            status = "believed" if confidence >= SURE else "proposed"
            said = Said(text, session, (), status, confidence, expires_at=expires_at)
            owned.change(now, **{made["id"]: said})
            return
        assert made["id"] == known
        owned.alter(known, now, lambda said: said.again(session, confidence))

    def change(self, way: str, place: int, text: str) -> None:
        if (chosen := self.chosen(place)) is None:
            return
        name, own_id, said = chosen
        self.send(way, "PATCH", f"/v1/memories/{own_id}", {"content": text})
        if text != said.text:
            changed = replace(
                said,
                text=text,
                by=None,
                also=(),
                sure=(said.confidence,),
                decided=None,
                reinforced=0,
            )
            self.owned[name].change(self.clock.now, **{own_id: changed})

    def doubt(self, way: str, place: int, confidence: float) -> None:
        if (chosen := self.chosen(place)) is None:
            return
        name, own_id, said = chosen
        body = {"confidence": confidence}
        self.send(way, "PATCH", f"/v1/memories/{own_id}", body)
        status = "believed" if confidence >= SURE else "proposed"
        after = said if confidence == said.confidence else said.settled(confidence)
        if said.is_standing:
            after = replace(after, status=status)
        self.owned[name].change(self.clock.now, **{own_id: after})

    def delete(self, way: str, place: int) -> None:
        if (chosen := self.chosen(place)) is None:
            return
        name, own_id, _ = chosen
        self.send(way, "DELETE", f"/v1/memories/{own_id}")
        after = dict(self.owned[name].at(self.clock.now))
        del after[own_id]
        self.owned[name].become(after)

    def decide(self, way: str, place: int, decision: str) -> None:
        chosen = self.chosen(place)
        if chosen is None or (decision == "promote" and chosen[0] not in SESSIONS):
            return
        name, own_id, said = chosen
        body = {"memory_id": own_id, "decision": decision}
        told = self.send(way, "POST", "/v1/memories/resolve", body)["data"]
        if decision == "promote":
            self.promoted(name, own_id, said, told)
            return
        after = believed(said) if decision == "accept" else dropped(said)
        self.owned[name].change(self.clock.now, **{own_id: after})

    def promoted(self, name: str, own_id: str, said: Said, told: Any) -> None:
        """Have the session's memory be its user's, and be replaced by that."""
        user, now = self.owned["ada"], self.clock.now
        own, left = told
        known = user.equal(said.text, now)
        assert left["id"] == own_id
        if known is None:
            theirs = replace(believed(said), expires_at=None)
            user.change(now, **{own["id"]: theirs})
        else:
            assert own["id"] == known
            sure = believed(said).confidence
            user.alter(known, now, lambda one: believed(one.again(said.by, sure)))
        gone = replace(said, status="replaced", replaced_by=own["id"])
        self.owned[name].change(now, **{own_id: gone})

    def decide_of_two(self, way: str, place: int, other: int, decision: str) -> None:
        if (chosen := self.chosen(place)) is None:
            return
        name, own_id, said = chosen
        now = self.clock.now
        others = sorted(set(self.owned[name].at(now)) - {own_id})
        if not others:
            return
        other_id = others[other % len(others)]
        body = {"memory_id": own_id, "decision": decision, "other_id": other_id}
        self.send(way, "POST", "/v1/memories/resolve", body)
        if decision == "keep":
            self.owned[name].change(now, **{own_id: dropped(said)})
        elif decision == "replace":
            gone = self.owned[name].at(now)[other_id]
            gone = replace(gone, status="replaced", replaced_by=own_id)
            self.owned[name].change(now, **{own_id: believed(said), other_id: gone})

    def forget(self, way: str, session: str) -> None:
        body = {"from_session": self.sessions[session]}
        self.send(way, "POST", "/v1/memories/rollback", body)
        for owned in self.owned.values():
            owned.forget(session, self.clock.now)

    def back(self, way: str, name: str, steps: int) -> None:
        """Step to where the document was so many states ago."""
        owned = self.owned[name]
        at = max(len(owned.states) - 1 - steps, 0)
        body = self.place(name) | {"version": owned.numbers[at]}
        self.send(way, "POST", "/v1/memories/rollback", body)
        owned.become(living(owned.states[at], self.clock.now))

    def import_(self, way: str, name: str, text: str, external_id: str) -> None:
        own = f"{self.number} {external_id}"
        item = {"id": own, "memory": text, "user_id": self.user(name)}
        told = self.send(way, "POST", "/v1/memories/import", {"memories": [item]})
        (result,) = told["results"]
        known = self.owned[name].equal(text, self.clock.now)
        if external_id in self.imported:
            assert result["result"] == "known"
        elif known is not None:
            assert (result["result"], result["memory_id"]) == ("same", known)
        else:
            assert result["result"] == "imported"
            self.imported.add(external_id)
            imported = {result["memory_id"]: Said(text)}
            self.owned[name].change(self.clock.now, **imported)

    def wait(self, is_swept: bool) -> None:
        """Have time go on; what has expired is gone, recorded or not."""
        self.clock.now += AWAY * 0.6
        if is_swept:
            memory.expire_due(actor=SYSTEM, now=self.clock.now)
        for owned in self.owned.values():
            owned.become(owned.at(self.clock.now))

    # What has to be so.

    def compare(self) -> None:
        for name, number in zip(OWNERS, self.heads(), strict=True):
            owned = self.owned[name]
            assert self.listed(name) == told_of(owned.at(self.clock.now))
            # An act that changes nothing but what is near makes a version as well, to
            # which the same state belongs.
            owned.numbers[-1] = number

    def listed(self, name: str) -> dict[str, Any]:
        query = self.place(name) | {"limit": 100}
        query["status"] = "believed,proposed,replaced,dropped"
        found = done(self.mind.client.get("/v1/memories", query))["data"]
        ids = {id_: name for name, id_ in self.sessions.items()}
        return {
            one["id"]: (
                one["content"],
                ids.get(one["source"]["session_id"]),
                one["status"],
                pytest.approx(one["confidence"], abs=1e-3),
                one["reinforced"],
                one["replaced_by"],
            )
            for one in found
        }

    def verify(self) -> None:
        """Recompute the documents, their records, and the rows that follow of them."""
        for name in OWNERS:
            document = self.document(name)
            if queries.standing(document.id, now=self.clock.now) is None:
                assert not self.owned[name].states[-1]
                continue
            report = verify_session(document.id)
            assert report.first_broken is report.first_derived is None
            assert audit.verify_records(stream_id=document.id).is_intact
            rows = {row.id: row for row in Memory.objects.of([document.id])}
            kept = read_entries(document, list(rows), now=self.clock.now)
            for one in kept:
                assert columns(rows.pop(one.content.id)) == columns(
                    row_of(document, one)
                )
            assert (
                not Memory.objects.of([document.id])
                .alive(now=self.clock.now)
                .filter(id__in=list(rows))
            )


def told_of(state: dict[str, Said]) -> dict[str, Any]:
    return {
        own_id: (
            said.text,
            said.by,
            said.status,
            said.confidence,
            said.reinforced,
            said.replaced_by,
        )
        for own_id, said in state.items()
    }


def columns(row: Memory) -> dict[str, Any]:
    found = {one.name: getattr(row, one.name) for one in Memory._meta.concrete_fields}
    return found | {"digest": bytes(row.digest)}


def believed(said: Said) -> Said:
    is_sure = said.status == "believed" or (
        said.status != "proposed" and said.confidence >= SURE
    )
    sure = said if is_sure else said.settled(max(said.confidence, SURE))
    return replace(sure, status="believed", replaced_by=None)


def dropped(said: Said) -> Said:
    return replace(said, status="dropped")


def test_memories_are_what_a_plain_model_says(
    mind: Mind,
    administrator: Mind,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(timezone.now())
    monkeypatch.setattr("apps.timeline.api.base.timezone.now", clock)
    numbers = count()

    @given(acts=st.lists(ACTS, min_size=1, max_size=14))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    def history(acts: list[Any]) -> None:
        run = History(mind, administrator, project, clock, next(numbers))
        for verb, *about in acts:
            clock.now += timedelta(seconds=1)
            getattr(run, verb)(*about)
            run.compare()
        run.verify()

    history()
    call_command("verify")


def test_what_verify_recomputes_holds(mind: Mind, project: Any) -> None:
    made = mind.add("Likes tea", user_id="ada")
    done(mind.patch(made["id"], content="Likes coffee"))
    mind.delete(made["id"])
    done(mind.client.post("/v1/memories/rollback", {"user_id": "ada", "version": 1}))
    mind.add("Closed on Sundays")

    call_command("verify")

    assert mind.listed(user_id="ada", scope="user") == ["Likes tea"]
