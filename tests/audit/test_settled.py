"""How far followers of the events may read while transactions run."""

import os

import psycopg
import pytest
from django.db import connection, transaction
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.audit import following
from apps.core import sql

pytestmark = pytest.mark.django_db(transaction=True)

NEXT = "SELECT pg_current_xact_id()::text::bigint AS xid"


def settled() -> int:
    return following.horizon().settled


def writing(database: str) -> psycopg.Connection:
    """Begin a transaction that writes, and leave it open."""
    parts = conninfo_to_dict(os.environ["DATABASE_URL"])
    return psycopg.connect(make_conninfo("", **{**parts, "dbname": database}))


def begun(other: psycopg.Connection) -> int:
    ((xid,),) = other.execute(NEXT).fetchall()
    return int(xid)


def own() -> str:
    return str(connection.settings_dict["NAME"])


def test_nothing_is_settled_above_a_transaction_that_still_writes() -> None:
    with writing(own()) as first:
        held = begun(first)
        ((over,),) = sql.rows(NEXT, [])

        assert over > held
        assert settled() == held

    assert settled() > held


def test_a_transaction_of_another_database_holds_nobody_back() -> None:
    with writing("postgres") as foreign:
        held = begun(foreign)
        ((mine,),) = sql.rows(NEXT, [])

        assert mine > held
        assert settled() > mine


def test_what_began_behind_one_of_another_database_is_waited_for() -> None:
    with writing("postgres") as foreign, writing(own()) as late:
        begun(foreign)
        held = begun(late)
        ((over,),) = sql.rows(NEXT, [])

        assert over > held
        assert settled() == held


def test_who_asks_counts_too_because_it_may_go_on_to_write() -> None:
    with transaction.atomic():
        ((mine,),) = sql.rows(NEXT, [])

        assert settled() <= mine
