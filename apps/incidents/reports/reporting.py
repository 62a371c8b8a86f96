"""The report of an incident: what, since when, which release, how many, what was done.

And what is open. It says nothing that is not known: without a check nobody knows since
when, and it says so. Its sentences are written once, for pages and for Markdown: what
anybody wrote goes through `text`, which makes it plain where they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.agents.acts import Act
from apps.diffs.text import visible
from apps.incidents.counting import Counts, Standings, counts_of, standings_of
from apps.incidents.models import Entry, Incident
from apps.incidents.reports.deeds import words_of
from apps.incidents.reports.markdown import plain
from apps.incidents.reports.parts import (
    Done,
    Section,
    Table,
    Text,
    moment,
    of_sessions,
    sessions,
)
from apps.incidents.reports.planned import MOST_PLANS, is_open, plans_for, told
from apps.incidents.reports.written import section_parts
from apps.incidents.seeing import hides_check, is_told_whole
from apps.incidents.words import MOST, Deed
from apps.plans.models import Plan

# Entries of the history that a report has: the newest.
MOST_ENTRIES = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What is known of an incident at one moment, for somebody who may see it."""

    incident: Incident
    act: Act
    counts: Counts
    # None where so many sessions were not looked up for a page.
    standings: Standings | None
    entries: Sequence[Entry]
    has_older_entries: bool
    # The newest, and one more where there are older ones.
    plans: Sequence[Plan]

    @property
    def check(self) -> str | None:
        """What is looked for, where it is told to whoever asks."""
        text = self.incident.check_text
        if text is None or not is_told_whole(self.act, self.incident):
            return None
        return None if hides_check(text) else text

    @property
    def query(self) -> str | None:
        """By what its sessions were found, where it is told to whoever asks."""
        is_whole = is_told_whole(self.act, self.incident)
        return self.incident.query if is_whole else None

    @property
    def gone(self) -> int:
        """How many sessions were deleted or removed since, where it was looked up."""
        now = self.standings
        return 0 if now is None else self.counts.sessions - now.there

    @property
    def still_open(self) -> list[str]:
        """What is left to be done, in sentences."""
        counts, is_checked = self.counts, self.check is not None
        found = [
            "" if self.incident.is_resolved else f"It is {self.incident.status}.",
            "" if self.incident.owner_label else "Nobody has taken it.",
            *self._as_they_stand(),
            *self._left_of_plans(),
            of_sessions(counts.waiting * is_checked, "{is} not checked yet"),
            of_sessions(
                counts.unknown * is_checked,
                "cannot be told of: versions are gone, or too many",
            ),
        ]
        return [one for one in found if one]

    def about(self, text: Text = visible) -> str:
        """Say which incident it is, how it stands, and whose it is."""
        incident = self.incident
        owner = text(incident.owner_label) if incident.owner_label else "nobody"
        said = (
            f"Incident {text(incident.id)}, {incident.status}, taken by {owner}."
            f" Opened {moment(incident.created_at)} by"
            f" {text(incident.opened_by_label)}."
        )
        if incident.resolved_at:
            said += f" Resolved {moment(incident.resolved_at)}."
        said += f" Written {moment(self.act.now)}."
        if self.act.scope.agents is not None:
            said += " Counts are of the sessions that this key may see, no more."
        return said

    def sections(self, text: Text = visible) -> list[Section]:
        """Return the report as its questions, in order."""
        return [
            Section(heading="What", sentences=self._what(text)),
            Section(heading="Since when", sentences=[self._since()]),
            Section(heading="Which release", tables=self._releases()),
            Section(
                heading="How many",
                sentences=[self._how_many()],
                tables=[
                    Table(heading="Agent", rows=self.counts.by_agent),
                    Table(heading="Model", rows=self.counts.by_model),
                ],
            ),
            Section(
                heading="What was done",
                sentences=self._older(),
                done=self.history(text),
            ),
            *self._planned(text),
            Section(heading="What is open", points=self.still_open),
        ]

    @property
    def markdown(self) -> str:
        """The report as Markdown; what anybody wrote is text in it."""
        parts = [f"# {plain(self.incident.title)}", self.about(plain)]
        for section in self.sections(plain):
            parts += section_parts(section)
        return "\n\n".join(filter(None, parts)) + "\n"

    def history(self, text: Text = visible) -> list[Done]:
        """Return what was done, in order."""
        return [
            Done(
                at=one.created_at,
                by=text(one.actor_label),
                words=words_of(one, text),
                quote=one.text if one.deed == Deed.NOTED else None,
            )
            for one in self.entries
        ]

    def _as_they_stand(self) -> list[str]:
        now = self.standings
        if now is None:
            return []
        return [
            of_sessions(now.untouched, "{has} no new version since collected"),
            of_sessions(now.moved, "{has} new versions since collected"),
            of_sessions(self.gone, "{is} deleted, or removed"),
        ]

    def _left_of_plans(self) -> list[str]:
        left = sum(map(is_open, self.plans[:MOST_PLANS]))
        if not left:
            return []
        many = "plans are" if left > 1 else "plan is"
        return [f"{left} {many} not confirmed or not over, or some of it has failed."]

    def _what(self, text: Text) -> list[str]:
        said = []
        if self.query is not None:
            said.append(f"Collected by the search {text(self.query)}")
        if self.check is not None:
            said.append(f"In every version it should hold that {text(self.check)}")
        return said or ["Its title says what: nothing else was said."]

    def _since(self) -> str:
        first = None if self.standings is None else self.standings.began_first
        began = f" The oldest of the sessions began {moment(first)}." if first else ""
        if self.check is None:
            return f"Not known: no check was set.{began}"
        if self.counts.since is None:
            return f"Not known: no version was found that does not pass.{began}"
        said = f"The first version that does not pass: {moment(self.counts.since)}."
        if self.counts.waiting or self.counts.unknown or self.counts.unplaced:
            said += " It may have been earlier: not all sessions could be looked into."
        return said

    def _releases(self) -> list[Table]:
        tables = [Table(heading="Release", rows=self.counts.by_release)]
        if self.check is not None and self.counts.by_bad_release:
            heading = "Release of the first version that does not pass"
            tables.insert(0, Table(heading=heading, rows=self.counts.by_bad_release))
        return tables

    def _how_many(self) -> str:
        counts, now = self.counts, self.standings
        said = f"{sessions(counts.sessions)}; {counts.removed:,} taken out."
        if self.check is not None:
            said += (
                f" Of these {counts.bad:,} do not pass, {counts.good:,} do,"
                f" {counts.unknown:,} are not known, {counts.waiting:,} not looked at."
            )
        if now is not None:
            said += (
                f" {now.moved:,} have new versions since collected,"
                f" {now.rolled_back:,} were rolled back at some time."
            )
        return said

    def _planned(self, text: Text) -> list[Section]:
        if not self.plans:
            return []
        shown = self.plans[:MOST_PLANS]
        is_cut = len(self.plans) > MOST_PLANS
        return [
            Section(
                heading="What was planned",
                sentences=[f"The newest {MOST_PLANS} plans."] if is_cut else [],
                points=[told(one, moment(one.created_at), text) for one in shown],
            )
        ]

    def _older(self) -> list[str]:
        return [f"The newest {MOST_ENTRIES} acts."] if self.has_older_entries else []


def report_of(
    incident: Incident,
    act: Act,
    *,
    most: int = MOST_ENTRIES,
    looked_up: int = MOST,
) -> Report:
    """Return the report of an incident: as many statements for any of them.

    How its sessions stand now is looked up where they are no more than `looked_up`.
    """
    counts = counts_of(incident, act.scope)
    is_looked_up = counts.sessions <= looked_up
    told = Entry.objects.of_incident(incident.id).told_to(act.actor, act.scope)
    entries = list(told.order_by("-id")[: most + 1])
    return Report(
        incident=incident,
        act=act,
        counts=counts,
        standings=standings_of(incident, act.scope) if is_looked_up else None,
        entries=entries[:most][::-1],
        has_older_entries=len(entries) > most,
        plans=plans_for(incident, act, most=MOST_PLANS + 1),
    )
