"""The API does what the model does, over random histories.

`STEPBACK_SEED` repeats a run; without it each draws a seed of its own, and a failure
prints it. 300 histories in CI, 60 elsewhere, or `STEPBACK_HISTORIES`: 0.15 s each on
one core.
"""

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from apps.accounts.models import Scope
from tests.conftest import Api
from tests.encryption.conftest import forget, line
from tests.model.machine import SCHEMAS, Histories

HISTORIES = int(
    os.environ.get("STEPBACK_HISTORIES") or (300 if os.environ.get("CI") else 60)
)
STEPS = 20
SEED = int(os.environ.get("STEPBACK_SEED") or random.SystemRandom().randrange(2**32))

as_the_model = settings(
    max_examples=HISTORIES,
    stateful_step_count=STEPS,
    deadline=None,
    derandomize=False,
    # The seed alone decides which histories are run.
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def declare(admin: Api) -> None:
    """Declare schemas of the histories' agent, and migrations from each to the next."""
    agent = "/v1/agents/agent"
    assert admin.post("/v1/sessions", {"agent_id": "agent"}).status == 201
    for one in range(SCHEMAS + 1):
        body: Any = {"version": str(one), "schema": {"type": "object"}}
        assert admin.post(f"{agent}/schemas", body).status == 201
        if one:
            step = {"op": "default", "at": f"/schema {one}", "value": one}
            body = {"from": str(one - 1), "to": str(one), "steps": [step]}
            assert admin.post(f"{agent}/migrations", body).status == 201


@pytest.mark.django_db(transaction=True)
def test_the_api_does_what_the_model_does(
    api: Callable[..., Api], make_key: Callable[..., str], tmp_path: Path
) -> None:
    sys.stdout.write(f"STEPBACK_SEED={SEED} repeats these {HISTORIES} histories.\n")
    client = api()
    declare(api(make_key(scope=Scope.ADMIN)))

    @seed(SEED)
    def history() -> Histories:
        return Histories(client)

    keys = tmp_path / "keys"
    keys.write_text(line("first"))
    forget()
    with override_settings(OBJECTS=str(tmp_path / "objects"), KEYS=f"file:{keys}"):
        run_state_machine_as_test(history, settings=as_the_model)
