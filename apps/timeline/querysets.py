"""Questions about sessions, turns and labels; each starts from what one may see."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import F, FloatField, Func, Q, Subquery, Value
from django.db.models.functions import Cast

from apps.agents.models import Agent
from apps.core import keyset
from apps.core.json import cleaned
from apps.timeline import bodies
from apps.timeline.scores import ScoreFilter
from apps.timeline.words import Kind

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.timeline.models import (  # noqa: F401
        Label,
        Note,
        Review,
        Score,
        Session,
        Summary,
        Turn,
    )


# An id is made with the first try of a create, which may be finished by a later one.
LATEST_RETRY = timedelta(days=1)
# And by a host whose clock is behind.
CLOCK = timedelta(hours=1)
# Before every session's id, and behind every document's: a list in the order of ids
# does not walk through these.
FIRST = "sess"
# Asked for in place of an outcome: nobody has reviewed the session.
UNREVIEWED = "none"
# How the operators of `scores.ScoreFilter` are asked of a column.
LOOKUPS = {"=": "exact", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


def id_bounds(after: datetime | None, before: datetime | None) -> tuple[str, str]:
    """Return between which ids the sessions lie that began between two moments."""
    return keyset.id_bounds("sess", after, before, earlier=LATEST_RETRY, later=CLOCK)


class SessionQuerySet(models.QuerySet["Session"]):
    def of_project(self, project_id: str) -> SessionQuerySet:
        return self.filter(project_id=project_id)

    def of_agents(self, external_ids: frozenset[str] | None) -> SessionQuerySet:
        """Narrow to the agents that a key may see; None means all."""
        if external_ids is None:
            return self
        return self.filter(agent__external_id__in=external_ids)

    def alive(self, *, now: datetime) -> SessionQuerySet:
        """Neither deleted nor expired: what agents and lists see."""
        return self.exclude(status="deleted").filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now)
        )

    def over(self, *, now: datetime) -> SessionQuerySet:
        """Those whose time is over, which nobody has recorded yet."""
        return self.filter(expires_at__lte=now, expired_at__isnull=True).exclude(
            status="deleted"
        )

    def by(
        self,
        *,
        user: str | None = None,
        status: str | None = None,
        origin: str | None = None,
    ) -> SessionQuerySet:
        """Keep those that match every clause that is given."""
        clauses: dict[str, Any] = {
            "user_id": user,
            "status": status,
            "origin_session_id": origin,
        }
        return self.filter(**{k: v for k, v in clauses.items() if v is not None})

    def of_agent(self, project_id: str, name: str | None) -> SessionQuerySet:
        """Keep those of the project's agent of that name, if one is given.

        The agent is looked up first: joined, it leaves the planner to walk the sessions
        of all agents, newest first, to the end where this one has few.
        """
        if name is None:
            return self
        found = Agent.objects.filter(project_id=project_id, external_id=name)
        return self.filter(agent_id=Subquery(found.values("id")[:1]))

    def created_between(
        self, after: datetime | None, before: datetime | None
    ) -> SessionQuerySet:
        """Both ends open: strictly after, strictly before."""
        found = self
        first, last = id_bounds(after, before)
        if after is not None:
            found = found.filter(created_at__gt=after, id__gte=first)
        if before is not None:
            found = found.filter(created_at__lt=before, id__lt=last)
        return found

    def with_metadata(self, pairs: dict[str, Any] | None) -> SessionQuerySet:
        """Keep those whose metadata contains all pairs; the value is a parameter.

        Both sides are cleaned alike: NUL is ␀, and of a text of more than 200
        characters the beginning is compared.
        """
        if not pairs:
            return self
        return self.filter(metadata_index__contains=cleaned(pairs))

    def reviewed(self, outcome: str | None) -> SessionQuerySet:
        """Keep those whose newest review says `fine` or `failed`; None means all.

        `UNREVIEWED` keeps those that nobody has reviewed.
        """
        if outcome is None:
            return self
        if outcome == UNREVIEWED:
            return self.filter(review__isnull=True)
        return self.filter(review=outcome)

    def scored(self, wanted: ScoreFilter | None) -> SessionQuerySet:
        """Keep those whose newest score of that name compares so; None means all.

        Without an operator, those that have a score of that name.
        """
        if wanted is None:
            return self
        found = self.filter(scores__isnull=False).alias(_score=_score(wanted.name))
        if wanted.operator is None:
            return found.filter(_score__isnull=False)
        return found.filter(**{f"_score__{LOOKUPS[wanted.operator]}": wanted.value})

    def for_lists(self) -> SessionQuerySet:
        """Without the columns that may be long, which no list shows."""
        return self.defer("metadata", "metadata_index", "facets")

    def newest_first(self, *, after_id: str | None = None) -> SessionQuerySet:
        """Keyset by id, which sorts by creation."""
        found = self.filter(id__lt=after_id) if after_id else self
        return found.filter(id__gt=FIRST).select_related("agent").order_by("-id")

    def last_changed_first(
        self, *, before: tuple[datetime, str] | None = None
    ) -> SessionQuerySet:
        """Keyset by the last change; no index has it, so ask it of few sessions."""
        found = self
        if before is not None:
            at, session_id = before
            found = found.filter(
                Q(updated_at__lt=at) | Q(updated_at=at, id__lt=session_id)
            )
        return found.select_related("agent").order_by("-updated_at", "-id")

    def oldest_first(self, *, after_id: str | None = None) -> SessionQuerySet:
        """As `newest_first`, the other way."""
        found = self.filter(id__gt=after_id or FIRST)
        return found.select_related("agent").order_by("id")


_Manager = models.Manager.from_queryset(SessionQuerySet)


class SessionManager(_Manager["Session"]):
    """Sessions alone: keyed documents stand in their table, and behind no such door."""

    def get_queryset(self) -> SessionQuerySet:
        return SessionQuerySet(self.model, using=self._db).filter(kind=Kind.SESSION)


def _score(name: str) -> Cast:
    """Return the newest score of a name as a number; by its key, whatever it is.

    Django takes a key that is all digits for the place in a list.
    """
    said = Func(F("scores"), Value(name), function="jsonb_extract_path_text")
    return Cast(said, FloatField())


class TurnQuerySet(models.QuerySet["Turn"]):
    def of_session(self, session_id: str) -> TurnQuerySet:
        return self.filter(session_id=session_id)

    def in_order(self, *, newest_first: bool, after: int | None) -> TurnQuerySet:
        """Keyset by turn number, in either direction."""
        if newest_first:
            found = self.filter(turn_number__lt=after) if after is not None else self
            return found.order_by("-turn_number")
        found = self.filter(turn_number__gt=after) if after is not None else self
        return found.order_by("turn_number")

    def with_contents(self) -> TurnQuerySet:
        """Those that were not emptied."""
        return self.filter(codec__gt=bodies.EMPTIED)


class LabelQuerySet(models.QuerySet["Label"]):
    def of_session(self, session_id: str) -> LabelQuerySet:
        return self.filter(session_id=session_id)

    def numbers_named(self, name: str, *, most: int) -> list[int]:
        """The newest versions that carry this label, at most so many."""
        named = self.filter(name=name).order_by("-number")
        return list(named.values_list("number", flat=True)[:most])

    def by_number(self, numbers: list[int]) -> dict[int, list[str]]:
        """The label names of each of these versions, sorted."""
        found: dict[int, list[str]] = {}
        for label in self.filter(number__in=numbers).order_by("name"):
            found.setdefault(label.number, []).append(label.name)
        return found


class NoteQuerySet(models.QuerySet["Note"]):
    def of_session(self, session_id: str) -> NoteQuerySet:
        return self.filter(session_id=session_id)

    def newest_first(self, *, after_id: str | None = None) -> NoteQuerySet:
        """Keyset by id, which sorts by the time it was written."""
        found = self.filter(id__lt=after_id) if after_id else self
        return found.order_by("-id")


class ReviewQuerySet(models.QuerySet["Review"]):
    def of_session(self, session_id: str) -> ReviewQuerySet:
        return self.filter(session_id=session_id)

    def newest(self) -> Review | None:
        """The one that counts."""
        return self.order_by("-ordinal").first()


class ScoreQuerySet(models.QuerySet["Score"]):
    def of_session(self, session_id: str) -> ScoreQuerySet:
        return self.filter(session_id=session_id)

    def newest(self, name: str) -> Score | None:
        """The one of that name that counts."""
        return self.filter(name=name).order_by("-ordinal").first()

    def count_names(self) -> int:
        """How many names there are; each has a first."""
        return self.filter(ordinal=1).count()


class SummaryQuerySet(models.QuerySet["Summary"]):
    def of_session(self, session_id: str) -> SummaryQuerySet:
        return self.filter(session_id=session_id)

    def newest_first(self, *, after_id: str | None = None) -> SummaryQuerySet:
        """Keyset by id, which sorts by the time it was written."""
        found = self.filter(id__lt=after_id) if after_id else self
        return found.order_by("-id")

    def furthest_first(self) -> SummaryQuerySet:
        """The one that reaches furthest, of these the last one written."""
        return self.order_by("-last_turn", "-ordinal")

    def newest(self) -> Summary | None:
        """The last one that was written."""
        return self.order_by("-ordinal").first()
