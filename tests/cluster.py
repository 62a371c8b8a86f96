"""The PostgreSQL of the test run: the wheel's, or another one that is installed.

`STEPBACK_TEST_POSTGRES_BIN` names the folder of the other's programs, as
`/usr/lib/postgresql/15/bin`. How a cluster is made there differs: before 17 there was
no locale of PostgreSQL's own, and the system's has to do; before 18 replication origins
had no setting of their own.
"""

import os
import re
import shutil
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
MEMORY = Path("/dev/shm")
# Twice what the cluster of a run of everything takes.
RUN_BYTES = 4 * 1024**3
LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
NOT_BEFORE_18 = "max_active_replication_origins=0"
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

    def server_arguments(self) -> list[str]:
        words = super().server_arguments()
        option = words.index(NOT_BEFORE_18) - 1
        return words[:option] + words[option + 2 :]


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
    """Make a folder that the server's user can pass, in memory where there is room.

    A run makes and drops databases of a thousand files by the hundred: 0.1 s of a
    processor for each in memory, up to 0.8 on a disk that has just deleted as many.
    """
    made = tempfile.TemporaryDirectory(prefix="stepback-test-", dir=_memory())
    os.chmod(made.name, 0o711)
    return made


def _memory() -> Path | None:
    """Return a folder that lies in memory, if a run can have what it needs of that."""
    if not MEMORY.is_dir():
        return None
    told = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    available = int(told[1]) * 1024 if told else 0
    # Of a container its own limit, which the machine's memory says nothing about.
    for limit in (Path("/sys/fs/cgroup") / name for name in LIMITS):
        if limit.is_file() and (said := limit.read_text().strip()).isdecimal():
            available = min(available, int(said) // 2)
    has_room = min(available, shutil.disk_usage(MEMORY).free) >= RUN_BYTES
    return MEMORY if has_room else None


def _with_other_programs(location: Location) -> Location:
    return replace(location, binaries=Installed(site=Path(BIN)))
