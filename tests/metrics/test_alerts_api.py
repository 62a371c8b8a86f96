"""Alert rules over REST: what is told of them, and who takes them on."""

import pytest

from apps.accounts.models import Role, Scope
from apps.metrics.models import Rule
from tests.accounts.make import make_member
from tests.contracts.world import client_of

pytestmark = pytest.mark.django_db

SAID = {"name": "Many", "threshold": 0.05}


@pytest.fixture
def keys(project):
    return client_of(project, Scope.ADMIN)


def made(keys, **fields):
    answer = keys.post("/v1/alerts", SAID | fields)
    assert answer.status == 201, answer.content
    return answer.body


def test_a_rule_says_whom_it_looks_at_and_when_it_keeps_quiet(keys):
    rule = made(keys, each="agent", quiet_from="22:00", quiet_to="07:00")

    assert (rule["each"], rule["release"], rule["parent_id"]) == ("agent", None, None)
    assert (rule["quiet_from"], rule["quiet_to"]) == ("22:00", "07:00")
    assert (rule["quiet_zone"], rule["owner"]) == ("UTC", "")
    changed = keys.patch(f"/v1/alerts/{rule['id']}", {"quiet_zone": "Asia/Tokyo"})
    assert changed.body["quiet_zone"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"quiet_from": "24:00", "quiet_to": "07:00"}, "quiet_from"),
        ({"quiet_from": "22:00"}, "quiet_to"),
        ({"quiet_zone": "Mars"}, "quiet_zone"),
        ({"release": "1.8.1"}, "release"),
        ({"each": "session"}, "each"),
        ({"metric": "latency", "each": "release"}, "release"),
        ({"metric": "worker_lag", "threshold": 90_000}, "threshold"),
    ],
)
def test_a_rule_that_cannot_be_names_the_field(keys, fields, param):
    answer = keys.post("/v1/alerts", SAID | fields)

    assert answer.status == 400, answer.content
    assert answer.body["error"]["param"] == param
    assert not Rule.objects.exists()


def test_what_fires_is_taken_on_once_for_a_key(project, keys):
    rule = made(keys)
    path = f"/v1/alerts/{rule['id']}/acknowledge"
    assert keys.post(path, {}).body["error"]["code"] == "rule_not_firing"
    Rule.objects.update(state="firing")
    make_member(project, "dana", Role.OPERATOR)

    mine = keys.post(path, {})
    assert mine.body["owner"] == Rule.objects.get().owner != ""
    assert mine.body["acknowledged_at"] is not None
    assert keys.post(path, {"owner": "dana"}).body["owner"] == "dana"
    refused = keys.post(path, {"owner": "mallory"})
    assert (refused.status, refused.body["error"]["param"]) == (400, "owner")
    assert Rule.objects.get().owner == "dana"
