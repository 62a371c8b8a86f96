"""The stage on which writers are stopped, and who judges what they came to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from psycopg.conninfo import make_conninfo

from apps.accounts import operations as accounts
from apps.accounts.models import Project, Scope
from tests.acts import act_by
from tests.conftest import make_project
from tests.races.interleavings.actors import Doors
from tests.races.interleavings.referee import Referee
from tests.races.interleavings.stage import Stage, stop_writers

SEATS = 3
_serial = count()


@pytest.fixture(scope="module")
def stage(django_db_setup: None, django_db_blocker: Any) -> Iterator[Stage]:
    """Seats that all tests share; what they stored is taken away after the last.

    A test that flushes the database when it ends would take longer to do so than to
    play its orders.
    """
    with (
        django_db_blocker.unblock(),
        psycopg.connect(dsn(), autocommit=True) as observer,
    ):
        stage = Stage(SEATS, observer)
        yield stage
        stage.aside(lambda: call_command("flush", verbosity=0, interactive=False))
        stage.close()


@pytest.fixture
def referee(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Referee]:
    doors = stage.aside(made_doors)
    with psycopg.connect(dsn(), autocommit=True) as reader:
        stop_writers(monkeypatch)
        yield Referee(stage, doors, reader)


def made_doors() -> Doors:
    project = make_project(f"race-{next(_serial)}")
    return Doors(project, make_secret(project))


def dsn() -> str:
    """Return where Django's test database is."""
    known = ("dbname", "user", "password", "host", "port")
    given = connection.get_connection_params()
    return make_conninfo("", **{name: given[name] for name in known if name in given})


def make_secret(project: Project) -> str:
    _, secret = accounts.issue_key(
        project=project,
        name="racer",
        scope=Scope.WRITE,
        agents=None,
        act=act_by(),
    )
    return secret
