"""The report of an incident: what, since when, which release, how many, what was done.

And what is open. It says nothing that is not known: without a check nobody knows since
when, and it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.acts import Act
from apps.incidents.counting import (
    MOST_GROUPS,
    Counts,
    Group,
    Standings,
    counts_of,
    standings_of,
)
from apps.incidents.markdown import plain, quoted, table
from apps.incidents.models import Entry, Incident
from apps.incidents.seeing import hides_check, is_told_whole
from apps.incidents.words import Deed

# Entries of the history that a report has: the newest.
MOST_ENTRIES = 500
DEEDS = {
    Deed.OPENED: "opened it, with the sessions that were collected",
    Deed.TITLED: "changed the title to {text}",
    Deed.STATUS: "set it to {text}",
    Deed.OWNER: "gave it to {text}",
    Deed.CHECK: "had the sessions checked for {text}",
    Deed.REMOVED: "took out the session {session}",
    Deed.NOTED: "wrote",
}
NOTHING = {
    Deed.TITLED: "changed the title; what it was is erased",
    Deed.OWNER: "gave it to nobody",
    Deed.CHECK: "had the sessions checked for nothing any more",
    Deed.REMOVED: "took out a session that was removed since",
    Deed.NOTED: "wrote what is erased",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What is known of an incident at one moment, for somebody who may see it."""

    incident: Incident
    act: Act
    counts: Counts
    standings: Standings
    entries: Sequence[Entry]
    has_older_entries: bool

    @property
    def is_limited(self) -> bool:
        return self.act.scope.agents is not None

    @property
    def check(self) -> str | None:
        """What is looked for, where it is told to whoever asks."""
        text = self.incident.check_text
        if text is None or not is_told_whole(self.act, self.incident):
            return None
        return None if hides_check(text) else text

    @property
    def still_open(self) -> list[str]:
        """What is left to be done, in sentences."""
        counts, now = self.counts, self.standings
        gone = counts.sessions - now.there
        found = [
            "" if self.incident.is_resolved else f"It is {self.incident.status}.",
            "" if self.incident.owner_label else "Nobody has taken it.",
            _told(now.untouched, "has no new version since it was collected"),
            _told(now.moved, "has new versions since it was collected"),
            _told(gone, "is deleted, or was removed"),
            _told(counts.waiting if self.check else 0, "was not checked yet"),
            _told(
                counts.unknown if self.check else 0,
                "cannot be told of: versions are gone, or too many",
            ),
        ]
        return [one for one in found if one]

    @property
    def markdown(self) -> str:
        """The report as Markdown; what anybody wrote is text in it."""
        parts = [
            f"# {plain(self.incident.title)}",
            self._about(),
            f"## What\n\n{self._what()}",
            f"## Since when\n\n{self._since()}",
            f"## Which release\n\n{self._releases()}",
            f"## How many\n\n{self._how_many()}",
            f"## What was done\n\n{self._history()}",
            "## What is open\n\n" + self._open(),
        ]
        return "\n\n".join(parts) + "\n"

    def _about(self) -> str:
        incident = self.incident
        owner = plain(incident.owner_label) if incident.owner_label else "nobody"
        said = (
            f"Incident {plain(incident.id)}, {incident.status}, taken by {owner}."
            f" Opened {_moment(incident.created_at)} by"
            f" {plain(incident.opened_by_label)}."
        )
        if incident.resolved_at:
            said += f" Resolved {_moment(incident.resolved_at)}."
        said += f" This was written {_moment(self.act.now)}."
        if self.is_limited:
            said += " Counts are of the sessions that this key may see, no more."
        return said

    def _what(self) -> str:
        found = self.incident.query if is_told_whole(self.act, self.incident) else None
        said = []
        if found is not None:
            said.append(f"Collected by the search {plain(found)}.")
        if self.check is not None:
            said.append(f"What should hold: {plain(self.check)}.")
        return "\n\n".join(said) or "See the title: nothing else was said."

    def _since(self) -> str:
        first = self.standings.began_first
        began = f" The oldest of the sessions began {_moment(first)}." if first else ""
        if self.check is None:
            return f"Not known: no check was set.{began}"
        if self.counts.since is None:
            return f"Not known: no version was found that does not pass.{began}"
        said = f"The first version that does not pass: {_moment(self.counts.since)}."
        if self.counts.waiting or self.counts.unknown:
            said += " It may have been earlier: not all sessions could be looked into."
        return said

    def _releases(self) -> str:
        tables = [_table("Release", self.counts.by_release)]
        if self.check is not None and self.counts.by_bad_release:
            heading = "Release of the first version that does not pass"
            tables.insert(0, _table(heading, self.counts.by_bad_release))
        return "\n\n".join(tables)

    def _how_many(self) -> str:
        counts, now = self.counts, self.standings
        said = f"{_sessions(counts.sessions)}; {counts.removed:,} taken out."
        if self.check is not None:
            said += (
                f" Of these {counts.bad:,} do not pass, {counts.good:,} do,"
                f" {counts.unknown:,} are not known, {counts.waiting:,} not looked at."
            )
        said += (
            f" {now.moved:,} have new versions since they were collected,"
            f" {now.rolled_back:,} were rolled back at some time."
        )
        groups = _table("Agent", counts.by_agent), _table("Model", counts.by_model)
        return "\n\n".join([said, *groups])

    def _history(self) -> str:
        older = f"The newest {MOST_ENTRIES} acts:\n\n" if self.has_older_entries else ""
        return older + "\n".join(_entry(one) for one in self.entries)

    def _open(self) -> str:
        return "\n".join(f"- {one}" for one in self.still_open) or "Nothing is known."


def report_of(incident: Incident, act: Act) -> Report:
    """Return the report of an incident: as many statements for any of them."""
    told = Entry.objects.of_incident(incident.id).told_to(act.actor, act.scope)
    entries = list(told.order_by("-id")[: MOST_ENTRIES + 1])
    return Report(
        incident=incident,
        act=act,
        counts=counts_of(incident, act.scope),
        standings=standings_of(incident, act.scope),
        entries=entries[:MOST_ENTRIES][::-1],
        has_older_entries=len(entries) > MOST_ENTRIES,
    )


def _entry(entry: Entry) -> str:
    said = f"- {_moment(entry.created_at)}: {plain(entry.actor_label)} {_deed(entry)}"
    if entry.deed != Deed.NOTED or entry.text is None:
        return said
    indented = quoted(entry.text).replace("\n", "\n  ")
    return f"{said}\n\n  {indented}\n"


def _deed(entry: Entry) -> str:
    deed = Deed(entry.deed)
    told = entry.session_id if deed is Deed.REMOVED else entry.text
    if told is None and deed in NOTHING:
        return NOTHING[deed]
    return DEEDS[deed].format(
        text=plain(entry.text or ""), session=plain(entry.session_id or "")
    )


def _table(heading: str, groups: Sequence[Group]) -> str:
    rows = [
        (plain(one.name) if one.name is not None else "not told", f"{one.sessions:,}")
        for one in groups
    ]
    more = len(groups) == MOST_GROUPS
    said = table([heading, "Sessions"], rows)
    return f"{said}\n\nThe largest {MOST_GROUPS}." if more else said


def _told(count: int, what: str) -> str:
    if not count:
        return ""
    if count > 1:
        for one, many in (("has ", "have "), ("is ", "are "), ("was ", "were ")):
            if what.startswith(one):
                what = many + what.removeprefix(one)
                break
    return f"{_sessions(count)} {what}.".replace(
        "since it was collected",
        "since they were collected" if count > 1 else "since it was collected",
    )


def _sessions(count: int) -> str:
    return f"{count:,} session{'' if count == 1 else 's'}"


def _moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M UTC")
