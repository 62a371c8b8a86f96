"""The PostgreSQL of the test run: the wheel's, or another one that is installed.

`STEPBACK_TEST_POSTGRES_BIN` names the folder of the other's programs, as
`/usr/lib/postgresql/15/bin`. How a cluster is made there differs: before 17 there was
no locale of PostgreSQL's own, and the system's has to do.
"""

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg

from apps.core import postgres
from apps.core.postgres.binaries import Binaries
from apps.core.postgres.locate import NAMES, Location
from apps.core.roles.names import GRANTEES, Role

ROOT = Path(__file__).resolve().parent.parent
BIN = os.environ.get("STEPBACK_TEST_POSTGRES_BIN", "")
NOT_BEFORE_17 = ("--locale-provider=", "--builtin-locale=")


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed(Binaries):
    """Programs that the system's packages brought; `site` is their folder."""

    def verify(self) -> None:
        assert self.program("postgres").exists(), f"there is no PostgreSQL in {BIN}"

    def program(self, name: str) -> Path:
        return self.site / name


class OtherCluster(postgres.Cluster):
    """A cluster of any major version that the product serves."""

    def initdb_arguments(self) -> list[str]:
        return [
            argument
            for argument in super().initdb_arguments()
            if not argument.startswith(NOT_BEFORE_17)
        ]


def cluster_in(folder: Path) -> postgres.Cluster:
    """Return the cluster that the run is to start in this folder."""
    location = postgres.locate(folder, ROOT)
    if not BIN:
        return postgres.Cluster(location, durable=False)
    return OtherCluster(_with_other_programs(location), durable=False)


def let_tests_act(cluster: postgres.Cluster) -> None:
    """Let the owner act as every role, and pass over triggers and foreign keys.

    Only on the server of the tests: it cleans up after them, drops databases that
    other roles are connected to, and sees who waits for a lock.
    """
    owner = NAMES[Role.OWNER]
    with psycopg.connect(cluster.location.superuser_dsn(), autocommit=True) as server:
        server.execute(f"GRANT SET ON PARAMETER session_replication_role TO {owner}")
        server.execute(f"ALTER ROLE {owner} CREATEDB")
        for role in GRANTEES:
            server.execute(f"GRANT {NAMES[role]} TO {owner}")


def make_folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder that the server's user can pass."""
    made = tempfile.TemporaryDirectory(prefix="stepback-test-")
    os.chmod(made.name, 0o711)
    return made


def _with_other_programs(location: Location) -> Location:
    return replace(location, binaries=Installed(site=Path(BIN)))
