"""What somebody tries who runs code in a process of ours: run with its environment.

Prints, as JSON, what each attempt came to: the class of PostgreSQL's error, or "done".
It knows nothing but its environment; where the server is and who it is stands there.
"""

import json
import os
import sys

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

OTHERS = (
    "postgres",
    "stepback",
    "stepback_web",
    "stepback_worker",
    "stepback_retention",
)
HISTORY = (
    "timeline_version",
    "timeline_body",
    "timeline_turn",
    "audit_event",
    "audit_auditrecord",
)
FLAG = "SET stepback.retention = 'on'; "
FAKE = "RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
STATEMENTS = [
    *(
        f"{flag}{statement.format(table)}"
        for table in HISTORY
        for flag in ("", FLAG)
        for statement in (
            "UPDATE {} SET created_at = now()",
            "DELETE FROM {}",
            "TRUNCATE {} CASCADE",
        )
        if (table, "UPDATE" in statement) != ("timeline_body", True)
    ),
    f"{FLAG}UPDATE timeline_body SET data = ''",
    "INSERT INTO timeline_version SELECT * FROM timeline_version"
    " ON CONFLICT (session_id, number) DO UPDATE SET reasoning = 'other'",
    "MERGE INTO timeline_version v USING (SELECT 1) o ON true WHEN MATCHED THEN DELETE",
    "LOCK TABLE timeline_version IN ACCESS EXCLUSIVE MODE",
    "SELECT 1 FROM timeline_version FOR UPDATE",
    "DELETE FROM timeline_session",
    "UPDATE timeline_session SET project_id = 'proj_of_another'",
    "DELETE FROM timeline_requestkey",
    "ALTER TABLE timeline_version DISABLE TRIGGER ALL",
    "ALTER TABLE timeline_version OWNER TO CURRENT_USER",
    "ALTER TABLE timeline_version ADD COLUMN note text",
    "ALTER TABLE timeline_version ENABLE ROW LEVEL SECURITY",
    "DROP TABLE timeline_body CASCADE",
    "DROP TRIGGER timeline_version_is_immutable ON timeline_version",
    "DROP FUNCTION audit_refuse_change_v2 CASCADE",
    f"CREATE OR REPLACE FUNCTION audit_refuse_change_v2() {FAKE}",
    f"CREATE FUNCTION public.mine() {FAKE}",
    f"CREATE FUNCTION pg_temp.mine() {FAKE}",
    "CREATE TRIGGER mine BEFORE INSERT ON timeline_version FOR EACH ROW"
    " EXECUTE FUNCTION audit_refuse_change_v2()",
    "CREATE RULE mine AS ON INSERT TO timeline_version DO INSTEAD NOTHING",
    "CREATE TABLE public.mine (id int)",
    "CREATE TEMP TABLE mine (id int)",
    "CREATE SCHEMA mine",
    # It comes with every server, and its old self is replaced by who may.
    "CREATE EXTENSION IF NOT EXISTS plpgsql SCHEMA public; DROP EXTENSION plpgsql",
    "CREATE EVENT TRIGGER mine ON sql_drop EXECUTE FUNCTION audit_refuse_change_v2()",
    "CREATE ROLE mine SUPERUSER",
    "DROP DATABASE stepback",
    "ALTER DATABASE stepback SET session_replication_role = 'replica'",
    "ALTER SYSTEM SET wal_level = 'logical'",
    "SET session_replication_role = 'replica'",
    "SET allow_system_table_mods = on",
    "UPDATE pg_class SET relacl = NULL WHERE relname = 'timeline_version'",
    "UPDATE pg_authid SET rolsuper = true",
    "SELECT rolpassword FROM pg_authid",
    "GRANT ALL ON timeline_version TO CURRENT_USER; DELETE FROM timeline_version",
    "GRANT pg_write_all_data TO CURRENT_USER",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER ROLE postgres PASSWORD 'mine'",
    *(f"SET ROLE {name}" for name in OTHERS),
    *(f"SET SESSION AUTHORIZATION {name}" for name in OTHERS),
    *(f"GRANT {name} TO CURRENT_USER" for name in OTHERS),
    *(f"ALTER ROLE {name} PASSWORD 'mine'" for name in OTHERS),
    "COPY timeline_version TO PROGRAM 'cat'",
    "COPY timeline_version FROM PROGRAM 'true'",
    "COPY timeline_version TO '/tmp/versions'",
    "COPY timeline_version FROM '/etc/passwd'",
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT pg_reload_conf()",
    "SELECT pg_switch_wal()",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
    "LOAD 'auto_explain'",
    "DO LANGUAGE plpgsql $$ BEGIN DELETE FROM timeline_version; END $$",
]


# These are refused in a transaction for being in one.
ALONE = ("DROP DATABASE", "ALTER SYSTEM")


def attempts(login: dict[str, str]) -> dict[str, str]:
    """Try each statement, and take back what it did."""
    with psycopg.connect(make_conninfo("", **login)) as connection:
        return {statement: _outcome(connection, statement) for statement in STATEMENTS}


def _outcome(connection: psycopg.Connection, statement: str) -> str:
    connection.set_autocommit(statement.startswith(ALONE))
    try:
        connection.execute(statement.encode())
    except psycopg.Error as error:
        return type(error).__name__
    else:
        return "done"
    finally:
        connection.rollback()


def logins(login: dict[str, str]) -> list[str]:
    """Try to come back as each role, with every word of the environment; say as whom.

    A login without a password stands for itself.
    """
    words = {"", login["password"], *(one for one in os.environ.values() if one)}
    return [
        name for name in OTHERS if any(_is_let_in(login, name, word) for word in words)
    ]


def _is_let_in(login: dict[str, str], name: str, word: str) -> bool:
    wanted = {"user": name, "password": word[:500]}
    try:
        psycopg.connect(make_conninfo("", **login | wanted), connect_timeout=5).close()
    except psycopg.Error:
        return False
    return True


if __name__ == "__main__":
    mine = {k: str(v) for k, v in conninfo_to_dict(os.environ["DATABASE_URL"]).items()}
    json.dump({"attempts": attempts(mine), "logins": logins(mine)}, sys.stdout)
