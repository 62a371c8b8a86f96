"""What tests of several apps share: two projects, keys, and a client of the API.

All of it is made by the product's own operations. `project` and `api` need a
database: a test that uses threads marks itself with `django_db(transaction=True)`.
"""

import gc
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import orjson
import psycopg
import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management.commands import flush
from django.db import connection
from django.db.backends.postgresql.operations import DatabaseOperations
from django.template import engines
from django.template.backends import django as backend
from django.template.context import make_context
from django.test import Client, RequestFactory, TransactionTestCase
from hypothesis import HealthCheck, settings
from hypothesis.configuration import storage_directory
from hypothesis.internal import charmap as characters
from hypothesis.internal.constants_ast import constants_from_module
from whitenoise.middleware import WhiteNoiseMiddleware

from apps.accounts import operations as accounts
from apps.accounts.models import Project, Scope
from apps.core import json
from apps.core.roles.names import Role
from tests.acting import acting_as, acting_as_web, jobs_acting_as_the_worker
from tests.acts import act_by
from tests.live import Server, migrated, serving
from tests.scheduling import ByHouse
from tests.statements.recorder import Plugin
from tests.unordered import turn_around_what_has_no_order

# Where this is set, each process of the run, and each server that it starts, compiles
# all modules anew: 5 s of a processor for a worker, 0.6 for a server.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# How long an example takes is the machine's affair: with hypothesis' own 0.2 s a test
# failed that shared its cores with six others.
settings.register_profile(
    "tests", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")
# Nothing of what collecting makes is garbage, and looking for some takes a tenth of it.
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    """Have every statement on tables of sessions be of one of three kinds.

    What has no order is turned around.
    """
    config.pluginmanager.register(Plugin(config), "statements")
    turn_around_what_has_no_order()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Have what was collected, a million objects, never be looked through again.

    Nor does each test need what it leaves to be looked for thirty times: that was a
    twentieth of the processor's time.
    """
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Have hypothesis look at all characters and modules before there are processes.

    It keeps what it finds in a folder of the checkout. In a new one each process of a
    run began with it: 7 s of a processor.
    """
    if storage_directory("constants").path.exists():
        return
    characters.intervals_from_codec("utf-8")
    for file in (Path(__file__).parents[1] / "apps").rglob("*.py"):
        module = ModuleType(file.stem)
        module.__file__ = str(file)
        constants_from_module(module)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByHouse:
    """Have what shares a server run together."""
    return ByHouse(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Use all cores for all tests, and one process for those that are named.

    Many tests wait, for servers to start and for browsers: two processes more than
    there are cores keep these busy. With three on two, a fifth of their time was left.
    """
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return 0
    return (os.cpu_count() or 1) + 2


# What a session may have been told, locked or made, other than plans.
AS_IT_CAME = (
    "RESET ALL; RESET ROLE; SELECT pg_advisory_unlock_all();"
    " UNLISTEN *; DISCARD TEMP; CLOSE ALL"
)
# What Django writes anew after each flush, model by model.
OF_MODELS = {"django_content_type", "auth_permission"}


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, worker_id: str
) -> None:
    """Have each process of a run copy what one of them migrates: 0.3 s, not 8.

    Nor does any read all tables for what Django would put back into an empty database
    after a test: no test asks for that, and it took half a second of each.
    """
    connection.creation.serialize_db_to_string = lambda: "[]"
    if worker_id != "master":
        with migrated() as template:
            connection.settings_dict["TEST"]["TEMPLATE"] = template


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Have the owner make the test database, and tests act as the web's role."""
    with django_db_blocker.unblock(), acting_as_web(connection):
        yield


@pytest.fixture(scope="session", autouse=True)
def _jobs_act_as_the_worker() -> Iterator[None]:
    """Ask for what the worker's process does with the worker's rights."""
    with jobs_acting_as_the_worker():
        yield


@pytest.fixture(scope="session", autouse=True)
def _rows_are_deleted() -> Iterator[None]:
    """Have a test with transactions of its own delete what it wrote, and no more.

    Django truncates all tables, which makes new files for each and its indexes, then
    writes what it knows of all models: 0.4 s, as long as such a test. This takes 0.02.
    """

    def deleting(self: Any, style: Any, tables: Any, **options: Any) -> list[str]:
        names = [name for name in tables if name not in OF_MODELS]
        asked = " UNION ALL ".join(
            f"SELECT {number} WHERE EXISTS (SELECT FROM {self.quote_name(name)})"
            for number, name in enumerate(names)
        )
        with acting_as(Role.OWNER), self.connection.cursor() as cursor:
            cursor.execute(asked)
            filled = [names[number] for (number,) in cursor.fetchall()]
        return [
            # Neither foreign keys nor what keeps history from being changed.
            "SET ROLE NONE",
            "SET session_replication_role = replica",
            *(f"DELETE FROM {self.quote_name(name)}" for name in filled),
            "SET session_replication_role = DEFAULT",
            "RESET ROLE",
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", deleting)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _connections_are_kept() -> Iterator[None]:
    """Have a test with transactions of its own hand on its connection, as it came.

    Django closes it, and the next one knows no table and no plan: 0.05 s of a
    processor, a quarter of such a test.
    """

    def must_reload(self: Any) -> bool:
        if connection.in_atomic_block or not connection.is_usable():
            return True
        with connection.cursor() as cursor:
            cursor.execute(AS_IT_CAME)
        return False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_should_reload_connections", must_reload)
        yield


@pytest.fixture(scope="session", autouse=True)
def _authorities_are_read_once() -> Iterator[None]:
    """Have clients share what they know of the authorities that sign certificates.

    httpx reads it for each client, and for each question that is asked without one:
    0.05 s of a processor, for what is all plain HTTP on this machine. A wait for a
    server that starts took as much of it as the server.
    """
    with pytest.MonkeyPatch.context() as patch:
        read = cache(httpx.create_ssl_context)
        patch.setattr("httpx._transports.default.create_ssl_context", read)
        yield


@pytest.fixture(scope="session", autouse=True)
def _files_are_found_once() -> Iterator[None]:
    """Have clients share what they know of the files that pages load.

    A client makes all middleware anew, and WhiteNoise reads each file's size and date:
    15 ms of a processor, for each of ten thousand clients.
    """
    found: dict[str, dict[str, Any]] = {}
    find = WhiteNoiseMiddleware.add_files_from_finders

    def remembering(self: WhiteNoiseMiddleware) -> None:
        if self.static_prefix not in found:
            find(self)
            found[self.static_prefix] = dict(self.files)
        self.files.update(found[self.static_prefix])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", remembering)
        yield


@cache
def given_to_all_pages() -> frozenset[str]:
    """Return the names that Django's context processors fill on every page."""
    (engine,) = [one for one in engines.all() if hasattr(one, "engine")]
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    names = {"csrf_token"}
    for processor in engine.engine.template_context_processors:
        names |= set(processor(request))
    return frozenset(names)


def hidden_names(context: Any, request: Any) -> set[str]:
    """Return the names of a page's context that hide what all pages are given."""
    if request is None:  # nothing is given to a template without a request
        return set()
    layers = [context] if isinstance(context, dict) else context.dicts[1:]
    return {name for layer in layers for name in layer} & given_to_all_pages()


@pytest.fixture(scope="session", autouse=True)
def _no_page_hides_what_all_pages_are_given() -> Iterator[None]:
    """Refuse a context with a name such as `messages`, in whichever test it is made.

    Django puts a view's own names above those of its processors and says nothing: a
    page with a variable `messages` showed these in place of its notices.
    """

    def checked(context: Any, request: Any = None, **options: Any) -> Any:
        hidden = hidden_names(context or {}, request)
        assert not hidden, f"A page's context hides {sorted(hidden)}."
        return make_context(context, request, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "make_context", checked)
        yield


def pytest_report_header() -> str:
    """Say on which PostgreSQL the run is."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        version = connection.info.server_version
    return f"PostgreSQL {version // 10_000}.{version % 10_000}"


@dataclass(frozen=True)
class Answer:
    """An answer of the API: its status, headers, raw bytes and parsed body."""

    status: int
    headers: Any
    content: bytes

    @property
    def body(self) -> Any:
        return json.parse(self.content)

    @property
    def code(self) -> str:
        """The code of an error."""
        return self.body["error"]["code"]

    @property
    def param(self) -> str | None:
        """What an error is about."""
        return self.body["error"]["param"]


class Api:
    """Calls the API with one key, as a client over HTTP would.

    A body is sent as the JSON of a value, or as given when it is bytes; without one
    no content type is sent. `headers` are added to the key's.
    """

    def __init__(self, secret: str | None) -> None:
        self.client = Client(raise_request_exception=False)
        self.key = {"X-API-Key": secret} if secret else {}

    def get(self, path: str, query: dict[str, Any] | None = None) -> Answer:
        return self.send("GET", path, query=query)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.send("POST", path, body, headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.send("PUT", path, body, headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.send("PATCH", path, body, headers)

    def delete(self, path: str, **headers: str) -> Answer:
        return self.send("DELETE", path, None, headers)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        query: dict[str, Any] | None = None,
    ) -> Answer:
        """Header names may be written with underscores: `Idempotency_Key="k"`."""
        named = {name.replace("_", "-"): text for name, text in (headers or {}).items()}
        response = self.client.generic(
            method,
            path,
            b"" if body is None else bytes_of(body),
            content_type="" if body is None else "application/json",
            headers=self.key | named,
            query_params=query,
        )
        return Answer(response.status_code, response.headers, response.getvalue())


def bytes_of(body: Any) -> bytes:
    return body if isinstance(body, bytes) else orjson.dumps(body)


def make_project(slug: str) -> Project:
    return accounts.create_project(
        slug=slug,
        name=slug.title(),
        act=act_by(),
    )


@pytest.fixture
def project(db: None) -> Project:
    """The project that a test is about."""
    return make_project("checkout")


@pytest.fixture
def other_project(db: None) -> Project:
    """Somebody else's project."""
    return make_project("returns")


@pytest.fixture
def make_key(project: Project):
    """`make_key(scope=..., project=..., agents=...)` returns a key's secret."""

    def make(
        scope: Scope | str = Scope.WRITE,
        project: Project = project,
        agents: list[str] | None = None,
    ) -> str:
        _, secret = accounts.issue_key(
            project=project,
            name="test",
            scope=Scope(scope),
            agents=agents,
            act=act_by(),
        )
        return secret

    return make


@pytest.fixture
def api(make_key):
    """`api()` is a client with a new write key of `project`; `api(secret)` takes one.

    `api(None)` comes without any key.
    """

    def make(*secret: str | None) -> Api:
        return Api(secret[0] if secret else make_key())

    return make


@pytest.fixture(scope="session")
def live(worker_id: str) -> Iterator[Server]:
    """A real server of this pytest worker, with two processes of its own."""
    with serving(f"live_{worker_id}") as server:
        yield server
