"""Old states by meaning: switched on, embedded by the worker, found and kept apart."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.core.roles.names import Role
from apps.meaning import monitoring
from apps.meaning.models import Backfill, PastStream, PastVector
from apps.meaning.past import searching, sweeping
from apps.meaning.past.searching import PastFound, PastPlace, search_past
from apps.meaning.past.texts import text_of
from apps.timeline import operations as timeline
from apps.timeline.models import Session, Version
from apps.timeline.words import Op
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all
from tests.meaning.paraphrasing import asked_otherwise
from tests.replay import runs, steps, working
from tests.replay.runs import Run as Recording
from tests.replay.steps import Step
from tests.timeline.runs import Begin, Clients, Run, assert_refused

pytestmark = pytest.mark.django_db
RECORDED = os.environ.get("STEPBACK_RUNS")
REFUND = "He asks for his money back because the hotel was dirty"


def switch(project: Project, *, on: bool = True) -> Project:
    return accounts.set_search_by_meaning(
        act=act_in(project), project=project, is_on=on
    )


def embed_past() -> None:
    """Let the worker catch up with what was fed and with what was there before."""
    feed_all()
    for _ in range(5):
        sweeping.sweep(now=timezone.now())


def search(client: Any, q: str = "refund wanted", **asked: Any) -> Any:
    answer = client.get("/v1/search/meaning", {"q": q, **asked})
    assert answer.status == 200, answer.content
    return answer.body


def places(body: Any) -> list[tuple[str, int]]:
    return [(one["session_id"], one["version"]) for one in body["data"]]


def test_it_is_off_until_an_administrator_wants_it(run: Run, project: Project) -> None:
    run.patch({"a": 1}, reasoning=REFUND)
    embed_past()

    refused = run.client.get("/v1/search/meaning", {"q": "refund"})

    assert_refused(refused, 409, "search_by_meaning_off")
    assert not PastVector.objects.exists()


def test_old_versions_that_wait_count_as_lag(run: Run, project: Project) -> None:
    switch(project)
    run.patch({"city": "Rome"}, reasoning="Moved the trip to Italy")
    embed_past()
    later = timezone.now() + timedelta(seconds=90)
    assert monitoring.state().lag_seconds(later) == 0.0

    run.patch({"a": 1}, reasoning=REFUND)
    feed_all()
    (waits,) = PastStream.objects.filter(due_at__isnull=False)
    assert monitoring.state().due_at == waits.due_at
    assert 85 < monitoring.state().lag_seconds(later) <= 91

    embed_past()
    assert monitoring.state().lag_seconds(later) == 0.0


def test_old_states_are_found_by_what_they_mean(run: Run, project: Project) -> None:
    run.patch({"city": "Rome"}, reasoning="Moved the trip to Italy")
    wanted = run.patch({"a": 1}, reasoning=REFUND).body["version"]
    run.put({"seat": "12A", "meal": "vegetarian"}, reasoning="Noted what she eats")
    switch(project)
    embed_past()

    body = search(run.client, "Why was a refund wanted?")

    first = body["data"][0]
    assert places(body)[0] == (run.id, wanted)
    assert first["text"].startswith(REFUND)
    assert first["distance"] < body["data"][1]["distance"] <= 2
    assert (body["pending"], body["catching_up"], body["has_more"]) == (0, False, False)
    assert body["looked_at"] == Version.objects.filter(session_id=run.id).count()
    eats = search(run.client, "vegetarian meal")["data"][0]
    assert (eats["similarity"], eats["version"]) == (1.0, wanted + 1)


def test_what_was_written_since_is_told_until_it_is_embedded(
    run: Run, project: Project
) -> None:
    switch(project)
    before = search(run.client)
    assert (before["catching_up"], before["data"]) == (True, [])
    embed_past()
    run.patch({"b": 2}, reasoning=REFUND)
    # Also while no worker runs, and nothing has noticed it.
    assert search(run.client)["pending"] == 1
    feed_all()

    body = search(run.client)
    assert (body["pending"], body["catching_up"]) == (1, False)
    run.patch({"b": 3}, reasoning=REFUND)
    run.turn()
    assert search(run.client)["pending"] == 2
    embed_past()
    assert search(run.client)["pending"] == 0


def test_pages_go_on_to_older_versions(
    run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(6):
        run.patch({"n": n}, reasoning=f"Wrote {n}")
    switch(project)
    embed_past()
    monkeypatch.setattr(searching, "MOST_VERSIONS", 4)
    found: list[tuple[str, int]] = []
    asked: dict[str, Any] = {}

    while True:
        body = search(run.client, "Wrote", **asked)
        assert body["looked_at"] <= 4
        page = places(body)
        assert not found or max(page) < min(found)
        found += page
        if not body["has_more"]:
            break
        asked = {"starting_after": body["next"]}

    assert sorted(found) == [(run.id, n) for n in range(9)]


def test_nobody_finds_what_they_may_not_see(
    begin: Begin, api: Clients, make_key: Any, project: Project
) -> None:
    mine = begin({"a": 1}, agent_id="mine", reasoning=REFUND)
    other = begin({"a": 1}, agent_id="other", reasoning=REFUND)
    switch(project)
    embed_past()

    limited = api(make_key(agents=["mine"]))
    assert {one for one, _ in places(search(limited))} == {mine.id}
    assert search(limited)["looked_at"] == 1
    assert search(api(make_key(agents=["nobody"])))["looked_at"] == 0
    other.patch({"a": 2}, reasoning=REFUND)
    feed_all()
    assert (search(limited)["pending"], search(api())["pending"]) == (0, 1)
    other.client.delete(other.path())
    assert {one for one, _ in places(search(api()))} == {mine.id}


def test_switched_off_its_vectors_go(run: Run, project: Project) -> None:
    run.patch({"a": 1}, reasoning=REFUND)
    project = switch(project)
    embed_past()
    assert PastVector.objects.exists()

    switch(project, on=False)
    sweeping.sweep(now=timezone.now())

    left = (PastVector, PastStream, Backfill)
    assert not any(model.objects.exists() for model in left)


def test_another_model_embeds_all_of_it_anew(
    run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.patch({"a": 1}, reasoning=REFUND)
    switch(project)
    embed_past()
    known = PastVector.objects.count()
    with acting_as(Role.WORKER):
        for model in (PastVector, PastStream, Backfill):
            model.objects.update(model="of before")

    assert search(run.client)["catching_up"] is True
    embed_past()

    assert search(run.client)["catching_up"] is False
    models = set(PastVector.objects.values_list("model", flat=True))
    assert (len(models), PastVector.objects.count()) == (1, known)
    assert "of before" not in models


def test_a_sweep_is_bounded_and_the_next_goes_on(
    run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(9):
        run.patch({"n": n}, reasoning=f"Wrote {n}")
    switch(project)
    monkeypatch.setattr(sweeping, "MOST_TEXTS", 4)
    monkeypatch.setattr(sweeping, "AT_ONCE", 2)

    done = [sweeping.sweep(now=timezone.now()) for _ in range(5)]

    assert max(done) <= 6
    assert sum(done) >= 12 == PastVector.objects.count()
    assert done[-1] == 0


@pytest.mark.parametrize(
    "asked", [{}, {"q": ""}, {"q": "?"}, {"q": "x" * 2_001}, {"starting_after": "x"}]
)
def test_what_is_no_question_is_refused(run: Run, project: Project, asked: Any) -> None:
    switch(project)
    query = {"q": "a"} | asked if asked else {}

    refused = run.client.get("/v1/search/meaning", query)

    assert_refused(refused, 400, "invalid_request")


def test_without_a_model_it_says_so(
    run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch(project)
    monkeypatch.setattr("apps.meaning.embedding.choosing.missing", lambda: "Add it.")
    monkeypatch.setattr("apps.meaning.embedding.choosing._loaded", {})

    refused = run.client.get("/v1/search/meaning", {"q": "refund"})

    assert_refused(refused, 503, "meaning_unavailable")


@pytest.mark.skipif(not RECORDED, reason="STEPBACK_RUNS names no recorded runs")
def test_questions_by_other_words_find_the_versions_of_recorded_runs(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ranking was chosen with the questions that are tuned; the others never."""
    questions = store_runs(project)
    project = switch(project)
    embed_past()

    shares = {}
    for name, asked in questions.items():
        first = [rank(project, question, place) for question, place in asked]
        words = ranks_by_words(asked)
        shares[name] = share(first)
        with capsys.disabled():
            print(  # noqa: T201 - it is what is asked for
                f"\n{name}: of {len(asked)} questions the first five have the version"
                f" of {share(first):.0%} by meaning, {share(words):.0%} by words"
            )
    sessions = {place[0] for asked in questions.values() for _, place in asked}
    assert len(sessions) == Session.objects.count() > 20
    assert min(shares.values()) >= 0.8, shares


TUNED = "the longest reasoning of a run"
OTHERS = "held out: its other reasonings"
DONE = "held out: what was done, of a run that hardly reasons"
LEAST_REASONING = 60
MOST_WORDS = 30
Asked = list[tuple[str, tuple[str, int]]]


def store_runs(project: Project) -> dict[str, Asked]:
    """Store the runs; return a question of each, and its version: of some, more."""
    asked: dict[str, Asked] = {TUNED: [], OTHERS: [], DONE: []}
    for run in runs.read(Path(RECORDED or "")):
        made = list(steps.steps(run))
        session_id = store(run, made, project)
        told = [one for one in made if len(one.reasoning) > LEAST_REASONING]
        if not told:
            asked[DONE].append(question_of_what_was_done(session_id))
            continue
        told.sort(key=lambda step: -len(step.reasoning))
        for name, some in ((TUNED, told[:1]), (OTHERS, told[1:])):
            asked[name] += [
                (asked_otherwise(one.reasoning), (session_id, one.number))
                for one in some
            ]
    return asked


def question_of_what_was_done(session_id: str) -> tuple[str, tuple[str, int]]:
    """Return a question for the version that says most, of its first words."""
    texts = {
        one.number: text_of(one.reasoning, one.changes)
        for one in Version.objects.filter(session_id=session_id, number__gt=0)
    }
    number = max(texts, key=lambda one: len(texts[one]))
    words = texts[number].replace(".", " ").split()[:MOST_WORDS]
    return asked_otherwise(" ".join(words)), (session_id, number)


def store(run: Recording, made: Sequence[Step], project: Project) -> str:
    """Store a run without its messages, which are not embedded."""
    about = timeline.About(metadata=run.facts)
    begun = timeline.create(
        act=act_in(project),
        agent="airline-support",
        state=working.initial(),
        about=about,
        step=timeline.Step(),
    )
    items = [
        timeline.BatchItem(
            op=Op.REPLACE,
            state=step.state,
            step=timeline.Step(reasoning=step.reasoning),
        )
        for step in made
    ]
    timeline.append_batch(act=act_in(project), session_id=begun.session_id, items=items)
    return str(begun.session_id)


def rank(project: Project, question: str, place: tuple[str, int]) -> int:
    found: PastFound = search_past(
        Scope(project), question, after=PastPlace(), limit=100, now=timezone.now()
    )
    ranked = [(one.session.id, one.version.number) for one in found.matches]
    return ranked.index(place) if place in ranked else 100


def ranks_by_words(asked: Sequence[tuple[str, tuple[str, int]]]) -> list[int]:
    """Rank all versions by how many of a question's words their reasoning has."""
    texts = {
        (one.session_id, one.number): words_of(f"{one.reasoning} {one.changes}")
        for one in Version.objects.all()
    }

    def rank(question: str, place: tuple[str, int]) -> int:
        wanted = words_of(question)
        mine = len(wanted & texts[place])
        return sum(len(wanted & text) > mine for text in texts.values())

    return [rank(question, place) for question, place in asked]


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def share(ranks: Sequence[int]) -> float:
    return sum(rank < 5 for rank in ranks) / len(ranks)
