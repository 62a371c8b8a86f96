"""The sweep: what policies let go, as the retention role."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.models import Policy, Removal
from apps.retention.sweeping import count_previews, sweep
from apps.retention.terms import Terms
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all

pytestmark = pytest.mark.django_db


def test_what_is_old_is_emptied_once_and_a_disabled_policy_takes_nothing(
    admin, project
):
    begun = {"agent_id": "travel", "initial_state": {"n": 0}}
    session_id = admin.post("/v1/sessions", begun).body["id"]
    for n in range(5):
        admin.patch(f"/v1/sessions/{session_id}/state", {"state": {"n": n + 1}})
    feed_all()
    later = timezone.now() + timedelta(days=40)
    policy = retention.make_policy(act=act_in(project), terms=Terms(empty_days=30))
    act = act_in(project, now=later)
    preview = retention.ask_preview(act=act, policy_id=policy.id)
    with acting_as(Role.RETENTION):
        assert count_previews(now=later) == 1
    counted = Removal.objects.get(id=preview.id)
    assert counted.state == "ready"
    retention.enable_policy(act=act, policy_id=policy.id, preview_id=preview.id)
    with acting_as(Role.RETENTION):
        sweep(now=later)
        sweep(now=later)

    (removal,) = Removal.objects.removals()
    assert removal.state == "done"
    assert removal.counts["steps"] == counted.counts["steps"]
    assert removal.counts["steps"]["empty"]["versions"] > 0
    assert Policy.objects.get().swept_at == later
