"""Rights follow from the class that each table declares: a walk through the catalogue.

What is asked is what PostgreSQL would let each role do, and not what was granted.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from apps.core.postgres.locate import NAMES
from apps.core.roles.declared import Kind, declared
from apps.core.roles.logins import grant_all
from apps.core.roles.names import GRANTEES, Role
from apps.core.roles.powers import powers
from tests.acting import acting_as

pytestmark = pytest.mark.django_db

RELATIONS = """
SELECT c.relname, c.relkind, pg_get_userbyid(c.relowner) FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace
   AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
"""
TABLE_RIGHTS = """
SELECT p FROM unnest(%s::text[]) p WHERE has_table_privilege(%s, %s::regclass, p)
"""
COLUMN_RIGHTS = """
SELECT p, array_agg(a.attname) FROM pg_attribute a, unnest(%s::text[]) p
 WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped
   AND has_column_privilege(%s, a.attrelid, a.attnum, p)
 GROUP BY p
"""
OF_COLUMNS = ["SELECT", "INSERT", "UPDATE", "REFERENCES"]
OF_TABLES = [*OF_COLUMNS, "DELETE", "TRUNCATE", "TRIGGER"]
GUARDED = """
SELECT c.relname, bool_or(t.tgtype & 1 = 1 AND t.tgtype & 2 = 2 AND t.tgtype & 8 = 8
                          AND t.tgtype & 16 = 16),
       bool_or(t.tgtype & 32 = 32 AND t.tgtype & 2 = 2)
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  JOIN pg_proc p ON p.oid = t.tgfoid
 WHERE NOT t.tgisinternal AND t.tgenabled = 'O' AND p.proname ~ '_refuse_change_v'
   AND c.relnamespace = 'public'::regnamespace
 GROUP BY c.relname
"""
ROUTINES = """
SELECT p.oid::regprocedure::text, p.prosecdef, pg_get_userbyid(p.proowner),
       ARRAY(SELECT r FROM unnest(%s::text[]) r
              WHERE has_function_privilege(r, p.oid, 'EXECUTE')),
       EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                WHERE a.grantee = 0)
  FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
"""
TO_PUBLIC = """
SELECT c.relname, a.privilege_type FROM pg_class c, aclexplode(c.relacl) a
 WHERE c.relnamespace = 'public'::regnamespace AND a.grantee = 0
"""


def asked(query: str, params: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        return cursor.fetchall()


def tables() -> list[str]:
    return [name for name, kind, _ in asked(RELATIONS) if kind != "S"]


def made(*statements: str) -> None:
    """Have the owner do this, as a migration would."""
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def granted() -> None:
    """Give all rights anew, as after a migration."""
    with acting_as(Role.OWNER):
        grant_all(connection.connection)


def test_every_table_declares_its_class_and_belongs_to_the_owner() -> None:
    assert set(tables()) == set(declared())
    assert {owner for *_, owner in asked(RELATIONS)} == {NAMES[Role.OWNER]}


@pytest.mark.parametrize("role", GRANTEES)
def test_each_role_may_do_what_is_declared_and_no_more(role: Role) -> None:
    for table in tables():
        wanted = declared()[table].privileges(role)
        whole = {name for name, columns in wanted.items() if not columns}
        found = {p for (p,) in asked(TABLE_RIGHTS, [OF_TABLES, NAMES[role], table])}
        assert found == whole, (role, table)
        columns = dict(asked(COLUMN_RIGHTS, [OF_COLUMNS, table, NAMES[role]]))
        some = {name: set(columns) for name, columns in wanted.items() if columns}
        assert {
            name: set(those) for name, those in columns.items() if name not in whole
        } == some, (role, table)


# What it takes away it tells of, and what is kept of a body it moves.
TOLD_BY_RETENTION = {"timeline_body", "audit_event", "audit_auditrecord"}


def test_nobody_but_retention_may_change_history_and_nobody_may_empty_it() -> None:
    """In one sentence, whatever was declared."""
    immutable = [name for name, one in declared().items() if one.kind is Kind.IMMUTABLE]
    assert {"timeline_version", "timeline_body", "audit_auditrecord"} <= set(immutable)
    for table in immutable:
        may = {
            role: {p for (p,) in asked(TABLE_RIGHTS, [OF_TABLES, NAMES[role], table])}
            for role in GRANTEES
        }
        assert not (may[Role.WEB] | may[Role.WORKER]) - {"SELECT", "INSERT"}, table
        told = {"INSERT"} if table in TOLD_BY_RETENTION else set()
        wanted = {"SELECT", "UPDATE", "DELETE"} | told
        if table == "timeline_tombstone":
            # What it said of a removal it cannot take back.
            wanted = {"SELECT", "INSERT"}
        assert may[Role.RETENTION] == wanted, table


def test_immutable_tables_have_the_triggers_and_no_others_do() -> None:
    guarded = {name: (row, whole) for name, row, whole in asked(GUARDED)}

    assert guarded == {
        name: (True, True)
        for name, table in declared().items()
        if table.kind is Kind.IMMUTABLE
    }


def test_functions_run_with_the_rights_of_who_calls_them_and_for_the_roles_alone() -> (
    None
):
    names = [NAMES[role] for role in GRANTEES]
    for routine, is_definer, owner, who, is_public in asked(ROUTINES, [names]):
        assert not is_definer, f"{routine} would lend the rights of its owner"
        assert owner == NAMES[Role.OWNER], routine
        assert set(who) == set(names), routine
        assert not is_public, routine


def test_nothing_is_granted_to_everybody() -> None:
    assert asked(TO_PUBLIC) == []


@pytest.mark.parametrize("role", GRANTEES)
def test_a_sequence_is_for_those_who_insert(role: Role) -> None:
    query = "SELECT has_sequence_privilege(%s, %s::regclass, 'USAGE')"

    ((uses,),) = asked(query, [NAMES[role], "procrastinate_jobs_id_seq"])

    assert uses is (role is Role.WORKER)


def test_what_comes_later_is_nobodys_until_it_is_declared() -> None:
    made(
        "CREATE TABLE later (id int)",
        "CREATE SEQUENCE later_numbers",
        "CREATE FUNCTION later_one() RETURNS int LANGUAGE sql RETURN 1",
    )
    granted()
    query = """
    SELECT r FROM unnest(%s::text[]) r
     WHERE has_any_column_privilege(r, 'later', 'SELECT, INSERT, UPDATE, REFERENCES')
        OR has_table_privilege(r, 'later', 'DELETE, TRUNCATE, TRIGGER')
        OR has_sequence_privilege(r, 'later_numbers', 'USAGE, SELECT, UPDATE')
    """
    made("CREATE FUNCTION later_two() RETURNS int LANGUAGE sql RETURN 2")
    names = [NAMES[role] for role in GRANTEES]

    assert asked(query, [names]) == []
    # What was there when rights were given may be called; what came after it not yet.
    runs = "SELECT has_function_privilege(%s, %s, 'EXECUTE')"
    web = NAMES[Role.WEB]
    assert asked(runs, [web, "later_one()"]) == [(True,)]
    assert asked(runs, [web, "later_two()"]) == [(False,)]
    assert "later" not in declared()


def test_rights_that_somebody_gave_by_hand_are_taken_back() -> None:
    web, others = NAMES[Role.WEB], "PUBLIC"
    made(
        f"GRANT UPDATE (reasoning), DELETE ON timeline_version TO {web}",
        f"GRANT SELECT ON accounts_user TO {others}",
        f"GRANT ALL ON SEQUENCE procrastinate_jobs_id_seq TO {web}",
        f"ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO {web}",
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert powers(connection.connection) == [
        "has UPDATE on timeline_version",
        "has DELETE on timeline_version",
    ]

    granted()
    granted()

    assert powers(connection.connection) == []
    test_each_role_may_do_what_is_declared_and_no_more(Role.WEB)
    test_nothing_is_granted_to_everybody()
    test_a_sequence_is_for_those_who_insert(Role.WEB)
    made("CREATE TABLE later (id int)")
    assert not asked(TABLE_RIGHTS, [OF_TABLES, web, "later"])


POWERS = {
    "has TRIGGER on timeline_body": "GRANT TRIGGER ON timeline_body TO {web}",
    "has TRUNCATE on audit_event": "GRANT TRUNCATE ON audit_event TO {web}",
    "has DELETE on timeline_turn": "GRANT DELETE ON timeline_turn TO {web}",
    "has UPDATE on timeline_note": "GRANT UPDATE (text) ON timeline_note TO {web}",
    "owns timeline_version": "ALTER TABLE timeline_version OWNER TO {web}",
    "may create objects in the schema public": "GRANT CREATE ON SCHEMA public TO {web}",
    "owns the function audit_refuse_change_v2": (
        "ALTER FUNCTION audit_refuse_change_v2() OWNER TO {web}"
    ),
}


@pytest.mark.parametrize("power", POWERS)
def test_a_role_that_could_rewrite_history_is_found_out(power: str) -> None:
    assert powers(connection.connection) == []
    steps = [POWERS[power]]
    if power.startswith("owns"):
        # A new owner must be able to make what it owns.
        steps.insert(0, "GRANT CREATE ON SCHEMA public TO {web}")
        steps.append("REVOKE CREATE ON SCHEMA public FROM {web}")
    made(*(one.format(web=NAMES[Role.WEB]) for one in steps))

    assert power in powers(connection.connection)


def test_what_a_role_could_become_counts_as_its_own() -> None:
    """As the retention role: by a membership that has to be asked for."""
    with acting_as(Role.OWNER):
        found = powers(connection.connection)

    assert "owns timeline_version" in found
    assert "owns the database" in found
