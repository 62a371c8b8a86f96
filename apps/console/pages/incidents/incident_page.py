"""The page of an incident: how many, since when, what was done, and its sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.accounts.models import Membership, Project
from apps.agents.acts import Act
from apps.console.pages.plans.plan_page import headline
from apps.console.pages.project.session_rows import titles_of
from apps.incidents.counting import Group
from apps.incidents.listing import MemberRow, members_seen, rows_of
from apps.incidents.models import Incident
from apps.incidents.reports import Report, report_of
from apps.incidents.words import Status
from apps.plans.models import Plan

PAGE = 100
# Entries of the history beside the counts; the report has more.
HISTORY = 20
# How more sessions stand now costs too much for a page: the report says it.
LOOKED_UP = 1_000
MOST_OWNERS = 200
SHOWN_PLANS = 10
NEXT = {
    Status.OPEN: "Open again",
    Status.WATCHING: "Watch it",
    Status.RESOLVED: "Resolve",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A session of the incident, and what it is called in a list."""

    row: MemberRow
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class IncidentPage:
    """An incident with one page of its sessions; `after` is where the next begins."""

    report: Report
    members: Sequence[Shown]
    after: str | None
    owners: Sequence[str]
    # What was planned for its sessions, the newest first, and what each is about.
    plans: Sequence[tuple[Plan, str]]

    @property
    def statuses(self) -> list[tuple[str, str]]:
        """What it can be set to, and the words for it."""
        now = self.report.incident.status
        return [(one.value, words) for one, words in NEXT.items() if one.value != now]

    @property
    def groups(self) -> list[tuple[str, str, Sequence[Group]]]:
        """What the sessions have in common, and the field that searches for it."""
        counts = self.report.counts
        found = [
            ("First bad release", "release", counts.by_bad_release),
            ("Release", "release", counts.by_release),
            ("Agent", "agent", counts.by_agent),
            ("Model", "model", counts.by_model),
        ]
        if self.report.check is None:
            del found[0]
        return [one for one in found if one[2]]


def incident_page(incident: Incident, act: Act, *, after: str | None) -> IncidentPage:
    """Return the page of an incident, with a hundred of its sessions."""
    found = members_seen(incident, act.scope).newest_first(after_id=after)
    members = list(found[: PAGE + 1])
    rows = rows_of(act, members[:PAGE])
    named = titles_of([one.session.id for one in rows if one.session])
    report = report_of(incident, act, most=HISTORY, looked_up=LOOKED_UP)
    return IncidentPage(
        report=report,
        members=[
            Shown(
                row=one,
                title=named.get(one.member.session_id, one.member.session_id),
            )
            for one in rows
        ],
        after=members[PAGE - 1].session_id if len(members) > PAGE else None,
        owners=_owners(incident.project),
        plans=[(one, headline(one)) for one in report.plans[:SHOWN_PLANS]],
    )


def _owners(project: Project) -> list[str]:
    """Return who can take it: members who can sign in, by name."""
    members = Membership.objects.in_project(project.id).filter(user__is_active=True)
    names = members.order_by("user__username").values_list("user__username", flat=True)
    return list(names[:MOST_OWNERS])
