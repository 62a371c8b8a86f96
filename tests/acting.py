"""As which role tests act in the database.

The owner logs in, who made the test database, and acts as the web's role from the first
statement on: whatever a test asks of the product is asked with the web's rights. What
only another role may do is done in a block of its own. That a role's own login has no
way out of its rights is proved where processes log in: see tests/console/test_roles.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

import pytest
from django.db import DatabaseError, connection

from apps.accounts.management.command import AccountsCommand
from apps.core.postgres.locate import NAMES
from apps.core.roles.declared import Kind, declared
from apps.core.roles.names import Role

P = ParamSpec("P")
T = TypeVar("T")
# What the worker's process calls, and what only its commands do.
JOBS = {
    "apps.audit.feeding": ("feed_outbox",),
    "apps.accounts.operations": ("forget_answers", "forget_sessions"),
    "apps.blobs.operations": ("collect", "sweep_objects"),
    "apps.data.operations": ("expire_due", "keep_before_releases", "keep_due"),
    "apps.meaning.past.noticing": ("notice",),
    "apps.meaning.past.sweeping": ("sweep",),
    "apps.meaning.working.sweeping": ("sweep",),
    "apps.exports.making": ("forget", "sweep"),
    "apps.guards.trying": ("sweep",),
    "apps.incidents.looking": ("sweep",),
    "apps.incidents.watching": ("sweep",),
    "apps.surveys.looking": ("sweep",),
    "apps.memory.operations": ("expire_due",),
    "apps.metrics.alerting": ("sweep", "evaluate"),
    "apps.metrics.rollups": ("sweep", "rebuild"),
    "apps.metrics.weekly": ("sweep",),
    "apps.plans.retiring": ("sweep",),
    "apps.plans.running": ("sweep",),
    "apps.timeline.operations": ("expire", "tell_unknown_effects"),
    "apps.timeline.projection": ("project_all", "project_round", "project_some"),
    "apps.timeline.search.rebuild": ("rebuild", "differences"),
    "apps.watching.mailing": ("send",),
    "apps.webhooks.delivery.delivering": ("deliver", "forget"),
    "apps.webhooks.delivery.queue": ("take", "settle", "give_back"),
    "apps.witness.witnesses.delivering": ("deliver",),
    "apps.witness.signing": ("sweep",),
}
# A session begins as this role; SET ROLE NONE is the owner, who logged in.
AS_WEB = f" -c role={NAMES[Role.WEB]}"


@contextmanager
def acting_as_web(database: Any) -> Iterator[None]:
    """Begin every connection to this database as the web's role."""
    options = database.settings_dict["OPTIONS"]
    before = options["options"]
    database.close()
    options["options"] = before + AS_WEB
    try:
        yield
    finally:
        database.close()
        options["options"] = before


@contextmanager
def acting_as(role: Role) -> Iterator[None]:
    """Have this connection act as another role in the block."""
    before = _ask("SELECT current_setting('role')")
    _run(f"SET ROLE {'NONE' if role is Role.OWNER else NAMES[role]}")
    try:
        yield
    finally:
        # Where the transaction has failed, its end brings the role back.
        with suppress(DatabaseError):
            _run(f"SET ROLE {before}")


# What retention may not rewrite, though it may empty it.
KEPT = ("timeline_version", "timeline_body", "timeline_turn")


@contextmanager
def erasing() -> Iterator[None]:
    """Have this connection change history in the block, as a disk or an intruder would.

    With retention's rights, and without the triggers that keep the rest of a row.
    """
    _keep_the_rest(kept=False)
    try:
        with acting_as(Role.RETENTION):
            _run("SET stepback.retention = 'on'")
            try:
                yield
            finally:
                with suppress(DatabaseError):
                    _run("SET stepback.retention = 'off'")
    finally:
        # A transaction that has failed brings the triggers back with its end.
        with suppress(DatabaseError):
            _keep_the_rest(kept=True)


def _keep_the_rest(*, kept: bool) -> None:
    verb = "ENABLE" if kept else "DISABLE"
    with acting_as(Role.OWNER):
        _run("SET CONSTRAINTS ALL IMMEDIATE")
        for table in KEPT:
            _run(f"ALTER TABLE {table} {verb} TRIGGER {table}_keeps_the_rest")


@contextmanager
def jobs_acting_as_the_worker() -> Iterator[None]:
    """Do what the worker's process does with the worker's rights, here as well."""
    with pytest.MonkeyPatch.context() as patch:
        for module, names in JOBS.items():
            for name in names:
                job = getattr(import_module(module), name)
                patch.setattr(f"{module}.{name}", as_worker(job))
        patch.setattr(AccountsCommand, "execute", _as_its_role(AccountsCommand.execute))
        yield


def _as_its_role(execute: Any) -> Any:
    def acting(command: AccountsCommand, *args: Any, **options: Any) -> Any:
        if command.role is Role.WEB:
            return execute(command, *args, **options)
        with acting_as(command.role):
            return execute(command, *args, **options)

    return acting


def as_worker(job: Callable[P, T]) -> Callable[P, T]:
    """Return the job with the worker's rights."""

    @wraps(job)
    def acting(*args: P.args, **kwargs: P.kwargs) -> T:
        with acting_as(Role.WORKER):
            return job(*args, **kwargs)

    return acting


@contextmanager
def past_triggers() -> Iterator[None]:
    """Have this connection change what no role may, in the block: triggers sleep."""
    with acting_as(Role.OWNER):
        _run("SET session_replication_role = 'replica'")
        try:
            yield
        finally:
            with suppress(DatabaseError):
                _run("SET session_replication_role = 'origin'")


def tampering(table: str) -> AbstractContextManager[None]:
    """Let this connection change any row of a table in the block."""
    is_history = declared()[table].kind is Kind.IMMUTABLE
    return erasing() if is_history else acting_as(Role.OWNER)


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _ask(query: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query)
        row = cursor.fetchone()
    return row and row[0]
