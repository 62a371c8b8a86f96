"""Who looks after incidents: an operator of the project."""

import pytest

from apps.accounts.access import actor_of
from apps.accounts.models import Role, User
from apps.core.actors import Actor
from tests.accounts.make import make_member


@pytest.fixture
def person(project) -> User:
    return make_member(project, "olga", Role.OPERATOR)


@pytest.fixture
def olga(person) -> Actor:
    return actor_of(person)
