"""Experiments over REST: forks of one version side by side."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord
from apps.checks import evaluate
from apps.experiments import columns
from apps.experiments.models import Experiment
from apps.timeline import operations as timeline
from tests.console.make import KEY, Story

pytestmark = pytest.mark.django_db
COST = {"cost": "0.5", "currency": "EUR"}
NO_ONE = f"expt_{'0' * 26}"
NO_SESSION = f"sess_{'0' * 26}"
CHECK = "state.total<=10"
HOSTILE = '<img src=x onerror="alert(1)"> ..'


@pytest.fixture
def story(project):
    return Story(project, {"total": 1}, now=timezone.now()).update({"total": 5})


@pytest.fixture
def forks(story):
    return [story.fork(1), story.fork(1)]


def made(client, forks, **said):
    body = {"name": "Cheaper", "sessions": forks, "checks": [CHECK], **said}
    return client.post("/v1/experiments", body)


def at(experiment, rest=""):
    return f"/v1/experiments/{experiment['id']}{rest}"


def patched(client, session_id, **state):
    answer = client.patch(f"/v1/sessions/{session_id}/state", {"state": state})
    assert answer.status == 200, answer.content


def test_forks_stand_beside_each_other_with_what_became_of_them(api, forks):
    client = api()
    patched(client, forks[0], total=11)
    patched(client, forks[0], seat="17C")
    patched(client, forks[0], seat=None)
    said = {
        "input": "a",
        "output": "b",
        "usage": {"input_tokens": 7, "output_tokens": 2} | COST,
    }
    assert client.post(f"/v1/sessions/{forks[1]}/turns", said).status == 201
    effect = {"key": "k", "tool": "wire", "arguments": {"to": "x"}}
    assert client.post(f"/v1/sessions/{forks[1]}/effects", effect).status == 201
    review = {"outcome": "failed", "why": "Too dear."}
    assert client.put(f"/v1/sessions/{forks[0]}/review", review).status == 200

    told = made(client, forks)

    assert told.status == 201, told.content
    first, second = told.body["variants"]
    assert [first["session_id"], second["session_id"]] == forks
    assert first["checks"] == [{"check": CHECK, "outcome": "fails"}]
    assert second["checks"] == [{"check": CHECK, "outcome": "holds"}]
    assert (first["outcome"], second["outcome"]) == ("failed", None)
    assert (first["turns"], second["turns"]) == (0, 1)
    assert (first["tokens"], second["tokens"]) == (None, 9)
    assert (second["cost"], second["currency"]) == ("0.5", "EUR")
    assert (first["effects"], second["effects"], second["irreversible"]) == (0, 1, 1)
    # Of the first, one version turned a value null.
    assert (first["flagged"], second["flagged"]) == (1, 0)
    assert first["head_version"] == 3
    assert first["seconds"] >= 0
    assert told.body["version"] == 1
    assert client.get(at(told.body)).body == told.body


def test_columns_are_of_the_heads_as_they_are_now(api, forks):
    client = api()
    experiment = made(client, forks).body
    patched(client, forks[1], total=99)

    outcomes = [
        one["checks"][0]["outcome"]
        for one in client.get(at(experiment)).body["variants"]
    ]

    assert outcomes == ["holds", "fails"]


def test_what_nobody_can_decide_is_no_pass(api, forks, monkeypatch):
    client = api()
    monkeypatch.setattr(columns, "evaluate", partial(evaluate, looks=0))

    told = made(client, forks).body

    assert told["variants"][0]["checks"][0]["outcome"] == "undecided"


def test_a_deleted_fork_keeps_its_column_and_says_so(api, forks):
    client = api()
    experiment = made(client, forks).body
    assert client.delete(f"/v1/sessions/{forks[0]}").status in (200, 204)

    first, second = client.get(at(experiment)).body["variants"]

    assert (first["session_id"], first["deleted"]) == (forks[0], True)
    assert (first["title"], first["checks"], first["effects"]) == (None, [], None)
    assert second["deleted"] is False


def test_only_forks_of_one_version_are_compared(api, project, story, forks):
    client = api()
    other = Story(project, {"total": 1}, now=timezone.now())
    elsewhere = other.fork(0)
    of_another_version = story.fork(0)

    for sessions, status, code in [
        ([forks[0]], 422, "unacceptable_experiment"),
        ([forks[0]] * 2, 422, "unacceptable_experiment"),
        ([forks[0], elsewhere], 422, "not_a_fork"),
        ([forks[0], of_another_version], 422, "not_a_fork"),
        ([forks[0], story.id], 422, "not_a_fork"),
        ([story.id, forks[0]], 422, "not_a_fork"),
        ([forks[0], NO_SESSION], 404, "session_not_found"),
        ([forks[0], "x"], 404, "session_not_found"),
    ]:
        refused = made(client, sessions)
        assert (refused.status, refused.code) == (status, code), sessions
        assert refused.body["error"]["param"] == "sessions"
    assert not Experiment.objects.exists()


@pytest.mark.parametrize(
    ("said", "status", "param"),
    [
        ({"name": " "}, 422, "name"),
        ({"name": "x" * 201}, 422, "name"),
        ({"name": "a\0"}, 400, "name"),
        ({"checks": ["state.a<<1"]}, 400, "checks/0"),
        ({"checks": [CHECK, "state.a=was.a"]}, 422, "checks/1"),
        ({"checks": [f"state.a={n}" for n in range(11)]}, 422, "checks"),
        ({"more": 1}, 400, "more"),
    ],
)
def test_what_is_not_understood_is_refused_where_it_is(api, forks, said, status, param):
    refused = made(api(), forks, **said)

    assert (refused.status, refused.body["error"].get("param")) == (status, param)


def test_it_is_renamed_and_closed_and_then_stays_as_it_is(api, forks):
    client = api()
    experiment = made(client, forks).body

    renamed = client.patch(at(experiment), {"name": HOSTILE}).body
    closed = client.post(at(experiment, "/close"), {}).body
    again = client.post(at(experiment, "/close"), {}).body
    refused = client.patch(at(experiment), {"name": "other"})

    assert renamed["name"] == HOSTILE
    assert (closed["status"], closed["closed_at"]) == ("closed", again["closed_at"])
    assert (refused.status, refused.code) == (409, "experiment_closed")
    actions = AuditRecord.objects.filter(resource_type="experiment")
    assert list(actions.order_by("number").values_list("action", flat=True)) == [
        "experiment.made",
        "experiment.renamed",
        "experiment.closed",
    ]
    listed = client.get("/v1/experiments", {"status": "closed"}).body["data"]
    assert [one["id"] for one in listed] == [experiment["id"]]
    assert client.get("/v1/experiments", {"status": "open"}).body["data"] == []
    assert client.get("/v1/experiments", {"status": "x"}).status == 400
    assert client.get("/v1/experiments", {"starting_after": "x"}).status == 400


def test_a_lost_reply_makes_one(api, forks):
    client = api()
    body = {"name": "x", "sessions": forks}
    first, again = (
        client.post("/v1/experiments", body, Idempotency_Key="a") for _ in range(2)
    )

    assert first.body == again.body
    assert Experiment.objects.count() == 1


def test_strangers_readers_and_nobody(api, make_key, forks, other_project):
    experiment = made(api(), forks).body
    stranger = api(make_key(project=other_project))
    reader, limited = api(make_key(Scope.READ)), api(make_key(agents=["other"]))

    for client, status in [(stranger, 404), (limited, 404), (reader, 200)]:
        assert client.get(at(experiment)).status == status
    assert api().get(f"/v1/experiments/{NO_ONE}").status == 404
    assert api(None).get(at(experiment)).status == 401
    assert made(stranger, forks).status == 404
    assert made(reader, forks).status == 403
    assert reader.post(at(experiment, "/close"), {}).status == 403
    assert stranger.post(at(experiment, "/close"), {}).status == 404
    assert stranger.patch(at(experiment), {"name": "x"}).status == 404
    assert limited.get("/v1/experiments").body["data"] == []
    assert api().put(at(experiment), {}).status == 405


def test_statements_do_not_grow_with_what_the_forks_hold(api, story, forks):
    client = api()
    experiment = made(client, forks).body

    def statements():
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert client.get(at(experiment)).status == 200
        return len(asked)

    few = statements()
    for n in range(5):
        patched(client, forks[0], **{f"k{n}": list(range(200))})
    more = statements()

    assert more == few


def test_how_long_it_took_is_from_its_beginning_to_its_head(api, project, story):
    client = api()
    forks = [story.fork(1), story.fork(1)]
    timeline.update(
        session_id=forks[0],
        patch={"total": 2},
        remove=(),
        step=timeline.Step(),
        act=Story.act(story, KEY),
    )
    told = made(client, forks).body["variants"]

    assert told[0]["seconds"] >= timedelta(minutes=1).total_seconds()


def test_a_check_of_a_key_with_a_nul_is_kept(api, forks):
    check = r'state."a\u0000b"=1'

    answer = made(api(), forks, checks=[check])

    assert (answer.status, answer.body["checks"]) == (201, [check])
