"""Every route of retention, and whoever comes to it in whatever way."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection

from apps.accounts.models import Project, Scope
from apps.core.roles.names import Role
from apps.retention.models import LegalHold, Policy, Removal
from tests.acting import acting_as
from tests.conftest import Api

pytestmark = pytest.mark.django_db
AT = "/v1/retention"
NOBODYS = "0" * 26


@dataclass(frozen=True)
class Made:
    """What there is in a project: a policy, a preview of it, a removal and a hold."""

    policy: str
    preview: str
    removal: str
    hold: str


def make(client: Api, project: Project) -> Made:
    policy = client.post(f"{AT}/policies", {"empty_days": 30}).body["id"]
    preview = client.post(f"{AT}/previews", {"policy_id": policy}).body["id"]
    said = {"kind": "user", "value": "ann", "reason": "x"}
    hold = client.post(f"{AT}/legal-holds", said).body["id"]
    removal = f"rmvl_{policy.partition('_')[2]}"
    with acting_as(Role.RETENTION):
        Removal.objects.filter(id=preview).update(state="ready", is_complete=True)
        row = Removal.objects.get(id=preview)
        row.id, row.is_preview, row.state = removal, False, "done"
        row.save(force_insert=True)
    return Made(policy, preview, removal, hold)


@pytest.fixture
def mine(admin: Api, project: Project) -> Made:
    return make(admin, project)


@pytest.fixture
def theirs(api: Any, make_key: Any, other_project: Project) -> Made:
    key = make_key(project=other_project, scope=Scope.ADMIN)
    return make(api(key), other_project)


@dataclass(frozen=True)
class Route:
    """A method and a path, with a body that it takes, and what it answers."""

    method: str
    path: str
    status: int
    body: Any = None
    # What is said of one that nobody knows.
    unknown: str | None = None

    def send(self, client: Api, made: Made, **headers: str) -> Any:
        body = self.body(made) if callable(self.body) else self.body
        path = self.path.format(**made.__dict__)
        return client.send(self.method, f"{AT}/{path}", body, headers)


POLICY = "retention_policy_not_found"
READS = [
    Route("GET", "policies", 200),
    Route("GET", "policies/{policy}", 200, unknown=POLICY),
    Route("GET", "previews", 200),
    Route("GET", "previews/{preview}", 200, unknown="preview_not_found"),
    Route("GET", "removals", 200),
    Route("GET", "removals/{removal}", 200, unknown="removal_not_found"),
    Route("GET", "legal-holds", 200),
]
WRITES = [
    Route("POST", "policies", 201, {"prune_days": 30}),
    Route(
        *("POST", "policies/{policy}/enable", 200),
        lambda made: {"preview_id": made.preview},
        POLICY,
    ),
    Route("POST", "policies/{policy}/disable", 200, unknown=POLICY),
    Route("POST", "previews", 202, lambda made: {"policy_id": made.policy}, POLICY),
    Route("POST", "legal-holds", 201, {"kind": "project", "reason": "x"}),
    Route(
        *("POST", "legal-holds/{hold}/end", 200),
        {"reason": "Settled"},
        "legal_hold_not_found",
    ),
]
every = pytest.mark.parametrize(
    "route", [*READS, *WRITES], ids=lambda one: f"{one.method} {one.path}"
)
naming = pytest.mark.parametrize(
    "route",
    [one for one in (*READS, *WRITES) if one.unknown],
    ids=lambda one: f"{one.method} {one.path}",
)
writes = pytest.mark.parametrize("route", WRITES, ids=lambda one: one.path)


def counts() -> tuple[int, ...]:
    """Return how much there is, and how much of it counts."""
    models = (Policy, Removal, LegalHold)
    return (
        *(one.objects.count() for one in models),
        Policy.objects.enabled().count(),
        LegalHold.objects.filter(ended_at=None).count(),
    )


@every
def test_it_answers_an_administrators_key(route: Route, admin: Api, mine: Made) -> None:
    answer = route.send(admin, mine)

    assert answer.status == route.status, answer.content
    assert answer.body["object"] in (
        *("list", "retention_policy", "retention_preview"),
        *("retention_removal", "legal_hold"),
    )


@naming
def test_it_knows_nothing_of_another_projects(
    route: Route, admin: Api, mine: Made, theirs: Made
) -> None:
    before = counts()
    answer = route.send(admin, theirs)

    assert (answer.status, answer.code) == (404, route.unknown)
    assert counts() == before


@pytest.mark.parametrize("name", ["policies", "previews", "removals", "legal-holds"])
def test_another_projects_are_not_listed(
    admin: Api, mine: Made, theirs: Made, name: str
) -> None:
    (found,) = admin.get(f"{AT}/{name}").body["data"]

    assert found["id"] in mine.__dict__.values()


@naming
def test_what_nobody_has_made_is_unknown(route: Route, admin: Api, mine: Made) -> None:
    names = ("rpol", "prev", "rmvl", "hold")
    answer = route.send(admin, Made(*(f"{name}_{NOBODYS}" for name in names)))

    assert (answer.status, answer.code) == (404, route.unknown)


def test_a_preview_is_no_removal_and_a_removal_no_preview(
    admin: Api, mine: Made
) -> None:
    assert admin.get(f"{AT}/removals/{mine.preview}").code == "removal_not_found"
    assert admin.get(f"{AT}/previews/{mine.removal}").code == "preview_not_found"


@every
def test_others_keys_are_refused_and_nothing_is_changed(
    route: Route, api: Any, make_key: Any, mine: Made
) -> None:
    before = counts()
    for scope in (Scope.READ, Scope.WRITE):
        refused = route.send(api(make_key(scope=scope)), mine)
        assert (refused.status, refused.code) == (403, "permission_denied")

    assert counts() == before


@every
def test_nobody_comes_in_without_a_key(route: Route, mine: Made) -> None:
    before = counts()
    for client in (Api(None), Api("sb_" + "0" * 64)):
        assert route.send(client, mine).status == 401

    assert counts() == before


@every
def test_another_method_is_refused(route: Route, admin: Api, mine: Made) -> None:
    taken = {one.method for one in (*READS, *WRITES) if one.path == route.path}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - taken:
        other = Route(method, route.path, 405, None if method == "GET" else {})
        answer = other.send(admin, mine)
        assert (answer.status, answer.code) == (405, "method_not_allowed")
        assert taken <= set(answer.headers["Allow"].replace(" ", "").split(","))


@writes
def test_what_is_not_known_is_refused_with_its_name(
    route: Route, admin: Api, mine: Made
) -> None:
    said = route.body(mine) if callable(route.body) else route.body or {}
    before = counts()
    with_more = Route(route.method, route.path, 400, said | {"surprise": 1})
    answer = with_more.send(admin, mine)

    if route.body is None:
        assert answer.status in (400, 422)
    else:
        assert (answer.status, answer.code) == (400, "unknown_field")
        assert answer.param == "surprise"
    assert counts() == before


@writes
def test_whose_answer_was_lost_is_answered_the_same_and_nothing_is_done_twice(
    route: Route, admin: Api, mine: Made
) -> None:
    first = route.send(admin, mine, Idempotency_Key="lost-1")
    before = counts()
    second = route.send(admin, mine, Idempotency_Key="lost-1")

    assert first.status == second.status == route.status
    assert first.content == second.content
    assert counts() == before


@writes
def test_a_key_that_was_used_for_something_else_is_refused(
    route: Route, admin: Api, mine: Made
) -> None:
    admin.post(f"{AT}/policies", {"empty_days": 99}, Idempotency_Key="used-1")
    before = counts()
    answer = route.send(admin, mine, Idempotency_Key="used-1")

    assert (answer.status, answer.code) == (422, "idempotency_key_reused")
    assert counts() == before


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("policies", {"empty_days": "30"}),
        ("policies", {"empty_days": 1.5}),
        ("policies", {"empty_days": True}),
        ("policies", b'{"empty_days": 1000000000000000000000000}'),
        ("policies", []),
        ("policies", {"agent_id": "x" * 300, "empty_days": 1}),
        ("previews", {}),
        ("previews", {"policy_id": None}),
        ("previews", {"policy_id": 5}),
        ("policies/{policy}/enable", {"preview_id": None}),
        ("legal-holds", {"kind": "planet", "reason": "x"}),
        ("legal-holds", {"reason": "x"}),
        ("legal-holds", {"kind": "project"}),
        ("legal-holds", {"kind": "project", "reason": "x", "until": "soon"}),
        ("legal-holds", {"kind": "user", "value": 5, "reason": "x"}),
        ("legal-holds", {"kind": "user", "value": "a\0b", "reason": "x"}),
        ("legal-holds", {"kind": "project", "reason": "x" * 2_001}),
        ("legal-holds/{hold}/end", {"reason": ""}),
    ],
)
def test_bad_input_is_refused_and_nothing_is_made(
    admin: Api, mine: Made, path: str, body: Any
) -> None:
    before = counts()
    answer = Route("POST", path, 400, body).send(admin, mine)

    assert answer.status in (400, 422)
    assert answer.body["error"]["message"]
    assert counts() == before


@pytest.mark.parametrize("name", ["policies", "previews", "removals", "legal-holds"])
def test_a_list_goes_on_where_its_page_ended(
    admin: Api, mine: Made, project: Project, name: str
) -> None:
    make(admin, project)
    path = f"{AT}/{name}"
    every = [one["id"] for one in admin.get(path).body["data"]]
    assert len(every) == 2
    first = admin.get(path, {"limit": 1}).body
    rest = admin.get(path, {"limit": 1, "starting_after": first["last_id"]}).body

    assert [one["id"] for one in (*first["data"], *rest["data"])] == every
    assert (first["has_more"], rest["has_more"]) == (True, False)
    for bad in ({"limit": 0}, {"limit": "x"}, {"starting_after": "nothing"}):
        assert admin.get(path, bad).status == 400


def test_previews_and_removals_of_one_policy_are_listed(
    admin: Api, mine: Made, project: Project
) -> None:
    make(admin, project)
    for name, id in (("previews", mine.preview), ("removals", mine.removal)):
        found = admin.get(f"{AT}/{name}", {"policy_id": mine.policy}).body["data"]
        assert [one["id"] for one in found] == [id]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("of_agent", [False, True])
def test_of_two_who_switch_at_once_one_comes_after_the_other(
    admin: Api, project: Project, of_agent: bool
) -> None:
    """Each is answered, and of policies about the same one is on."""
    admin.post("/v1/agents", {"name": "Desk", "external_id": "desk"})
    about = {"agent_id": "desk"} if of_agent else {}
    policies = []
    for days in (30, 31, 32, 33):
        made = admin.post(f"{AT}/policies", {"empty_days": days} | about).body["id"]
        asked = admin.post(f"{AT}/previews", {"policy_id": made}).body["id"]
        policies.append((made, asked))
    with acting_as(Role.RETENTION):
        Removal.objects.update(state="ready", is_complete=True)
    answers: list[Any] = []
    together = threading.Barrier(len(policies))

    def switch(policy: str, preview: str) -> None:
        together.wait(30)
        path = f"{AT}/policies/{policy}/enable"
        answers.append(admin.post(path, {"preview_id": preview}).status)
        connection.close()

    threads = [threading.Thread(target=switch, args=one) for one in policies]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)

    assert answers == [200] * len(policies)
    assert Policy.objects.enabled().count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_end_a_hold_at_once_one_has_ended_it(
    admin: Api, project: Project
) -> None:
    said = {"kind": "project", "reason": "x"}
    hold = admin.post(f"{AT}/legal-holds", said).body["id"]
    answers: list[Any] = []
    together = threading.Barrier(2)

    def end(why: str) -> None:
        together.wait(30)
        answers.append(admin.post(f"{AT}/legal-holds/{hold}/end", {"reason": why}))
        connection.close()

    threads = [threading.Thread(target=end, args=(one,)) for one in ("a", "b")]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)

    done, refused = sorted(answers, key=lambda one: one.status)
    assert (done.status, refused.status) == (200, 409)
    assert refused.code == "legal_hold_ended"
    assert LegalHold.objects.get().end_reason == done.body["end_reason"]
