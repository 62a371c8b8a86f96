"""Sessions with a past, and policies that are run over it; nobody waits for a day.

Days are counted back from `NOW`: what is made `at` 40 was made so many days ago.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.models import Policy, Removal
from apps.retention.sweeping import count_previews, sweep
from apps.retention.terms import Terms
from apps.timeline import operations as timeline
from apps.timeline.models import Body, Session, Tombstone, Version
from apps.timeline.operations import About, Origin
from apps.timeline.verification import verify_session
from apps.timeline.versions.reading import Step
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all

NOW = timezone.now()
LONG = "something long enough to build on " * 20


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@dataclass(frozen=True)
class Past:
    """A session that was written to so many days ago, once for each version."""

    project: Project
    id: str

    @classmethod
    def of(
        cls, project: Project, days: list[float], agent: str = "travel", **about: Any
    ) -> Past:
        made = timeline.create(
            act=act_in(project, now=ago(days[0])),
            agent=agent,
            state={"n": 0, "text": LONG},
            about=About(**about),
            step=Step(),
        )
        past = cls(project, made.session_id)
        for one in days[1:]:
            past.write(one)
        return past

    def act(self, at: float) -> Act:
        return act_in(self.project, now=ago(at))

    def write(self, at: float) -> int:
        patch = {"n": self.row.head_number + 1}
        return timeline.update(
            act=self.act(at), session_id=self.id, patch=patch, step=Step()
        ).number

    def rollback(self, to: int, at: float) -> int:
        return timeline.rollback(
            act=self.act(at), session_id=self.id, to=to, step=Step()
        ).number

    def fork(self, number: int, at: float) -> Past:
        origin = Origin(session_id=self.id, number=number)
        made = timeline.fork(
            act=self.act(at), origin=origin, about=About(), step=Step()
        )
        return Past(self.project, made.session_id)

    def label(self, number: int, name: str = "kept") -> None:
        act = act_in(self.project)
        timeline.label(act=act, session_id=self.id, number=number, name=name)

    def unlabel(self, number: int, name: str = "kept") -> None:
        act = act_in(self.project)
        timeline.unlabel(act=act, session_id=self.id, number=number, name=name)

    def note(self, number: int) -> None:
        act = act_in(self.project)
        timeline.add_note(act=act, session_id=self.id, number=number, text="Look here")

    def delete(self, at: float) -> None:
        timeline.delete(act=self.act(at), session_id=self.id, step=Step())

    @property
    def row(self) -> Session:
        return Session.objects.get(id=self.id)

    @property
    def is_there(self) -> bool:
        return Session.objects.filter(id=self.id).exists()

    @property
    def numbers(self) -> list[int]:
        found = Version.objects.filter(session_id=self.id).order_by("number")
        return list(found.values_list("number", flat=True))

    @property
    def full(self) -> list[int]:
        """The versions whose bodies hold something."""
        found = Body.objects.filter(session_id=self.id).exclude(codec=0)
        return sorted(found.values_list("number", flat=True))

    @property
    def stones(self) -> list[tuple[str, int, int]]:
        found = Tombstone.objects.of_session(self.id)
        return [(str(one.kind), one.first_number, one.last_number) for one in found]

    def require_whole(self) -> None:
        """Have what is left recompute, tombstones and what is derived with it."""
        report = verify_session(self.id)
        assert (report.first_broken, report.first_derived) == (None, None)


def enabled(project: Project, agent: str | None = None, **days: int) -> Policy:
    """Make a policy, have it previewed, and switch it on."""
    made = retention.make_policy(act=act_in(project), terms=Terms(**days), agent=agent)
    preview = previewed(project, made)
    retention.enable_policy(
        act=act_in(project), policy_id=made.id, preview_id=preview.id
    )
    return made


def previewed(project: Project, policy: Policy) -> Removal:
    """Have a preview counted, as the sweeping process does; return it."""
    asked = retention.ask_preview(act=act_in(project), policy_id=policy.id)
    with acting_as(Role.RETENTION):
        count_previews()
    found = Removal.objects.get(id=asked.id)
    assert (found.state, found.is_complete) == ("ready", True)
    return found


def swept(now: datetime | None = None, **more: Callable[[], bool]) -> int:
    """Project what waits, and sweep as the retention role; return how many steps."""
    feed_all()
    with acting_as(Role.RETENTION):
        return sweep(now=now or timezone.now(), **more)


def taken(policy: Policy) -> Removal:
    """Return the last removal of a policy."""
    return Removal.objects.removals().of_policy(policy.id).latest("id")


def versions_by_step(removal: Removal) -> dict[str, int]:
    return {name: n["versions"] for name, n in removal.counts["steps"].items()}
