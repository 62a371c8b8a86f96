"""Writing a database into one file and reading it back, with PostgreSQL's programs.

A file is complete or it is not there: it gets its name last, and never takes the
name of another. Reading it into a database is one transaction, all or nothing.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.core.postgres.binaries import Binaries
from apps.core.postgres.errors import ArchiveUnusable
from apps.core.postgres.folders import sync_folder

# Bodies are compressed already; what gzip adds above level 1 is a sum over the
# bytes, which zstd would leave out, and time.
COMPRESSION = "gzip:1"
# A table's rows in a script: its columns, then a row a line, up to `\.`.
_COPIED = re.compile(r"(?ms)^COPY [^\n]*? \(([^\n]*)\) FROM stdin;\n(.*?)^\\\.$")


def write(binaries: Binaries, dsn: str, file: Path) -> int:
    """Write the database as of now into `file`, for its owner alone; return the size.

    Others go on reading and writing meanwhile: it is one snapshot. What was written
    is read back before it gets its name.

    Raises: ArchiveUnusable, also when there is such a file.
    """
    if os.path.lexists(file):
        raise _taken(file)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    except OSError as error:
        raise ArchiveUnusable(
            f"Cannot write to {file.parent}: {error.strerror}."
        ) from error
    unfinished = Path(name)
    try:
        options = ("--format=custom", f"--compress={COMPRESSION}", "--no-owner")
        _run(
            binaries, "pg_dump", *options, "--no-privileges", f"--file={name}", dsn=dsn
        )
        verify(binaries, unfinished)
        os.fsync(descriptor)
        # A link, because renaming would replace a file that came meanwhile.
        os.link(unfinished, file)
    except FileExistsError as error:
        raise _taken(file) from error
    except OSError as error:
        raise ArchiveUnusable(f"Cannot write {file}: {error.strerror}.") from error
    finally:
        os.close(descriptor)
        unfinished.unlink(missing_ok=True)
    sync_folder(file.parent)
    return file.stat().st_size


def verify(binaries: Binaries, file: Path) -> None:
    """Read the whole file without a database.

    Raises: ArchiveUnusable unless it is a backup from its first to its last byte.
    """
    try:
        file.open("rb").close()
    except OSError as error:
        raise ArchiveUnusable(f"Cannot read {file}: {error.strerror}.") from error
    _run(binaries, "pg_restore", f"--file={os.devnull}", str(file))


def rows(binaries: Binaries, file: Path, table: str) -> list[dict[str, str]]:
    """Return a small table's rows without a database, as COPY writes their values.

    Raises: ArchiveUnusable.
    """
    only = ("--data-only", f"--table={table}", "--file=-")
    script = _run(binaries, "pg_restore", *only, str(file))
    return [
        dict(zip(names.split(", "), row.split("\t"), strict=True))
        for names, lines in _COPIED.findall(script)
        for row in lines.split("\n")[:-1]
    ]


def read(binaries: Binaries, dsn: str, file: Path) -> None:
    """Put what `file` holds into the database, in place of tables of the same names.

    Raises: ArchiveUnusable; the database is then as it was.
    """
    options = ("--single-transaction", "--clean", "--if-exists", "--no-owner")
    _run(binaries, "pg_restore", *options, "--no-privileges", str(file), dsn=dsn)


def _run(
    binaries: Binaries, program: str, *arguments: str, dsn: str | None = None
) -> str:
    """Run as the caller: root, too, gets to the server's socket; return its output."""
    # Only the server's user needs the copy, and with a database of one's own there
    # may be none.
    own = Binaries(site=binaries.copy_from or binaries.site)
    own.verify()
    environment = os.environ | {"LC_ALL": "C"}
    if dsn is not None:
        parts = conninfo_to_dict(dsn)
        # Everybody on the machine can read arguments.
        if password := parts.pop("password", None):
            environment["PGPASSWORD"] = str(password)
        arguments = (f"--dbname={make_conninfo('', **parts)}", *arguments)
    done = subprocess.run(  # noqa: S603 - our own program and arguments
        [str(own.program(program)), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        umask=0o077,
    )
    if done.returncode:
        raise ArchiveUnusable(_sentence(program, done.stderr))
    return done.stdout


def _sentence(program: str, said: str) -> str:
    """Return the first error alone: what follows it can quote rows."""
    errors = [line for line in said.splitlines() if "error:" in line]
    why = errors[0].partition("error:")[2].strip() if errors else "it was ended"
    return f"{program} did not finish: {why.rstrip('.')}."


def _taken(file: Path) -> ArchiveUnusable:
    return ArchiveUnusable(f"{file} is there already: name another file.")
