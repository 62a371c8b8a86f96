"""Surveys over REST: asked for, read, listed, and by whom."""

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord
from apps.surveys import looking
from apps.surveys.models import Survey
from tests.console.make import Story

pytestmark = pytest.mark.django_db
CHECK = "state.total<=10"
UNKNOWN = f"surv_{'0' * 26}"


@pytest.fixture
def bad(project):
    story = Story(project, {"total": 1}, now=timezone.now())
    story.update({"total": 2}, release="r1")
    story.update({"total": 11}, release="<b>r2</b>", model="m")
    return story


def asked(client, **said):
    return client.post("/v1/surveys", {"check": CHECK, **said})


def test_it_is_asked_for_looked_into_and_read(api, bad):
    made = asked(api())
    assert (made.status, made.body["looked_at"]) == (201, None)
    assert (made.body["sessions"], made.body["not_looked_into"]) == (1, 1)

    looking.sweep(now=timezone.now())
    told = api().get(f"/v1/surveys/{made.body['id']}").body

    assert told["looked_at"]
    assert (told["bad"], told["good"], told["is_all"]) == (1, 0, True)
    assert {one["name"]: one["bad"] for one in told["by_release"]} == {
        None: 0,
        "r1": 0,
        "<b>r2</b>": 1,
    }
    assert all(one["share"] is None for one in told["by_release"])
    assert AuditRecord.objects.filter(action="survey.asked").count() == 1
    listed = api().get("/v1/surveys").body
    assert [one["id"] for one in listed["data"]] == [made.body["id"]]


@pytest.mark.parametrize(
    ("said", "status", "param"),
    [
        ({"check": "state.total<<1"}, 400, "check"),
        ({"check": " "}, 422, "check"),
        ({"search": "nonsense:"}, 400, "search"),
        ({"search": "words:!!"}, 400, "search"),
        ({"search": "user:nobody"}, 422, "search"),
        ({"more": 1}, 400, "more"),
    ],
)
def test_what_is_not_understood_is_refused_where_it_is(api, bad, said, status, param):
    refused = asked(api(), **said)

    assert (refused.status, refused.body["error"].get("param")) == (status, param)
    assert not Survey.objects.exists()


def test_a_lost_reply_asks_once(api, bad):
    client = api()
    first, again = (
        client.post("/v1/surveys", {"check": CHECK}, Idempotency_Key="one")
        for _ in range(2)
    )

    assert first.body == again.body
    assert Survey.objects.count() == 1


def test_strangers_readers_and_nobody(api, make_key, bad, other_project):
    made = asked(api()).body["id"]
    at = f"/v1/surveys/{made}"
    stranger = api(make_key(project=other_project))
    reader, limited = api(make_key(Scope.READ)), api(make_key(agents=["other"]))

    for client, path, status in [
        (api(), f"/v1/surveys/{UNKNOWN}", 404),
        (stranger, at, 404),
        (limited, at, 404),
        (reader, at, 200),
        (api(None), at, 401),
    ]:
        assert client.get(path).status == status
    assert asked(reader).status == 403
    assert asked(api(None)).status == 401
    assert stranger.get("/v1/surveys").body["data"] == []
    assert limited.get("/v1/surveys").body["data"] == []
    assert api().get("/v1/surveys", {"starting_after": "x"}).status == 400
    assert api().put("/v1/surveys", {}).status == 405


def test_a_check_of_a_key_with_a_nul_is_kept(api, bad):
    check = r'state."a\u0000b"=1'

    made = asked(api(), check=check)

    assert (made.status, made.body["check"]) == (201, check)
