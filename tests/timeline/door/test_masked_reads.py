"""The door tells masked keys what the view tells them: what the masks leave."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import ApiKey, Project, Scope
from apps.core import json
from apps.core.database.prepared import Prepared
from apps.timeline import bodies
from apps.timeline.api.door import reads
from apps.timeline.api.door.acting import acting_cases
from apps.timeline.api.door.reads import reading_cases
from apps.timeline.api.door.writes import writing_cases
from apps.timeline.bodies.caching import Cache
from apps.timeline.masking import known
from apps.timeline.versions import plain_head
from tests.acts import act_by, act_in
from tests.timeline.door.road import Road, ask, request, written
from tests.timeline.masks.test_masking import ALL, ODD, odd
from tests.timeline.runs import Begin, Clients, Keys, Run

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 60
WORD, PLACED = "canarybird2207", "placedbird2207"
HIDING = [
    {"pointer": "/**/secret", "style": "hide"},
    {"pattern": "words", "words": [WORD], "style": "hide"},
]
CARD = "4111111111111111"
STYLES = {"hide": "[masked]", "last4": "[masked …1111]", "digest": "[masked "}


@pytest.fixture(autouse=True)
def _nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_known", type(known._known)())
    monkeypatch.setattr(known, "_n_bytes", 0)


@pytest.fixture
def masked(make_key: Keys, road: Road, begin: Begin) -> str:
    """A masked key whose use has been noted."""
    secret = make_key(scope=Scope.MASKED)
    road.passes(begin().path("state"), secret)
    return secret


def set_masks(project: Project, said: Any) -> None:
    accounts.set_masks(act=act_in(project), project=project, masks=masks_of(said))


def forget() -> None:
    """Have the next answer masked anew."""
    known._known.clear()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "place", [{"pointer": "/card"}, {"pointer": "/**"}, {"pattern": "card"}]
)
def test_it_masks_what_the_view_masks(
    road: Road, begin: Begin, masked: str, project: Project, style: str, place: Any
) -> None:
    run = begin({"card": CARD, "n": 1})
    set_masks(project, [{"style": style, **place}])

    told = road.equal(run.path("state"), masked)

    answer = json.parse(told.content)
    assert answer["state"]["card"].startswith(STYLES[style])
    assert answer["data"] == answer["state"]
    assert CARD not in told.content.decode()


def test_without_masks_it_tells_all(
    road: Road, begin: Begin, masked: str, secret: str
) -> None:
    run = begin({"card": CARD})
    road.both(run.path("state"), secret)

    told = road.equal(run.path("state"), masked)

    clear = road.equal(run.path("state"), secret)
    assert json.parse(told.content) == json.parse(clear.content)


def test_any_masks_and_states_at_random_are_told_as_the_view_tells_them(
    road: Road, begin: Begin, masked: str, secret: str, project: Project
) -> None:
    """Masks, states and what is remembered change between the reads."""
    chance = Random(os.environ.get("STEPBACK_SEED", "13"))
    runs = [begin(), begin()]
    kinds = [one.said() for one in (*ALL, *ODD)]
    n_drawn = 0
    for _ in range(ROUNDS):
        run, act = chance.choice(runs), chance.randrange(4)
        if act < 2:
            run.put({"a": odd(chance), chance.choice(("secret", "b")): odd(chance)})
        elif act == 2:
            set_masks(project, chance.sample(kinds, k=chance.randrange(4)))
        else:
            run.patch({"card": odd(chance)}, trace_id=chance.choice((WORD, "é", "t")))
        if chance.random() < 0.5:
            forget()
        if chance.random() < 0.2:
            bodies.cache.forget(run.id)

        told = road.both(run.path("state"), masked)
        forget()
        again = road.equal(run.path("state"), masked)

        assert not road.passed
        assert told[0].lasting == told[1].lasting == again.lasting
        clear = road.both(run.path("state"), secret)[0]
        n_drawn += json.parse(clear.content) != json.parse(again.content)
    assert ROUNDS > n_drawn > ROUNDS // 5


@pytest.mark.parametrize("is_cached", [True, False])
def test_a_mask_counts_from_the_next_read_on(
    road: Road,
    begin: Begin,
    masked: str,
    project: Project,
    is_cached: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = begin({"to": WORD, "secret": PLACED})
    path = run.path("state")
    shown = road.equal(path, masked).content.decode()
    assert WORD in shown
    assert PLACED in shown

    for said, left in ((HIDING[:1], [WORD]), (HIDING, []), ([], [WORD, PLACED])):
        if not is_cached:
            monkeypatch.setattr(bodies, "cache", Cache())
        set_masks(project, said)
        shown = road.equal(path, masked).content.decode()
        assert [one for one in (WORD, PLACED) if one in shown] == left


@pytest.mark.parametrize("behind", [plain_head.HEAD, plain_head.MASKS])
def test_a_mask_that_is_set_while_a_read_is_under_way_holds_in_it_or_in_the_next(
    road: Road,
    begin: Begin,
    masked: str,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    behind: Prepared,
) -> None:
    """Set behind each statement in turn: one before the masks are read holds."""
    path = begin({"to": WORD}).path("state")
    road.equal(path, masked)
    rows = Prepared.rows

    def asked(self: Prepared, *given: Any) -> Any:
        found = rows(self, *given)
        if self is behind:
            monkeypatch.setattr(Prepared, "rows", rows)
            elsewhere(lambda: set_masks(project, HIDING))
        return found

    monkeypatch.setattr(Prepared, "rows", asked)
    during = ask(road.door, request(path, masked)).content.decode()

    assert (WORD in during) == (behind is plain_head.MASKS)
    assert not road.passed
    assert WORD not in road.equal(path, masked).content.decode()


@pytest.mark.parametrize("answers", [None, []])
def test_without_its_masks_a_key_is_left_to_the_view(
    road: Road,
    begin: Begin,
    masked: str,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    answers: Any,
) -> None:
    path = begin({"to": WORD}).path("state")
    set_masks(project, HIDING)
    rows = Prepared.rows

    def asked(self: Prepared, *given: Any) -> Any:
        return answers if self is plain_head.MASKS else rows(self, *given)

    monkeypatch.setattr(Prepared, "rows", asked)

    assert WORD not in road.passes(path, masked).content.decode()


def elsewhere(act: Callable[[], None]) -> None:
    """Act on another connection, and wait until it has."""

    def acting() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = Thread(target=acting)
    thread.start()
    thread.join()


def test_of_reads_beside_a_change_of_masks_none_shows_what_both_mask(
    road: Road, begin: Begin, masked: str, project: Project
) -> None:
    """Two at once: masks go back and forth while others read."""
    run = begin({"secret": PLACED, "to": WORD, "n": "x" * 2_000})
    path = run.path("state")
    set_masks(project, HIDING)
    shown: list[str] = []
    is_over = Event()

    def reading() -> None:
        while not is_over.is_set():
            forget()
            shown.append(road.both(path, masked)[0].content.decode())

    reader = Thread(target=reading)
    reader.start()
    for turn in range(20):
        set_masks(project, HIDING[:1] if turn % 2 == 0 else HIDING)
    is_over.set()
    reader.join()
    connection.close()

    assert len(shown) > 2
    assert not [one for one in shown if PLACED in one]
    assert WORD not in road.equal(path, masked).content.decode()


def test_what_a_masked_key_has_kept_is_told_again(
    road: Road, begin: Begin, masked: str, secret: str, project: Project
) -> None:
    run = begin({"to": WORD})
    tag = road.equal(run.path("state"), masked).headers["ETag"]
    set_masks(project, HIDING)

    told = road.equal(run.path("state"), masked, HTTP_IF_NONE_MATCH=tag)

    assert (told.code, told.headers["ETag"]) == (200, tag)
    assert WORD not in told.content.decode()


def test_the_masks_of_another_project_mask_nothing_here(
    road: Road, begin: Begin, masked: str, other_project: Project
) -> None:
    run = begin({"to": WORD})
    set_masks(other_project, HIDING)

    assert WORD in road.equal(run.path("state"), masked).content.decode()


def test_two_projects_digests_of_one_value_differ(
    road: Road,
    begin: Begin,
    masked: str,
    project: Project,
    other_project: Project,
    api: Clients,
    make_key: Keys,
) -> None:
    digested = [{"pointer": "/card", "style": "digest"}]
    theirs = make_key(project=other_project, scope=Scope.MASKED)
    run = begin({"card": CARD})
    said = {"agent_id": "travel", "initial_state": {"card": CARD}}
    client = api(make_key(project=other_project))
    their_run = Run(client, client.post("/v1/sessions", said))
    for one in (project, other_project):
        set_masks(one, digested)
    road.both(their_run.path("state"), theirs)

    drawn = [
        json.parse(road.equal(run.path("state"), secret).content)["state"]["card"]
        for run, secret in ((run, masked), (their_run, theirs))
    ]

    assert drawn[0] != drawn[1]


def test_no_address_of_the_door_tells_what_is_masked(
    road: Road,
    begin: Begin,
    masked: str,
    project: Project,
    pool: ConnectionPool[Any],
) -> None:
    run = begin({"deep": {"secret": PLACED}, "to": f"for {WORD.upper()}, {WORD}"})
    set_masks(project, HIDING)
    told = {}

    for case in [*reading_cases(pool), *writing_cases(), *acting_cases()]:
        path = case.example.replace("/id/", f"/{run.id}/")
        body = b'{"state":{},"key":"k","tool":"t"}' if case.takes_body else b""
        asked = (
            written(case.method, path, masked, body)
            if case.takes_body
            else request(path, masked, REQUEST_METHOD=case.method)
        )
        answer = ask(road.door, asked)
        told[f"{case.method} {case.example}"] = answer.code
        shown = f"{answer.headers}{answer.content.decode()}".lower()
        assert WORD not in shown, case.example
        assert PLACED not in shown, case.example

    answered = [name for name, code in told.items() if code < 300]
    assert answered == ["GET /v1/sessions/id/state"]
    assert set(told.values()) == {200, 403}
    assert run.head == 0


# What is left to the view


def test_a_masked_key_is_refused_by_the_view(
    road: Road, begin: Begin, masked: str, make_key: Keys, other_project: Project
) -> None:
    run = begin({"to": WORD})
    stranger = make_key(project=other_project, scope=Scope.MASKED)
    road.both(run.path("state"), stranger)
    some = make_key(scope=Scope.MASKED, agents=["billing"])

    assert road.passes(run.path("state"), stranger).code == 404
    assert road.passes(run.path("state"), some).code == 404
    odd = road.passes(run.path("state"), masked, QUERY_STRING="schema=x")
    assert (odd.code, json.parse(odd.content)["error"]["code"]) == (422, "masked")
    run.client.delete(run.path())
    assert road.passes(run.path("state"), masked).code == 404


def test_a_masked_key_that_was_revoked_is_refused(
    road: Road, begin: Begin, masked: str, project: Project
) -> None:
    path = begin().path("state")
    accounts.revoke_key(
        project=project,
        key_id=ApiKey.objects.get(scope=Scope.MASKED).id,
        act=act_by(),
    )

    assert road.passes(path, masked).code == 401


def test_over_its_limit_nothing_is_masked_for_a_key(
    road: Road,
    begin: Begin,
    project: Project,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit = 2 * settings.WORKERS
    _, secret = accounts.issue_key(
        project=project,
        name="few",
        scope=Scope.MASKED,
        terms=accounts.KeyTerms(rate_limit=limit),
        act=act_by(),
    )
    path = begin().path("state")
    road.both(path, secret)
    drawn: list[Any] = []
    monkeypatch.setattr(reads, "drawn", drawn.append)

    assert road.passes(path, secret).code == 429
    assert not drawn


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE, Scope.ADMIN])
def test_who_sees_all_is_asked_no_masks(
    road: Road,
    begin: Begin,
    make_key: Keys,
    project: Project,
    scope: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run: Run = begin({"to": WORD})
    secret = make_key(scope=scope)
    set_masks(project, HIDING)
    road.both(run.path("state"), secret)
    asked: list[Prepared] = []
    rows = Prepared.rows

    def noted(self: Prepared, *given: Any) -> Any:
        asked.append(self)
        return rows(self, *given)

    monkeypatch.setattr(Prepared, "rows", noted)
    told = road.equal(run.path("state"), secret)

    assert plain_head.HEAD in asked
    assert plain_head.MASKS not in asked
    assert WORD in told.content.decode()
