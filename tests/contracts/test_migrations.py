"""Migrations are complete, named, and can be taken back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.utils import timezone

from apps.audit import chain
from apps.audit.models import AuditRecord
from apps.core import sql
from apps.core.database import line
from apps.core.database.migrating import Executor
from tests.acting import AS_WEB
from tests.databases import database

pytestmark = pytest.mark.django_db

OURS = [one.label for one in apps.get_app_configs() if one.name.startswith("apps.")]
# What most others stand on, the last to be made first. Each is taken back with all
# that needs it, so the next goes on from there: brought again in between, these five
# took two thirds of the test's two minutes of a processor.
BASES = ("timeline", "audit", "agents", "accounts", "core")
MIGRATED = sorted({app for app, _ in MigrationLoader(None).disk_migrations} & set(OURS))

CATALOGUE = """
SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
       a.attnotnull::text, a.attstorage::text
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
   AND NOT a.attisdropped
UNION ALL
SELECT 'index', tablename, indexname, indexdef, '', '' FROM pg_indexes
 WHERE schemaname = 'public'
UNION ALL
SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid),
       '', ''
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
UNION ALL
SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), '', ''
  FROM pg_trigger WHERE NOT tgisinternal
UNION ALL
SELECT 'function', proname, pg_get_function_arguments(oid), prosrc, '', ''
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
"""


@pytest.fixture
def scratch(worker_id: str) -> Iterator[Any]:
    """A connection of Django's to a database of its own."""
    name = f"migrations_{worker_id}"
    with database(name):
        connection = connections["default"].copy("scratch")
        connection.settings_dict["NAME"] = name
        options = connection.settings_dict["OPTIONS"]
        options["options"] = options["options"].removesuffix(AS_WEB)
        connections["scratch"] = connection
        try:
            yield connection
        finally:
            connection.close()
            del connections["scratch"]


def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_every_migration_has_a_name_that_tells() -> None:
    for app, name in MigrationLoader(None).disk_migrations:
        assert app not in OURS or "auto_" not in name, f"{app}.{name}"


def test_no_two_migrations_run_side_by_side() -> None:
    assert MigrationLoader(None).detect_conflicts() == {}


def test_every_app_can_be_taken_back_and_brought_again(scratch: Any) -> None:
    migrate(scratch)
    complete = catalogue(scratch)

    for app in sorted(set(MIGRATED) - set(BASES)):
        require_back(scratch, app)
        migrate(scratch)
    for app in BASES:
        require_back(scratch, app)
    # Django's own comes to the same as ours, which takes a shorter way.
    MigrationExecutor(scratch).migrate(leaves(scratch))

    assert catalogue(scratch) == complete
    assert {app for app in MIGRATED if any(belongs(row, app) for row in complete)} == {
        "accounts",
        "agents",
        "approvals",
        "audit",
        "backups",
        "blobs",
        "data",
        "erasures",
        "experiments",
        "exports",
        "guards",
        "heartbeats",
        "incidents",
        "meaning",
        "memory",
        "metrics",
        "plans",
        "retention",
        "schemas",
        "surveys",
        "timeline",
        "watching",
        "webhooks",
        "witness",
    }


def test_all_that_is_ours_comes_after_the_mark_of_the_line() -> None:
    graph = MigrationLoader(None).graph

    for step in graph.nodes:
        if step[0] in OURS:
            assert line.MARK in graph.forwards_plan(step), step


def test_nothing_is_squashed_after_the_first_release() -> None:
    """Databases of any release are brought up to date by the steps after theirs."""
    for step, migration in MigrationLoader(None).disk_migrations.items():
        assert step[0] not in OURS or not migration.replaces, step


def test_what_ended_half_way_goes_on(scratch: Any) -> None:
    executor = Executor(scratch)
    executor.migrate([("agents", "0001_initial")])
    assert not any(belongs(row, "timeline") for row in catalogue(scratch))

    migrate(scratch)

    assert any(belongs(row, "timeline") for row in catalogue(scratch))
    assert MigrationExecutor(scratch).migration_plan(leaves(scratch)) == []


def test_a_function_is_dropped_and_brought_back_by_its_name(scratch: Any) -> None:
    migrate(scratch)
    complete, step = catalogue(scratch), sql.drop_function("metrics", "set_aside_v1")
    state = ProjectState()

    with scratch.schema_editor() as editor:
        step.database_forwards("metrics", editor, state, state)
    gone = set(complete) - set(catalogue(scratch))
    with scratch.schema_editor() as editor:
        step.database_backwards("metrics", editor, state, state)

    assert [row[:2] for row in gone] == [("function", "metrics_set_aside_v1")]
    assert catalogue(scratch) == complete


def test_records_of_before_there_were_streams_are_their_projects(scratch: Any) -> None:
    Executor(scratch).migrate([("audit", "0001_initial")])
    owners = [project for project in ("proj_1", "proj_2") for _ in range(3)]
    chains = {"proj_1": chain.START, "proj_2": chain.START}
    for at, project in enumerate(owners):
        record = AuditRecord(
            stream_id=project,
            project_id=project,
            number=at % 3 + 1,
            event_id=f"trace_{at}",
            details={"row": {"of": "key", "key": "key_1", "columns": None}},
            created_at=timezone.now(),
        )
        record.leaf = chain.leaf(record)
        record.chain = chain.link(chains[project], record.number, record.leaf)
        chains[project] = record.chain
        insert_as_before_streams(scratch, record)

    migrate(scratch)

    for project, end in chains.items():
        stream = AuditRecord.objects.using("scratch").for_stream(project)
        verdict = chain.verify(stream.oldest_first())
        assert (verdict.count, verdict.chain, verdict.is_intact) == (3, end, True)


def insert_as_before_streams(connection: Any, record: AuditRecord) -> None:
    later = {"stream_id", "format", "result", "rule", "version", "salt"}
    fields = [
        one
        for one in AuditRecord._meta.fields
        if one.column
        and one.column not in later | {"resource_digest", "details_digest"}
    ]
    columns = ", ".join(one.column for one in fields)
    places = ", ".join(["%s"] * len(fields))
    values = [
        one.get_db_prep_save(getattr(record, one.attname), connection) for one in fields
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO audit_auditrecord ({columns}) VALUES ({places})", values
        )


def belongs(row: tuple[str, ...], app: str) -> bool:
    return row[1].startswith(f"{app}_")


def migrate(connection: Any) -> None:
    Executor(connection).migrate(leaves(connection))


def leaves(connection: Any) -> list[tuple[str, str]]:
    return list(MigrationLoader(connection).graph.leaf_nodes())


def back(connection: Any, app: str) -> None:
    Executor(connection).migrate([(app, None)])


def require_back(connection: Any, app: str) -> None:
    """Take an app back with what needs it, and require that nothing of it is left."""
    back(connection, app)
    assert [row for row in catalogue(connection) if belongs(row, app)] == []


def catalogue(connection: Any) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(CATALOGUE)
        return sorted(cursor.fetchall())
