"""Effects and approvals do what their model does, over random histories and clocks.

`STEPBACK_SEED` and `STEPBACK_HISTORIES` as for the histories of states; half as many.
"""

from __future__ import annotations

import sys

import pytest
from django.utils import timezone
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from apps.accounts.access import actor_of
from apps.accounts.models import Project, Role
from tests.accounts.make import make_member
from tests.model.acting import Acting
from tests.model.test_model import HISTORIES, SEED, as_the_model

STEPS = 30
ROLES = {"olga": Role.OPERATOR, "dana": Role.OPERATOR, "ada": Role.ADMIN}


@pytest.mark.django_db
def test_effects_and_approvals_do_what_the_model_does(project: Project) -> None:
    sys.stdout.write(f"STEPBACK_SEED={SEED} repeats these histories.\n")
    users = {
        name: actor_of(make_member(project, name, role)) for name, role in ROLES.items()
    }
    now = timezone.now()

    @seed(SEED)
    def history() -> Acting:
        return Acting(project, users, now)

    half = settings(
        as_the_model, max_examples=HISTORIES // 2, stateful_step_count=STEPS
    )
    run_state_machine_as_test(history, settings=half)
