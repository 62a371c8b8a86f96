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

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.conftest import Api
from tests.encryption.conftest import forget, line
from tests.model.machine import Histories

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


@pytest.mark.django_db(transaction=True)
def test_the_api_does_what_the_model_does(
    api: Callable[[], Api], tmp_path: Path
) -> None:
    sys.stdout.write(f"STEPBACK_SEED={SEED} repeats these {HISTORIES} histories.\n")
    client = api()

    @seed(SEED)
    def history() -> Histories:
        return Histories(client)

    keys = tmp_path / "keys"
    keys.write_text(line("first"))
    forget()
    with override_settings(OBJECTS=str(tmp_path / "objects"), KEYS=f"file:{keys}"):
        run_state_machine_as_test(history, settings=as_the_model)
