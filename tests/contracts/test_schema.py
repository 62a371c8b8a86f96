"""Session-owned tables can be distributed: the linter is content, and it bites."""

import pytest
from django.db import connection

from apps.core.roles.names import Role
from tests.acting import acting_as
from tests.contracts.ledger_tables import complaints

pytestmark = pytest.mark.django_db

ID = 'varchar(31) COLLATE "C"'
GOOD = (
    f"CREATE TABLE timeline_good (session_id {ID}, n bigint, "
    "PRIMARY KEY (session_id, n))"
)
BAD = {
    "timeline_bad has no column session_id to be distributed by": (
        "CREATE TABLE timeline_bad (n bigint)"
    ),
    "timeline_bad.session_id may be null": (
        f"CREATE TABLE timeline_bad (session_id {ID})"
    ),
    'timeline_bad.session_id is text in "C", not character varying(31) in "C"': (
        'CREATE TABLE timeline_bad (session_id text COLLATE "C" PRIMARY KEY)'
    ),
    'timeline_bad.session_id is character varying(31) in "default", '
    'not character varying(31) in "C"': (
        "CREATE TABLE timeline_bad (session_id varchar(31) PRIMARY KEY)"
    ),
    'timeline_bad.session_id is character varying(32) in "C", '
    'not character varying(31) in "C"': (
        'CREATE TABLE timeline_bad (session_id varchar(32) COLLATE "C" PRIMARY KEY)'
    ),
    "timeline_bad.n takes its default from a sequence": (
        f"CREATE TABLE timeline_bad (session_id {ID} PRIMARY KEY, n bigserial)"
    ),
    "timeline_bad.n is an identity column": (
        f"CREATE TABLE timeline_bad (session_id {ID} PRIMARY KEY, "
        "n bigint GENERATED ALWAYS AS IDENTITY)"
    ),
    "timeline_bad_pkey is unique without timeline_bad.session_id": (
        f"CREATE TABLE timeline_bad (session_id {ID} NOT NULL, id bigint PRIMARY KEY)"
    ),
    "timeline_version_one_name is unique without timeline_version.session_id": (
        "CREATE UNIQUE INDEX timeline_version_one_name ON timeline_version (trace_id)"
    ),
    "bad_fk may point to timeline_session of another session": (
        "ALTER TABLE timeline_session ADD CONSTRAINT bad_fk "
        "FOREIGN KEY (origin_session_id) REFERENCES timeline_session (id)"
    ),
    "bad_fk points to accounts_user, which stays on one machine": (
        f"CREATE TABLE timeline_bad (session_id {ID} PRIMARY KEY, who {ID} "
        "CONSTRAINT bad_fk REFERENCES accounts_user (id))"
    ),
    "bad_fk points from other, which no session owns": (
        f"CREATE TABLE other (session_id {ID} "
        "CONSTRAINT bad_fk REFERENCES timeline_session (id))"
    ),
    "bad_fk is deferrable": (
        f"CREATE TABLE timeline_bad (session_id {ID} PRIMARY KEY CONSTRAINT bad_fk "
        "REFERENCES timeline_session (id) DEFERRABLE INITIALLY DEFERRED)"
    ),
    "bad is a trigger on timeline_label": (
        "CREATE TRIGGER bad BEFORE UPDATE ON timeline_label "
        "FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2()"
    ),
    "timeline_body_is_immutable is missing": (
        "DROP TRIGGER timeline_body_is_immutable ON timeline_body"
    ),
    "timeline_body.data is not STORAGE EXTERNAL": (
        "ALTER TABLE timeline_body ALTER COLUMN data SET STORAGE EXTENDED"
    ),
    "audit_event_one_id is unique without audit_event.stream_id": (
        "CREATE UNIQUE INDEX audit_event_one_id ON audit_event (id)"
    ),
}


def test_the_tables_of_sessions_can_be_distributed() -> None:
    assert complaints(connection.connection) == []


@pytest.mark.parametrize("complaint", BAD)
def test_it_reports_a_table_that_cannot(complaint: str) -> None:
    run(BAD[complaint])

    assert complaints(connection.connection) == [complaint]


def test_it_lets_a_good_table_be() -> None:
    run(GOOD)

    assert complaints(connection.connection) == []


def run(statement: str) -> None:
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(statement)
