"""Databases from before the first release are refused, and nothing in them is changed.

Their migrations are gone, so what they recorded is written by hand: the names are all
that tells them apart.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from apps.core.database import line
from apps.core.postgres import Cluster, locate
from apps.core.roles.names import Role
from tests.databases import database
from tests.live import ROOT, free_port
from tests.server.test_backup import manage

STEPS = [
    *[("accounts", "0001_initial"), ("accounts", "0005_generation")],
    *[("agents", "0001_initial"), ("agents", "0002_names")],
    *[("audit", "0001_initial"), ("audit", "0008_records_by_row")],
    *[("metrics", "0001_initial"), ("metrics", "0009_without_follower")],
    *[("timeline", "0001_initial"), ("timeline", "0019_turn_chain")],
    *[("webhooks", "0001_initial"), ("webhooks", "0003_without_place")],
    ("witness", "0001_moved"),
]
OURS = ["core", *{app for app, _ in STEPS}]
REFUSED = re.compile(
    r"CommandError: (?P<what>.+) is of a Stepback from before its first release, with "
    r"which the tables begin anew: nothing was changed; export what is to be kept with "
    r"the version that made it, and start with another --data-dir or an empty "
    r"database\.\n"
)
# Everything that somebody who looked in would find changed.
SEEN = """
SELECT 'step', app, name, applied::text FROM django_migrations
UNION ALL SELECT 'project', id, slug, name FROM accounts_project
UNION ALL
SELECT 'relation', relname, relkind::text, relacl::text FROM pg_class
 WHERE relnamespace = 'public'::regnamespace
UNION ALL
SELECT 'function', proname, prosrc, proacl::text FROM pg_proc
 WHERE pronamespace = 'public'::regnamespace
"""


def seen(dsn: str) -> set[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        return set(connection.execute(SEEN).fetchall())


def make_older(dsn: str) -> None:
    """Have the database say what one from before the first release says."""
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = ANY (%s)", [OURS])
        cursor.executemany(
            "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())",
            STEPS,
        )


def told(*arguments: str | Path, dsn: str | None = None) -> str:
    """Run a command that refuses in one sentence; return what that is about."""
    code, _, err = manage(*arguments, dsn=dsn)
    found = REFUSED.fullmatch(err)
    assert (code, bool(found)) == (1, True), err
    assert found is not None
    return found["what"]


@pytest.fixture(scope="module")
def older(worker_id: str) -> Iterator[str]:
    """A database of before, with a project."""
    with database(f"older_{worker_id}") as dsn:
        assert manage("migrate", "--verbosity", "0", dsn=dsn)[0] == 0
        assert manage("create_project", "kept", dsn=dsn)[0] == 0
        make_older(dsn)
        yield dsn


@pytest.fixture
def empty(worker_id: str) -> Iterator[str]:
    with database(f"anew_{worker_id}") as dsn:
        yield dsn


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others can pass: root hands PostgreSQL to another user."""
    made = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.parametrize("steps", [[], STEPS[:1], STEPS[-1:], STEPS[:9], STEPS])
def test_one_step_of_ours_without_the_mark_is_of_before(
    steps: list[line.Step],
) -> None:
    theirs = [("contenttypes", "0001_initial"), ("auth", "0001_initial")]

    if steps:
        with pytest.raises(line.OlderLine, match=r"^It is of a Stepback from before"):
            line.refuse_older("It", [*theirs, *steps])
    else:
        line.refuse_older("It", theirs)
    line.refuse_older("It", [*theirs, line.MARK, *steps])


@pytest.mark.parametrize("option", ["--verbosity=1", "--fake"])
def test_migrate_refuses_it(option: str, older: str) -> None:
    before = seen(older)

    assert told("migrate", option, dsn=older) == "The database"

    assert seen(older) == before


def test_up_refuses_it_on_a_server_of_ones_own(older: str) -> None:
    before = seen(older)

    what = told("up", "--port", str(free_port()), dsn=older)

    assert what == "The database of DATABASE_URL"
    assert seen(older) == before


def test_up_refuses_a_data_folder(folder: Path) -> None:
    data_dir = folder / "var"
    cluster = Cluster(locate(data_dir, ROOT))
    owner = cluster.location.dsn_of
    migrated = "migrate", "--verbosity", "0", "--data-dir", data_dir
    cluster.start()
    try:
        assert manage(*migrated)[0] == 0
        make_older(owner(Role.OWNER))
        before = seen(owner(Role.OWNER))
    finally:
        cluster.stop()

    what = told("up", "--port", str(free_port()), "--data-dir", data_dir)

    assert what == f"The database in {data_dir}"
    assert cluster.start(), "up left the server running"
    try:
        assert seen(owner(Role.OWNER)) == before
    finally:
        cluster.stop()


def test_a_backup_of_it_is_refused_before_anything_is_made(
    older: str, folder: Path
) -> None:
    file, data_dir = folder / "older.backup", folder / "var"
    code, _, err = manage("backup", file, dsn=older)
    assert code == 0, err

    assert told("restore", "--without-journal", file, "--data-dir", data_dir) == str(
        file
    )

    assert not data_dir.exists()


def test_a_backup_is_not_restored_over_tables_of_before(
    empty: str, folder: Path
) -> None:
    file = folder / "newer.backup"
    assert manage("migrate", "--verbosity", "0", dsn=empty)[0] == 0
    assert manage("backup", file, dsn=empty)[0] == 0
    make_older(empty)
    before = seen(empty)

    assert (
        told("restore", "--without-journal", file, dsn=empty)
        == "The database of DATABASE_URL"
    )

    assert seen(empty) == before


def test_one_of_this_line_that_was_half_made_is_completed(empty: str) -> None:
    said = manage("migrate", "agents", "--verbosity", "0", dsn=empty)
    assert said[0] == 0, said

    code, _, err = manage("migrate", "--verbosity", "0", dsn=empty)

    assert (code, err) == (0, "")
    assert {("timeline_version", "r"), ("metrics_sum", "r")} <= {
        row[1:3] for row in seen(empty)
    }
