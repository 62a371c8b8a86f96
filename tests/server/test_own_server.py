"""The roles on a PostgreSQL of one's own: another version, any names and passwords.

The SQL is what `manage.py roles` prints, run by an administrator; then `up` runs there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
import pytest
from django.core.management import call_command
from psycopg import sql
from psycopg.conninfo import make_conninfo

from apps.core.postgres import Cluster, Location, locate
from apps.core.roles import administration
from apps.core.roles.names import VARIABLES, Role
from apps.core.roles.powers import ONE_ROLE, SEPARATE, TOO_MANY, powers
from apps.server import protecting
from apps.server.protecting import RolesRefused
from tests.cluster import Installed, OtherCluster
from tests.server.test_up import (
    CLONE,
    folders,  # noqa: F401 - fixtures
    manage,
    run,  # noqa: F401
)
from tests.server.test_up_roles import client, environ, worker_of
from tests.worker.processes import until

ACME = {
    Role.OWNER: "Acme owner",
    Role.WEB: 'acme "web"',
    Role.WORKER: "acme-worker",
    Role.RETENTION: "acme's retention",
}
DATABASE = "Acme's sessions"
ADMIN = "administrator"
OLDEST = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture(scope="module")
def theirs(folders: Any) -> Iterator[Location]:  # noqa: F811
    """Somebody's server, of the oldest version that is served if it is installed."""
    location = locate(folders() / "theirs", CLONE)
    cluster = Cluster(location, durable=False)
    if OLDEST.exists():
        installed = replace(location, binaries=Installed(site=OLDEST))
        cluster = OtherCluster(installed, durable=False)
    cluster.start()
    with psycopg.connect(location.superuser_dsn(), autocommit=True) as server:
        # As on a hosted server: no superuser.
        server.execute(f"CREATE ROLE {ADMIN} LOGIN CREATEDB CREATEROLE PASSWORD 'x'")
    with psycopg.connect(administrator(location), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
    yield location
    cluster.stop()


def administrator(at: Location, database: str = "postgres") -> str:
    where = {"host": str(at.socket_dir), "dbname": database}
    return make_conninfo("", user=ADMIN, password="x", **where)


def login(at: Location, role: Role, database: str = DATABASE) -> str:
    who = f"{quote(ACME[role], '')}:{quote(f'p@ss/{role}?', '')}"
    where = quote(str(at.socket_dir), "")
    return f"postgresql://{who}@/{quote(database, '')}?host={where}"


def named(at: Location) -> dict[str, str]:
    return {variable: login(at, role) for role, variable in VARIABLES.items()}


@pytest.fixture(scope="module")
def administered(theirs: Location) -> Location:
    """The roles are made as the command prints it, and once more; then the tables."""
    status, printed, told = manage("roles", env=named(theirs))
    assert status == 0, told
    assert "p@ss" not in printed
    for _ in range(2):
        # As `psql` would, which sends it as it stands.
        with psycopg.connect(administrator(theirs, DATABASE), autocommit=True) as admin:
            admin.execute(printed.encode())
    status, _, told = manage("migrate", "--verbosity", "0", env=named(theirs))
    assert status == 0, told
    return theirs


def test_on_a_server_of_ones_own_the_roles_are_made_as_the_command_prints_them(
    administered: Location,
    run: Any,  # noqa: F811
    folders: Any,  # noqa: F811
) -> None:
    required = {"STEPBACK_REQUIRE_ROLES": "true"}

    started = run(folders() / "var", "--no-demo", env=named(administered) | required)
    started.ready()

    assert ONE_ROLE not in started.said
    told = environ(started, Role.WEB)
    assert told["DATABASE_URL"] == login(administered, Role.WEB)
    assert not set(VARIABLES.values()) & set(told) - {"DATABASE_URL"}
    with client(started) as agent:
        begun = {"agent_id": "desk", "initial_state": {}}
        assert agent.post("/v1/sessions", json=begun).status_code == 201
        until(lambda: worker_of(agent) == "healthy")
        assert agent.get("/health").json()["protection"] == SEPARATE
    assert started.stop() == 0
    with psycopg.connect(login(administered, Role.WEB)) as web:
        assert powers(web) == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            web.execute("DELETE FROM timeline_version")
    with psycopg.connect(login(administered, Role.RETENTION)) as retention:
        retention.execute("SET stepback.retention = 'on'")
        retention.execute("UPDATE timeline_version SET reasoning = NULL")
        retention.rollback()


def test_with_one_role_it_runs_and_says_so_wherever_it_matters(
    administered: Location,
    run: Any,  # noqa: F811
    folders: Any,  # noqa: F811
) -> None:
    one = {"DATABASE_URL": login(administered, Role.OWNER)}

    started = run(folders() / "var", "--no-demo", env=one).ready()

    with httpx.Client(base_url=started.url) as anybody:
        health = anybody.get("/health").json()
    status, said, _ = manage("verify", env=one)
    assert started.stop() == 0
    assert ONE_ROLE in started.lines
    assert health["protection"] == ONE_ROLE
    assert health["ok"] is True
    # Before it come the rows beside histories, and signatures, which are in the folder.
    assert (status, said.splitlines()[3:]) == (0, [ONE_ROLE, "All of it holds."])


def test_one_role_is_refused_where_more_are_required(
    administered: Location,
    run: Any,  # noqa: F811
    folders: Any,  # noqa: F811
) -> None:
    one = {"DATABASE_URL": login(administered, Role.OWNER)}

    started = run(folders() / "var", env=one | {"STEPBACK_REQUIRE_ROLES": "true"})

    assert started.ends() == 1
    assert started.errors.read_text() == (
        "CommandError: STEPBACK_REQUIRE_ROLES is set, but DATABASE_URL names the only "
        "role: manage.py roles prints how to make the others.\n"
    )


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {Role.OWNER: "", Role.WORKER: ""},
            "STEPBACK_OWNER_URL, STEPBACK_WORKER_URL missing: name all four roles",
        ),
        ({Role.WEB: ""}, "DATABASE_URL missing: name all four roles"),
        (
            {Role.RETENTION: "postgresql://nobody@127.0.0.1:1/none"},
            "The PostgreSQL of STEPBACK_RETENTION_URL does not let us in: ",
        ),
        (
            {Role.WORKER: "postgresql://ann:half@db/name?none=1"},
            "STEPBACK_WORKER_URL is not the URL of a PostgreSQL, as in ",
        ),
        (
            {Role.WORKER: (Role.WORKER, "postgres")},
            "STEPBACK_WORKER_URL leads to another database than DATABASE_URL.",
        ),
        (
            {Role.WORKER: (Role.OWNER, DATABASE)},
            "STEPBACK_REQUIRE_ROLES is set, but the worker role owns ",
        ),
    ],
)
def test_roles_that_will_not_do_are_refused(
    administered: Location, settings: Any, wrong: dict[Role, Any], told: str
) -> None:
    settings.DATABASE_URLS = {role: login(administered, role) for role in Role} | {
        role: one if isinstance(one, str) else login(administered, *one)
        for role, one in wrong.items()
    }
    settings.REQUIRE_ROLES = True

    with pytest.raises(RolesRefused) as refused:  # noqa: PT012 - a start does both
        protecting.refuse_unready()
        protecting.report(print)

    assert str(refused.value).startswith(told)
    assert len(str(refused.value).splitlines()) == 1
    assert "half" not in str(refused.value)


def test_a_role_with_too_many_rights_is_named(
    administered: Location, settings: Any
) -> None:
    said: list[str] = []
    settings.DATABASE_URLS = {role: login(administered, role) for role in Role}
    table, to = sql.Identifier("timeline_version"), sql.Identifier(ACME[Role.WORKER])
    for words in ("GRANT DELETE ON {} TO {}", "REVOKE DELETE ON {} FROM {}"):
        with psycopg.connect(login(administered, Role.OWNER)) as owner:
            owner.execute(sql.SQL(words).format(table, to))
        protecting.report(said.append)

    assert said == [f"{TOO_MANY} (the worker role has DELETE on timeline_version)"]


def test_what_the_only_role_has_made_becomes_the_owners(theirs: Location) -> None:
    """Whichever of the four the role is that there was before."""
    names = {role: f"hand over {role}" for role in Role}
    with psycopg.connect(theirs.superuser_dsn(), autocommit=True) as admin:
        for statement in administration.roles(names, {}):
            admin.execute(statement)
        name = sql.Identifier(names[Role.WEB])
        admin.execute(sql.SQL("CREATE DATABASE mine OWNER {}").format(name))
    with psycopg.connect(theirs.superuser_dsn("mine"), autocommit=True) as admin:
        admin.execute(sql.SQL("SET ROLE {}").format(name))
        admin.execute("CREATE TABLE kept AS SELECT 7 AS n")
        admin.execute("CREATE FUNCTION one() RETURNS int LANGUAGE sql RETURN 1")
        assert "owns the database" in powers(admin)
        admin.execute("RESET ROLE")
        for statement in administration.access(names, "mine"):
            admin.execute(statement)
        admin.execute(sql.SQL("SET ROLE {}").format(name))
        assert powers(admin) == []
        admin.execute(sql.SQL("RESET ROLE"))
        owners = admin.execute(
            "SELECT relowner::regrole::text FROM pg_class WHERE relname = 'kept'"
            " UNION ALL SELECT proowner::regrole::text FROM pg_proc"
            " WHERE proname = 'one'"
        ).fetchall()

    assert owners == [('"hand over owner"',)] * 2


@pytest.mark.parametrize(
    ("urls", "names"),
    [
        ({}, ["stepback", "stepback_web", "stepback_worker", "stepback_retention"]),
        # The only role so far has made the tables, and keeps them.
        (
            {Role.WEB: "postgresql://ann:x@db/sessions"},
            ["ann", "stepback_web", "stepback_worker", "stepback_retention"],
        ),
    ],
)
def test_the_roles_command_names_those_that_are_not_named_yet(
    settings: Any, capsys: Any, urls: dict[Role, str], names: list[str]
) -> None:
    settings.DATABASE_URLS = dict.fromkeys(Role, "") | urls

    call_command("roles")

    printed = capsys.readouterr().out
    for name in names:
        assert f'ALTER ROLE "{name}" LOGIN' in printed
    assert (
        'GRANT CONNECT ON DATABASE "%s"' % ("sessions" if urls else "stepback")
        in printed
    )
    without = {name for name in names if f"-- {name} gets no password" in printed}
    assert without == set(names) - {"ann"}
    assert ":x@" not in printed
