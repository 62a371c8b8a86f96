"""Every page and every act of the console against everybody, and against forgery.

The routes come from the URL resolver: a new page is in the matrix at once. What a
viewer may do although it is an act stands in `OPEN_TO_VIEWERS`.
"""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from apps.accounts.models import Role, User
from apps.core.roles.names import Role as DatabaseRole
from tests.acting import acting_as
from tests.contracts.routes import page_routes
from tests.contracts.world import World, add_member

pytestmark = pytest.mark.django_db

BACKEND = "django.contrib.auth.backends.ModelBackend"
PAGES = [page for page in page_routes() if page[0].startswith("/console/{slug}")]
# What an act takes that is not in its address, where it is needed to get past the
# form. Whoever lacks the right must be told so whatever they send.
FOR_ADMINS = (
    *("/members/", "/keys", "/webhooks", "/{rule_id}/", "/keeping/"),
    *("/alerts/new", "/alerts/preview", "/alerts/create"),
    "/agents/{agent_id}/delete",
    "/approval-rules",
    "/budgets",
    "/guards",
)
# Whoever may write takes on what fires.
FOR_OPERATORS = ("/{rule_id}/acknowledge",)
# Acts that change only what is the viewer's own.
OPEN_TO_VIEWERS = {
    "/console/{slug}/alerts/weekly",
    "/console/{slug}/alerts/weekly/stop",
    "/console/{slug}/views",
    "/console/{slug}/views/default",
    "/console/{slug}/agents/{agent_id}/watch",
    "/console/{slug}/agents/{agent_id}/unwatch",
    "/console/{slug}/sessions/{session_id}/watch",
    "/console/{slug}/sessions/{session_id}/unwatch",
}
# Looking at an agent's data or config is an act on it: the agent's stream records it,
# and nothing else changes.
RECORDING = {
    "/console/{slug}/agents/{agent_id}": "config.read",
    "/console/{slug}/agents/{agent_id}/data": "data.list",
    "/console/{slug}/agents/{agent_id}/data/key": "data.read",
    "/console/{slug}/agents/{agent_id}/config": "config.read",
    "/console/{slug}/agents/{agent_id}/config/versions/{number}": "config.read",
    "/console/{slug}/agents/{agent_id}/checkpoints": "data.list",
    "/console/{slug}/agents/{agent_id}/checkpoints/at/{checkpoint_id}": "data.list",
    "/console/{slug}/agents/{agent_id}/blocked": "data.list",
}
UNTOUCHED = ("accounts_browsersession", "axes_")


def each_page(test: Any) -> Any:
    return pytest.mark.parametrize("at", PAGES, ids=lambda at: str(at[0]))(test)


def address(at: tuple[str, tuple[str, ...]], world: World) -> str:
    pattern, parameters = at
    missing = [name for name in parameters if name not in world.parameters]
    assert not missing, f"{pattern} has parameters without a sample: {missing}"
    return pattern.format(**world.parameters)


def browser(user: User, *, is_strict: bool = False) -> Client:
    client = Client(enforce_csrf_checks=is_strict, raise_request_exception=False)
    client.force_login(user, BACKEND)
    return client


def is_for_admins(pattern: str) -> bool:
    if pattern.endswith(FOR_OPERATORS):
        return False
    return any(part in pattern for part in FOR_ADMINS)


@each_page
def test_a_stranger_is_told_that_there_is_no_such_project(
    at: tuple[str, tuple[str, ...]], world: World
) -> None:
    stranger = browser(add_member(world.other_project, "mallory"))
    path = address(at, world)

    answers = [stranger.get(path), stranger.post(path)]

    # Which methods an address takes is no secret.
    assert {answer.status_code for answer in answers} <= {404, 405}
    assert 404 in {answer.status_code for answer in answers}
    assert all(world.project.name not in answer.content.decode() for answer in answers)


@each_page
def test_a_viewer_reads_and_does_nothing(
    at: tuple[str, tuple[str, ...]], world: World
) -> None:
    viewer = browser(add_member(world.project, "carol", Role.VIEWER))
    path = address(at, world)
    before = everything(but=RECORDING.get(at[0]))

    read, done = viewer.get(path), viewer.post(path)

    if at[0] not in OPEN_TO_VIEWERS:
        assert done.status_code in (403, 405)
        assert everything(but=RECORDING.get(at[0])) == before
    if read.status_code == 403:
        assert done.status_code in (403, 405)
    else:
        assert read.status_code in (200, 302, 405)
        assert (read.status_code == 405) != (done.status_code == 405) or (
            at[0] in OPEN_TO_VIEWERS
        )


@each_page
def test_an_operator_administers_nothing(
    at: tuple[str, tuple[str, ...]], world: World
) -> None:
    if not is_for_admins(at[0]):
        return
    operator = browser(add_member(world.project, "olga", Role.OPERATOR))
    path = address(at, world)
    before = everything()

    answers = {operator.get(path).status_code, operator.post(path).status_code}

    assert answers <= {403, 405}
    assert 403 in answers
    assert everything() == before


@each_page
def test_nothing_changes_when_a_page_is_looked_at(
    at: tuple[str, tuple[str, ...]], world: World
) -> None:
    admin = browser(add_member(world.project, "alice"))
    before = everything(but=RECORDING.get(at[0]))

    for method in (admin.get, admin.head):
        assert method(address(at, world)).status_code < 500

    assert everything(but=RECORDING.get(at[0])) == before


@each_page
def test_an_act_needs_the_token_of_our_own_page(
    at: tuple[str, tuple[str, ...]], world: World
) -> None:
    admin = browser(add_member(world.project, "alice"), is_strict=True)
    before = everything()

    answer = admin.post(address(at, world))

    assert answer.status_code in (403, 405)
    assert everything() == before


@each_page
def test_an_address_with_a_nul_is_none(
    at: tuple[str, tuple[str, ...]], world: World
) -> None:
    admin = browser(add_member(world.project, "alice"))
    pattern, parameters = at

    for name in parameters:
        spoiled = world.parameters | {name: f"{world.parameters[name]}%00"}
        path = pattern.format(**spoiled)
        answers = [admin.get(path), admin.post(path)]
        assert {answer.status_code for answer in answers} == {404}
        assert answers[0].headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "pattern",
    [
        "/signin",
        "/signout",
        "/password",
        "/invitation/nobody",
        "/account/second-factor",
        "/account/code",
        "/account/sessions/end",
        "/account/sessions/nobody/end",
    ],
)
def test_accounts_need_the_token_too(pattern: str, world: World) -> None:
    admin = browser(add_member(world.project, "alice"), is_strict=True)

    assert admin.post(pattern).status_code == 403


def everything(but: str | None = None) -> dict[str, list[str] | None]:
    """Return every row of every table that people's acts write, as text, at once.

    All `but` the records of this operation.
    """
    tables = [
        model._meta.db_table
        for model in apps.get_models()
        if not model._meta.db_table.startswith(UNTOUCHED)
    ]
    asked = " UNION ALL ".join(
        f"SELECT '{table}', array_agg(kept::text ORDER BY kept::text)"
        f" FROM {connection.ops.quote_name(table)} AS kept"
        for table in tables
    )
    with acting_as(DatabaseRole.OWNER), connection.cursor() as cursor:
        cursor.execute(asked)
        found = dict(cursor.fetchall())
    assert found.keys() == set(tables)
    records = found["audit_auditrecord"] or []
    kept = [one for one in records if not one.startswith(f"({but},")]
    return found | {"audit_auditrecord": kept}


def test_a_changed_row_would_be_seen(world: World) -> None:
    before = everything()
    world.project.needs_second_factor = not world.project.needs_second_factor
    world.project.save(update_fields=["needs_second_factor"])

    assert everything() != before
