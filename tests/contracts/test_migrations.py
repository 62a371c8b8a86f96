"""Migrations are complete, named, and can be taken back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from tests.acting import AS_WEB
from tests.databases import database

pytestmark = pytest.mark.django_db

OURS = [one.label for one in apps.get_app_configs() if one.name.startswith("apps.")]
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

OLD_TURN = """
INSERT INTO timeline_turn (
       session_id, turn_number, id, head_number, made_version, state_after_sent,
       actor_kind, actor_id, actor_label, trace_id, input_type, output_type, codec,
       data, size, request_digest, created_at)
VALUES ('sess_1', 1, 'turn_1', 0, false, false, 'key', 'key_1', 'sb_1', 'trace_1',
       'text', 'text', 1, '', 0, '', now())
"""
PROOF = "salt, reasoning_digest, commitment, leaf, chain, requested_at"


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

    for app in MIGRATED:
        back(scratch, app)
        assert [row for row in catalogue(scratch) if belongs(row, app)] == []
        migrate(scratch)

    assert catalogue(scratch) == complete
    assert {app for app in MIGRATED if any(belongs(row, app) for row in complete)} == {
        "accounts",
        "agents",
        "audit",
        "metrics",
        "timeline",
        "webhooks",
        "witness",
    }


def test_turns_from_before_they_had_a_chain_are_kept(scratch: Any) -> None:
    MigrationExecutor(scratch).migrate([("timeline", "0018_pending")])
    with scratch.cursor() as cursor:
        # As such a database has them, with other parameters.
        for name in ("timeline_append_v5", "timeline_append_batch_v5"):
            cursor.execute(f"CREATE FUNCTION {name}() RETURNS int RETURN 1")
        cursor.execute(OLD_TURN)

    migrate(scratch)

    with scratch.cursor() as cursor:
        cursor.execute(f"SELECT id, num_nulls({PROOF}) FROM timeline_turn")
        assert cursor.fetchall() == [("turn_1", 6)]
        cursor.execute("SELECT proname FROM pg_proc WHERE proname LIKE '%append%v5'")
        assert cursor.fetchall() == []


def belongs(row: tuple[str, ...], app: str) -> bool:
    return row[1].startswith(f"{app}_")


def migrate(connection: Any) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def back(connection: Any, app: str) -> None:
    MigrationExecutor(connection).migrate([(app, None)])


def catalogue(connection: Any) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(CATALOGUE)
        return sorted(cursor.fetchall())
