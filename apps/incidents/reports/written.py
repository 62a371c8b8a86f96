"""A section of a report as Markdown."""

from __future__ import annotations

from apps.incidents.counting import MOST_GROUPS
from apps.incidents.reports.markdown import plain, quoted, table
from apps.incidents.reports.parts import Done, Section, Table, moment


def section_parts(section: Section) -> list[str]:
    """Return the heading of a section and what is below it, each by itself."""
    return [
        f"## {section.heading}",
        *section.sentences,
        *map(_counted, section.tables),
        "\n".join(map(_done, section.done)),
        "\n".join(f"- {one}" for one in section.points),
    ]


def _done(done: Done) -> str:
    said = f"- {moment(done.at)}: {done.by} {done.words}"
    return said if done.quote is None else f"{said}\n\n{quoted(done.quote)}\n"


def _counted(one: Table) -> str:
    rows = [
        (plain(row.name) if row.name is not None else "not told", f"{row.sessions:,}")
        for row in one.rows
    ]
    said = table([one.heading, "Sessions"], rows)
    return f"{said}\n\nThe largest {MOST_GROUPS}." if one.is_cut else said
