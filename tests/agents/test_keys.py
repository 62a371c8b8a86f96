"""The contract's key endpoints: what is told of keys, to whom, and that it is once."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import ApiKey, StoredAnswer
from apps.audit.models import Event
from apps.core.roles.names import Role
from tests.acting import acting_as
from tests.conftest import Api

pytestmark = pytest.mark.django_db

KEYS = "/v1/dashboard/keys"
CONTRACT = {
    "id",
    "key_prefix",
    "name",
    "is_active",
    "rate_limit",
    "created_at",
    "last_used_at",
    "expires_at",
    "total_requests",
}


@pytest.fixture
def admin(api, make_key):
    return api(make_key(scope="admin"))


def test_a_key_is_made_and_opens_the_door(admin):
    answer = admin.post(KEYS, {"name": "Export"})

    made = answer.body
    assert answer.status == 200
    assert made.keys() == CONTRACT | {"full_key", "scope", "agents"}
    assert made["full_key"].startswith(made["key_prefix"])
    assert (made["scope"], made["is_active"], made["rate_limit"]) == (
        "write",
        True,
        600_000,
    )
    assert (made["last_used_at"], made["expires_at"], made["agents"]) == (None,) * 3
    theirs = Api(made["full_key"])
    assert theirs.post("/v1/sessions", {"agent_id": "a"}).status == 201
    assert theirs.get(KEYS).status == 403


@pytest.mark.parametrize("prefix", ["sb_", "anc_"])
def test_what_it_begins_with_is_a_label(admin, prefix):
    made = admin.post(KEYS, {"name": "Anchor's", "prefix": prefix}).body

    assert made["full_key"].startswith(prefix)
    assert made["key_prefix"] == made["full_key"][: len(prefix) + 8]
    for path in ("/v1/sessions", "/v1/agents", "/agents"):
        assert Api(made["full_key"]).get(path).status == 200


@pytest.mark.parametrize("prefix", ["", "sk_", "sb", "sb_sb_", 1])
def test_a_label_that_is_none_is_refused(admin, prefix):
    answer = admin.post(KEYS, {"name": "k", "prefix": prefix})

    assert (answer.status, answer.param) == (400, "prefix")
    assert ApiKey.objects.count() == 1


def test_what_is_said_of_a_key_holds(admin):
    body = {
        "name": "Reader",
        "scope": "read",
        "rate_limit": 100,
        "expires_days": 2,
        "agents": ["b", "a"],
        "owner_id": "org_1",
    }

    made = admin.post(KEYS, body).body

    key = ApiKey.objects.get(id=made["id"])
    assert (key.scope, key.rate_limit, key.agents) == ("read", 100, ["a", "b"])
    assert timedelta(days=1) < key.expires_at - timezone.now() <= timedelta(days=2)
    headers = Api(made["full_key"]).get("/v1/sessions").headers
    assert headers["X-RateLimit-Limit"] == "100"


def test_the_list_has_all_keys_and_no_secret(admin):
    first, second = (admin.post(KEYS, {"name": n}).body for n in ("one", "two"))
    assert admin.delete(f"{KEYS}/{first['id']}").status == 204

    answer = admin.get(KEYS)

    listed = answer.body
    assert [(key["name"], key["is_active"]) for key in listed] == [
        ("two", True),
        ("one", False),
        ("test", True),
    ]
    assert listed[2]["last_used_at"] is not None
    assert all(key.keys() == CONTRACT | {"scope", "agents"} for key in listed)
    assert second["full_key"].encode() not in answer.content


def test_the_list_goes_on_after_the_last(admin):
    made = [admin.post(KEYS, {"name": str(n)}).body["id"] for n in range(3)]

    page = admin.get(KEYS, {"limit": "2", "starting_after": made[2]}).body

    assert [key["id"] for key in page] == [made[1], made[0]]
    assert admin.get(KEYS, {"starting_after": "key_x"}).param == "starting_after"
    assert admin.get(KEYS, {"limit": "101"}).param == "limit"


def test_a_revoked_key_is_refused_at_once(admin):
    made = admin.post(KEYS, {"name": "Export"}).body
    path = f"{KEYS}/{made['id']}"

    assert admin.delete(path).status == 204
    assert Api(made["full_key"]).get("/v1/sessions").status == 401
    again = admin.delete(path)

    assert (again.status, again.code) == (409, "key_already_revoked")
    assert Event.objects.filter(action="key.revoked").count() == 1


def test_an_administrators_key_can_end_itself(admin):
    (mine,) = admin.get(KEYS).body

    assert admin.delete(f"{KEYS}/{mine['id']}").status == 204
    assert admin.get(KEYS).status == 401


def test_a_lost_answer_is_told_again_to_who_asked_alone(api, make_key):
    one, other = api(make_key(scope="admin")), api(make_key(scope="admin"))
    body, key = {"name": "Export"}, {"Idempotency_Key": "k1"}

    first = one.post(KEYS, body, **key)
    again = one.post(KEYS, body, **key)
    theirs = other.post(KEYS, body, **key)

    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert theirs.body == first.body | {"full_key": None}
    assert ApiKey.objects.filter(name="Export").count() == 1


def test_the_secret_is_kept_nowhere(admin):
    secret = admin.post(KEYS, {"name": "E"}, Idempotency_Key="k1").body["full_key"]

    kept = bytes(StoredAnswer.objects.get().body)
    with acting_as(Role.OWNER):
        tables = connection.introspection.table_names()

    assert secret.encode() not in kept
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        for table in tables:
            cursor.execute(
                f'SELECT count(*) FROM "{table}" t WHERE t::text LIKE %s',
                [f"%{secret[11:]}%"],
            )
            assert cursor.fetchone() == (0,), table


@pytest.mark.parametrize("scope", ["read", "write"])
def test_no_other_key_sees_or_makes_keys(scope, api, make_key):
    client = api(make_key(scope=scope))

    assert client.get(KEYS).code == "permission_denied"
    assert client.post(KEYS, {"name": "x"}).code == "permission_denied"
    assert ApiKey.objects.count() == 1


def test_a_key_for_some_agents_makes_none_for_more(api, make_key):
    client = api(make_key(scope="admin", agents=["billing"]))

    answers = [client.get(KEYS), client.post(KEYS, {"name": "x"})]

    assert [answer.status for answer in answers] == [403, 403]
    assert "limited to some agents" in answers[0].body["error"]["message"]


def test_a_stranger_sees_their_own_alone(api, make_key, other_project, admin):
    made = admin.post(KEYS, {"name": "Ours"}).body
    stranger = api(make_key(scope="admin", project=other_project))

    assert [key["name"] for key in stranger.get(KEYS).body] == ["test"]
    assert stranger.delete(f"{KEYS}/{made['id']}").status == 404
    assert ApiKey.objects.get(id=made["id"]).revoked_at is None


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x", "rate_limit": 0}, "rate_limit"),
        ({"name": "x", "rate_limit": 2**63}, "rate_limit"),
        ({"name": "x", "expires_days": 0}, "expires_days"),
        ({"name": "x", "expires_days": 36_501}, "expires_days"),
        ({"name": "x", "scope": "root"}, "scope"),
        ({"name": "x", "agents": []}, "agents"),
        ({"name": "x", "agents": ["a\nb"]}, "agents"),
    ],
)
def test_what_makes_no_sense_makes_no_key(body, param, admin):
    answer = admin.post(KEYS, body)

    assert answer.status in (400, 422)
    assert answer.param == param
    assert ApiKey.objects.count() == 1


def test_a_body_that_is_no_object_is_refused(admin):
    assert admin.post(KEYS, []).code == "unacceptable_json"


@pytest.mark.django_db(transaction=True)
def test_of_two_who_revoke_a_key_one_did(project, make_key):
    admins = [Api(make_key(scope="admin")) for _ in range(2)]
    made = admins[0].post(KEYS, {"name": "Export"}).body
    barrier, found = threading.Barrier(2), []

    def revoke(client):
        try:
            barrier.wait(20)
            found.append(client.delete(f"{KEYS}/{made['id']}").status)
        finally:
            connection.close()

    threads = [threading.Thread(target=revoke, args=[one]) for one in admins]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(found) == [204, 409]
    assert Event.objects.filter(action="key.revoked").count() == 1
