"""What an erasure takes of legal holds that are over: they name the person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.audit.comparing import Comparison
from tests.conftest import Api
from tests.erasures.leaving import CANARY, done, found_in, leave
from tests.timeline import runs

pytestmark = pytest.mark.django_db
AT = "/v1/retention/legal-holds"


def test_a_hold_that_is_over_names_the_person_no_more(
    api: runs.Clients, admin: Api, erase: Callable[..., Any], project: Any
) -> None:
    leave(api(), CANARY, "somethingelse")
    said = {"kind": "user", "reason": f"The case of {CANARY}"}
    hold = done(admin.post(AT, {**said, "value": CANARY}))
    done(admin.post(f"{AT}/{hold['id']}/end", {"reason": f"{CANARY} has paid"}))
    other = done(admin.post(AT, {**said, "value": "bob", "reason": "Another"}))

    erasure = erase(user_id=CANARY)

    assert [one["id"] for one in admin.get(AT).body["data"]] == [other["id"]]
    assert found_in() == {}
    counts = {one["what"]: one["rows"] for one in erasure["rows"]}
    assert counts["legal_holds"] == 1
    compared = Comparison(project_id=project.id, secret=bytes(project.index_key))
    assert [str(one) for one in compared.differences()] == []
