"""Policies over REST: made, checked, previewed, enabled, disabled."""

from datetime import timedelta

import pytest

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord
from apps.retention.models import Policy, Removal

pytestmark = pytest.mark.django_db
POLICIES = "/v1/retention/policies"
PREVIEWS = "/v1/retention/previews"


def acts():
    found = AuditRecord.objects.filter(action__startswith="retention")
    return list(found.order_by("number").values_list("action", flat=True))


def made(client, **body):
    answer = client.post(POLICIES, body)
    assert answer.status == 201, answer.content
    return answer.body


def test_a_policy_is_made_and_does_nothing_yet(admin):
    policy = made(admin, empty_days=30, prune_days=90)

    assert policy["enabled"] is False
    assert (policy["empty_days"], policy["prune_days"]) == (30, 90)
    assert (policy["thin_days"], policy["agent_id"], policy["keep_last"]) == (
        *(None, None),
        1,
    )
    assert admin.get(f"{POLICIES}/{policy['id']}").body == policy
    assert admin.get(POLICIES).body["data"] == [policy]
    assert acts() == ["retention_policy.created"]


@pytest.mark.parametrize(
    ("terms", "place"),
    [
        ({}, "empty_days"),
        ({"thin_days": 0}, "thin_days"),
        ({"empty_days": -1}, "empty_days"),
        ({"prune_days": 6}, "prune_days"),
        ({"remove_days": 6}, "remove_days"),
        ({"ended_days": 6}, "ended_days"),
        ({"empty_days": 36_501}, "empty_days"),
        ({"empty_days": 30, "prune_days": 29}, "prune_days"),
        ({"thin_days": 30, "remove_days": 29}, "remove_days"),
        ({"empty_days": 60, "remove_days": 59}, "remove_days"),
        ({"thin_days": 5, "empty_days": 4}, "empty_days"),
        ({"empty_days": 5, "keep_last": 0}, "keep_last"),
    ],
)
def test_what_would_remove_too_soon_is_refused_with_its_place(admin, terms, place):
    refused = admin.post(POLICIES, terms)

    assert (refused.status, refused.code) == (422, "unacceptable_policy")
    assert refused.body["error"]["param"] == place
    assert not Policy.objects.exists()


def test_days_that_are_the_same_come_in_their_order(admin):
    made(admin, thin_days=7, empty_days=7, prune_days=7, remove_days=7)


def test_what_is_archived_is_archived_before_it_is_emptied(admin):
    refused = admin.post(POLICIES, {"archive_days": 61, "empty_days": 60})

    assert (refused.status, refused.code) == (422, "unacceptable_policy")
    assert refused.body["error"]["param"] == "empty_days"
    assert made(admin, archive_days=30, empty_days=60)["archive_days"] == 30


def test_an_agent_is_named_by_either_name(admin):
    agent = admin.post("/v1/agents", {"name": "Refunds", "external_id": "refunds"})

    first = made(admin, agent_id="refunds", empty_days=1)
    second = made(admin, agent_id=agent.body["id"], empty_days=1)
    unknown = admin.post(POLICIES, {"agent_id": "nobody", "empty_days": 1})

    assert first["agent_id"] == second["agent_id"] == "refunds"
    assert (unknown.status, unknown.code) == (404, "agent_not_found")


def counted(preview_id, **also):
    """Have it counted, as the sweeping process does."""
    Removal.objects.filter(id=preview_id).update(state="ready", **also)


def previewed(client, policy):
    asked = client.post(PREVIEWS, {"policy_id": policy["id"]})
    assert (asked.status, asked.body["state"]) == (202, "previewing")
    return asked.body["id"]


def enabled(client, policy, preview_id):
    path = f"{POLICIES}/{policy['id']}/enable"
    return client.post(path, {"preview_id": preview_id})


def test_without_a_preview_of_the_same_policy_none_is_enabled(admin, as_owner):
    policy, other = made(admin, empty_days=30), made(admin, empty_days=31)
    same = made(admin, empty_days=30)

    unknown = enabled(admin, policy, "prev_" + "0" * 26)
    unsaid = admin.post(f"{POLICIES}/{policy['id']}/enable", {})
    preview = previewed(admin, other)
    with as_owner():
        counted(preview)
    stale = enabled(admin, policy, preview)
    preview = previewed(admin, same)
    early = enabled(admin, policy, preview)
    with as_owner():
        counted(preview)
    done = enabled(admin, policy, preview)

    assert (unknown.status, unknown.code) == (404, "preview_not_found")
    assert (unsaid.status, unsaid.code) == (400, "invalid_request")
    assert (stale.status, stale.code) == (409, "preview_stale")
    assert (early.status, early.code) == (409, "preview_not_ready")
    assert (done.status, done.body["enabled"]) == (200, True)
    assert done.body["preview_id"] == preview


def test_a_preview_counts_for_a_day(admin, as_owner):
    policy = made(admin, empty_days=30)
    preview = previewed(admin, policy)
    at = Removal.objects.get(id=preview).started_at
    with as_owner():
        counted(preview, started_at=at - timedelta(hours=24))
    stale = enabled(admin, policy, preview)
    with as_owner():
        counted(preview, started_at=at - timedelta(hours=23, minutes=59))
    done = enabled(admin, policy, preview)

    assert (stale.status, stale.code) == (409, "preview_stale")
    assert done.status == 200


def test_one_takes_the_place_of_the_one_before(admin, as_owner):
    first, second = made(admin, empty_days=30), made(admin, empty_days=60)
    for policy in (first, second):
        preview = previewed(admin, policy)
        with as_owner():
            counted(preview)
        assert enabled(admin, policy, preview).status == 200

    first, second = (
        admin.get(f"{POLICIES}/{one['id']}").body for one in (first, second)
    )
    assert (first["enabled"], second["enabled"]) == (False, True)
    assert first["disabled_at"] == second["enabled_at"]
    over = admin.post(f"{POLICIES}/{second['id']}/disable")
    assert (over.status, over.body["enabled"]) == (200, False)
    assert [one.removeprefix("retention_") for one in acts()] == [
        *("policy.created", "policy.created", "retention.previewed"),
        *("policy.enabled", "retention.previewed", "policy.disabled"),
        *("policy.enabled", "policy.disabled"),
    ]


def test_a_lost_answer_is_repeated_and_nothing_is_made_twice(admin):
    about = {"empty_days": 30}
    first = admin.post(POLICIES, about, Idempotency_Key="p-1")
    second = admin.post(POLICIES, about, Idempotency_Key="p-1")
    ask = {"policy_id": first.body["id"]}
    asked = [admin.post(PREVIEWS, ask, Idempotency_Key="p-2") for _ in "ab"]

    assert first.content == second.content
    assert asked[0].content == asked[1].content
    assert (Policy.objects.count(), Removal.objects.count()) == (1, 1)


def test_only_administrators_keys_come_in(api, make_key, admin):
    policy = made(admin, empty_days=30)

    for client in (api(make_key(scope=one)) for one in (Scope.WRITE, Scope.READ)):
        assert client.get(POLICIES).status == 403
        assert client.post(POLICIES, {"empty_days": 1}).status == 403
        assert client.post(f"{POLICIES}/{policy['id']}/disable").status == 403
