"""Who comes in here: administrators' keys; and the owner, who sets a stage."""

import pytest

from apps.accounts.models import Scope
from apps.core.roles.names import Role
from tests.acting import acting_as


@pytest.fixture
def admin(api, make_key):
    return api(make_key(scope=Scope.ADMIN))


@pytest.fixture
def as_owner():
    """`with as_owner():` lets a test change what no role of a process changes."""
    return lambda: acting_as(Role.OWNER)
