"""Whatever is done to memories, they are what a plain model says, and verify holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.memory.models import Memory
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db
TEXTS = ("Order 1 was paid", "Order 2 was paid", "Likes tea", "Likes  TEA", "Has a cat")
NAMES = ("ada", "bob")
SESSIONS = 2
ACTS = st.one_of(
    st.tuples(
        st.just("add"),
        st.sampled_from(NAMES),
        st.sampled_from(TEXTS),
        st.none() | st.integers(0, SESSIONS - 1),
    ),
    st.tuples(st.just("change"), st.integers(0, 9), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.integers(0, 9)),
    st.tuples(st.just("drop"), st.integers(0, 9)),
    st.tuples(st.just("forget"), st.integers(0, SESSIONS - 1)),
    st.tuples(st.just("back"), st.sampled_from(NAMES), st.integers(0, 5)),
    st.tuples(
        st.just("import"), st.sampled_from(NAMES), st.sampled_from(TEXTS), st.text("ab")
    ),
)


@dataclass(frozen=True)
class Said:
    """One memory: what it says, who said so, and whether it stands."""

    text: str
    by: tuple[int | None, ...]
    is_dropped: bool = False


@dataclass
class Model:
    """What two users' memories should be: each version of each, whole."""

    versions: dict[str, list[dict[str, Said]]] = field(
        default_factory=lambda: {name: [{}] for name in NAMES}
    )
    imported: set[str] = field(default_factory=set)

    def now(self, name: str) -> dict[str, Said]:
        return self.versions[name][-1]

    def keep(self, name: str, memories: dict[str, Said]) -> None:
        if memories != self.now(name):
            self.versions[name].append(memories)

    def same(self, name: str, text: str) -> str | None:
        plain = " ".join(text.casefold().split())
        for own_id, said in sorted(self.now(name).items()):
            if not said.is_dropped and " ".join(said.text.casefold().split()) == plain:
                return own_id
        return None


@dataclass
class Run:
    """Does the same to the model and over the API, and compares them."""

    mind: Mind
    sessions: list[str]
    model: Model = field(default_factory=Model)

    def add(self, name: str, text: str, session: int | None) -> None:
        more = {} if session is None else {"session_id": self.sessions[session]}
        made = self.mind.add(text, user_id=name, scope="user", **more)
        known = self.model.same(name, text)
        after = dict(self.model.now(name))
        if known is None:
            after[made["id"]] = Said(text, (session,))
        elif session not in after[known].by:
            assert made["id"] == known
            after[known] = replace(after[known], by=(*after[known].by, session))
        self.model.keep(name, after)

    def change(self, place: int, text: str) -> None:
        for name, own_id, said in self.at(place):
            done(self.mind.patch(own_id, content=text))
            if said.text != text:
                changed = replace(said, text=text, by=(None,))
                self.model.keep(name, self.model.now(name) | {own_id: changed})

    def delete(self, place: int) -> None:
        for name, own_id, _ in self.at(place):
            assert self.mind.delete(own_id).status == 204
            after = dict(self.model.now(name))
            del after[own_id]
            self.model.keep(name, after)

    def drop(self, place: int) -> None:
        for name, own_id, said in self.at(place):
            body = {"memory_id": own_id, "decision": "drop"}
            done(self.mind.client.post("/v1/memories/resolve", body))
            dropped = replace(said, is_dropped=True)
            self.model.keep(name, self.model.now(name) | {own_id: dropped})

    def forget(self, session: int) -> None:
        body = {"from_session": self.sessions[session]}
        done(self.mind.client.post("/v1/memories/rollback", body))
        for name in NAMES:
            after = {}
            for own_id, said in self.model.now(name).items():
                by = tuple(one for one in said.by if one != session)
                if said.is_dropped or session not in said.by:
                    after[own_id] = said
                else:
                    gone = replace(said, is_dropped=True)
                    after[own_id] = replace(said, by=by) if by else gone
            self.model.keep(name, after)

    def back(self, name: str, steps: int) -> None:
        """To where the document was so many states ago, by the numbers it told."""
        place = max(len(self.model.versions[name]) - 1 - steps, 0)
        body = {"user_id": name, "version": self.numbers[name][place]}
        done(self.mind.client.post("/v1/memories/rollback", body))
        self.model.keep(name, self.model.versions[name][place])

    def import_(self, name: str, text: str, external_id: str) -> None:
        item = {"id": f"x{external_id}", "memory": text, "user_id": name}
        told = done(self.mind.client.post("/v1/memories/import", {"memories": [item]}))
        (result,) = told["results"]
        if external_id in self.model.imported:
            assert result["result"] == "known"
        elif self.model.same(name, text) is not None:
            assert result["result"] == "same"
        else:
            self.model.imported.add(external_id)
            own = {result["memory_id"]: Said(text, (None,))}
            self.model.keep(name, self.model.now(name) | own)

    numbers: dict[str, list[int]] = field(default_factory=dict)

    def at(self, place: int) -> list[tuple[str, str, Said]]:
        """Return the memory at that place of all that there are, if there is one."""
        everything = [
            (name, own_id, said)
            for name in NAMES
            for own_id, said in sorted(self.model.now(name).items())
        ]
        return everything[place : place + 1]

    def compare(self) -> None:
        for name in NAMES:
            query = {"user_id": name, "scope": "user", "limit": 100}
            query["status"] = "believed,dropped"
            listed = done(self.mind.client.get("/v1/memories", query))["data"]
            assert {one["id"]: (one["content"], one["status"]) for one in listed} == {
                own_id: (said.text, "dropped" if said.is_dropped else "believed")
                for own_id, said in self.model.now(name).items()
            }
            body = {"user_id": name, "version": 0, "dry_run": True}
            shown = done(self.mind.client.post("/v1/memories/rollback", body))
            number = shown["owners"][0]["number"]
            known = self.numbers.setdefault(name, [0])
            if len(known) < len(self.model.versions[name]):
                known.append(number)
            # A decision that changes nothing, or a step to the same, makes no version
            # that a state belongs to.
            known[-1] = number


@given(acts=st.lists(ACTS, max_size=12))
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_memories_are_what_a_plain_model_says(mind: Mind, acts: list[Any]) -> None:
    Memory.objects.all().delete()
    for name in NAMES:
        body = {"user_id": name, "version": 0}
        done(mind.client.post("/v1/memories/rollback", body))
    sessions = [mind.session(user=None) for _ in range(SESSIONS)]
    run = Run(mind, sessions)
    for name in NAMES:
        shown = {"user_id": name, "version": 0, "dry_run": True}
        told = done(mind.client.post("/v1/memories/rollback", shown))
        run.numbers[name] = [told["owners"][0]["number"]]
    for verb, *about in acts:
        getattr(run, "import_" if verb == "import" else verb)(*about)
        run.compare()


def test_what_verify_recomputes_holds(mind: Mind, project: Any) -> None:
    made = mind.add("Likes tea", user_id="ada")
    done(mind.patch(made["id"], content="Likes coffee"))
    mind.delete(made["id"])
    done(mind.client.post("/v1/memories/rollback", {"user_id": "ada", "version": 1}))
    mind.add("Closed on Sundays")

    call_command("verify")

    assert mind.listed(user_id="ada", scope="user") == ["Likes tea"]
