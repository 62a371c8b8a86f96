"""manage.py storage: where the bytes are, and what storing differences saves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.accounts.management.command import AccountsCommand, project_called
from apps.blobs.errors import ObjectsUnavailable
from apps.timeline.queries import storage
from apps.timeline.queries.storage import Usage

LARGEST = 10
SHOWN_TABLES = 12
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


class Command(AccountsCommand):
    help = (
        "Show the bytes that states take, by project, by agent and for the largest "
        "sessions: stored, shown (every version's whole state) and the share saved."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", metavar="SLUG", help="one project alone")
        parser.add_argument(
            "--largest", type=int, default=LARGEST, metavar="N", help="default: 10"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["largest"] < 0:
            raise CommandError("--largest takes a number from 0.")
        slug = options["project"]
        found = storage.usage(
            project_id=project_called(slug).id if slug else None,
            largest=options["largest"],
        )
        self._section("States", [("all" if slug is None else slug, found.total)])
        if slug is None:
            self._section("By project", ((str(u.project), u) for u in found.projects))
        self._section("By agent", ((_agent(u, slug), u) for u in found.agents))
        self._section("Largest sessions", ((_session(u), u) for u in found.sessions))
        if slug is None:
            self._tables()
            self._objects()

    def _section(self, title: str, lines: Iterable[tuple[str, Usage]]) -> None:
        self.stdout.write(f"{title}:")
        for name, used in lines:
            self.stdout.write(f"  {name}: {_described(used)}")

    def _tables(self) -> None:
        found = storage.tables()
        whole = _readable(sum(table.size for table in found))
        self.stdout.write(f"Tables on disk, with their indexes ({whole}):")
        for table in found[:SHOWN_TABLES]:
            self.stdout.write(f"  {table.name}: {_readable(table.size)}")

    def _objects(self) -> None:
        try:
            found = storage.objects()
        except ObjectsUnavailable as away:
            why = _plain(str(away.__cause__))
            self.stdout.write(f"Objects: not counted, the store is away ({why})")
            return
        whole = _readable(sum(one.size for one in found))
        self.stdout.write(f"Objects in the store ({whole}):")
        for one in found:
            counted = f"{one.objects:,} objects, {_readable(one.size)}"
            self.stdout.write(f"  {one.what}: {counted}")


def _described(used: Usage) -> str:
    counted = f"{used.versions:,} versions"
    if used.session_id is None:
        counted = f"{used.sessions:,} sessions, {counted}"
    archived = ""
    if used.archived_bodies:
        archived = (
            f" and {_readable(used.archived)} of {used.archived_bodies:,} bodies "
            "in archives"
        )
    return (
        f"{_readable(used.stored)} stored{archived} for {_readable(used.shown)} shown, "
        f"{used.share_saved:.1%} saved ({counted}, {used.bodies:,} bodies)"
    )


def _agent(used: Usage, slug: str | None) -> str:
    name = _plain(str(used.agent))
    return name if slug else f"{used.project}/{name}"


def _session(used: Usage) -> str:
    return f"{used.session_id} ({_agent(used, None)})"


def _plain(name: str) -> str:
    """Agents name themselves: keep what would steer a terminal out of it."""
    return "".join(char if char.isprintable() else "?" for char in name)


def _readable(size: int) -> str:
    """Return `size` in the largest unit that leaves at least 1."""
    amount, unit = float(size), 0
    while amount >= 1024 and unit + 1 < len(UNITS):
        amount, unit = amount / 1024, unit + 1
    return f"{size:,} bytes" if unit == 0 else f"{amount:,.1f} {UNITS[unit]}"
