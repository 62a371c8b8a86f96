"""Where the embedded PostgreSQL and its data are: a pure answer from paths and owners.

Every process asks, also before the server runs, and all get the same answer. Nothing
is made here; what is odd about the place is said in `notes`.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from psycopg.conninfo import make_conninfo

from apps.core.postgres.binaries import Binaries, find_binaries
from apps.core.postgres.folders import can_pass, digest
from apps.core.postgres.identity import (
    LAST_RESORT,
    SERVICE_NAMES,
    ServerUser,
    is_root,
    owner_of,
)
from apps.core.postgres.secret import kept_secret
from apps.core.roles.names import Role

# The owner's name is that of the only role there was before there were several.
NAMES = {
    Role.OWNER: "stepback",
    Role.WEB: "stepback_web",
    Role.WORKER: "stepback_worker",
    Role.RETENTION: "stepback_retention",
}
DATABASE = "stepback"
SUPERUSER = "postgres"
SOCKET = ".s.PGSQL.5432"
# The kernel allows 107 bytes on Linux and 103 on macOS.
LONGEST_SOCKET = 100
SYSTEM_DIR = Path("/var/lib/stepback")
# Not TMPDIR: two processes that differ in it would look for two sockets.
TEMP_DIR = Path("/tmp")  # noqa: S108 - owner and mode are verified before use


@dataclass(frozen=True, kw_only=True, slots=True)
class Location:
    """Everything that follows from the data folder."""

    data_dir: Path
    socket_dir: Path
    binaries: Binaries
    notes: tuple[str, ...] = ()

    def dsn_of(self, role: Role) -> str:
        """How a role connects; without its password until a start has made one."""
        password = kept_secret(self.password_file(role))
        login = f"{NAMES[role]}:{quote(password, '')}" if password else NAMES[role]
        host = quote(str(self.socket_dir), "")
        return f"postgresql://{login}@/{DATABASE}?host={host}"

    def superuser_dsn(self, database: str = "postgres") -> str:
        """How the launcher alone connects."""
        return make_conninfo(
            "",
            host=str(self.socket_dir),
            user=SUPERUSER,
            password=kept_secret(self.password_file(SUPERUSER)),
            dbname=database,
        )

    def password_file(self, of: str) -> Path:
        """Where the password of a role, or of the superuser, is kept."""
        return self.data_dir / f"password.{of}"

    @property
    def secret_key_file(self) -> Path:
        """Where `secret_key` keeps the key of this installation."""
        return self.data_dir / "secret_key"

    @property
    def lock_file(self) -> Path:
        """Held while the cluster is started or stopped."""
        return self.data_dir / "postgres.lock"

    @property
    def server_dir(self) -> Path:
        """The folder that the server's user owns."""
        return self.data_dir / "postgres"

    @property
    def cluster_dir(self) -> Path:
        """What PostgreSQL calls its data directory."""
        return self.server_dir / "data"

    @property
    def log_dir(self) -> Path:
        """One file per day of the week, so that the log cannot grow for ever."""
        return self.server_dir / "log"


def locate(
    data_dir: Path | None, clone: Path, *, system_dir: Path = SYSTEM_DIR
) -> Location:
    """Return where things are, or will be, for the calling user.

    `data_dir` is the folder asked for, `<clone>/var` if None. Root gets a folder
    below `system_dir` instead where the server's user could not reach it; once a
    cluster is there, it stays the one that is used.
    """
    clone = _real(clone)
    wanted = clone / "var" if data_dir is None else _real(data_dir)
    named_after = clone if data_dir is None else wanted
    chosen = _choose(wanted, system_dir / digest(named_after))
    user = owner_of(chosen / "postgres")
    binaries = find_binaries(user, system_dir)
    return Location(
        data_dir=chosen,
        socket_dir=_socket_dir(chosen, user),
        binaries=binaries,
        notes=tuple(_notes(wanted, chosen, user, binaries)),
    )


def _choose(wanted: Path, instead: Path) -> Path:
    if not is_root():
        return wanted
    if (instead / "postgres" / "data").exists():
        return instead
    # Data that became unreachable is kept in view: the start refuses, with the
    # reason, where a new empty cluster would look like a loss.
    if (wanted / "postgres" / "data").exists() or can_pass(wanted, None):
        return wanted
    return instead


def _socket_dir(data_dir: Path, user: ServerUser | None) -> Path:
    inside = data_dir / "run"
    path = os.fsencode(inside / SOCKET)
    # libpq takes a comma for the end of one host and the beginning of another.
    if len(path) <= LONGEST_SOCKET and b"," not in path:
        return inside
    return TEMP_DIR / f"stepback-{digest(data_dir, _starter(user))}"


def _starter(user: ServerUser | None) -> int:
    """Return who starts this cluster: root too must find a plain user's socket."""
    if is_root() and user is not None and user.name not in SERVICE_NAMES:
        return user.uid
    return os.geteuid()


def _notes(
    wanted: Path, chosen: Path, user: ServerUser | None, binaries: Binaries
) -> list[str]:
    notes = []
    if chosen != wanted:
        notes.append(
            f"Data is in {chosen}: PostgreSQL does not run as root, and the user "
            f"it runs as cannot reach {wanted}."
        )
    if binaries.copy_from is not None:
        notes.append(
            f"PostgreSQL's programs are copied to {binaries.site}: the user it runs "
            f"as cannot read {binaries.copy_from}."
        )
    if is_root() and user is not None and user.name == LAST_RESORT:
        notes.append(
            f"PostgreSQL runs as {LAST_RESORT}, because no user of its own could be "
            f"made: other processes of {LAST_RESORT} can get at the data."
        )
    return notes


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
