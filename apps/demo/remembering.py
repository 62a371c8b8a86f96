"""What the agents remember beyond a session, by whom it was taught, and what clashes.

One memory was taught by versions that were rolled back, two say the opposite of each
other, and one is only proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from apps.agents.acts import Act
from apps.demo import refunds, trips
from apps.demo.people import OPERATOR
from apps.demo.script import KEY_PREFIX, Scene, Stage
from apps.memory.documents.contents import Near
from apps.memory.documents.owners import Finder, Place
from apps.memory.models import Memory
from apps.memory.operations import NewMemory
from apps.memory.operations.adding import content_of, remembered, source_of

# The sessions that taught it.
LISBON, AGAIN, WIPED = "booking-TRV-48101", "booking-TRV-48354", "booking-TRV-48213"
TRAVELLER, WIPED_TRAVELLER = "u_20", "u_17"
TWO, THREE = "Travels with two children", "Travels with three children"


@dataclass(frozen=True, kw_only=True, slots=True)
class Taught:
    """A text that somebody teaches so many hours after the week began."""

    at: float
    text: str
    why: str
    type: str = "fact"
    tags: tuple[str, ...] = ()
    session: str | None = None
    user: str | None = None
    agent: str | None = None
    confidence: float = 1.0
    by: str = trips.AGENT
    # A text of the same owner that it clashes with: no model is asked for it here.
    near: str | None = None


ALL = (
    Taught(
        at=9.6,
        text="Prefers an aisle seat",
        why="Said so when booking to Lisbon",
        type="preference",
        tags=("seat",),
        session=LISBON,
        user=TRAVELLER,
        confidence=0.9,
    ),
    Taught(
        at=9.7,
        text=TWO,
        why="Asked for a room with two extra beds",
        session=LISBON,
        user=TRAVELLER,
        confidence=0.8,
    ),
    Taught(
        at=30,
        text="Fares over 2,000 need a quote that the customer has confirmed",
        why="A rule of the travel team",
        type="policy",
        by=OPERATOR,
    ),
    Taught(
        at=31,
        text="Refunds above 500 are decided by a person",
        why="A rule of the support team",
        type="policy",
        agent=refunds.AGENT,
        by=refunds.AGENT,
    ),
    Taught(
        at=71,
        text="Prefers an aisle seat",
        why="Said it again",
        type="preference",
        session=AGAIN,
        user=TRAVELLER,
        confidence=0.9,
    ),
    Taught(
        at=71.1,
        text=THREE,
        why="Asked for three children's meals",
        session=AGAIN,
        user=TRAVELLER,
        confidence=0.8,
        near=TWO,
    ),
    Taught(
        at=71.2,
        text="May want a travel insurance next time",
        why="Guessed it from a question about cancellation",
        type="observation",
        session=AGAIN,
        user=TRAVELLER,
        confidence=0.6,
    ),
    Taught(
        at=162.2,
        text="Cancels a whole trip when one part of it changes",
        why="User asked to cancel everything",
        type="observation",
        session=WIPED,
        user=WIPED_TRAVELLER,
        confidence=0.8,
    ),
    Taught(
        at=163.5,
        text="Stays with friends in New York, and needs no hotel there",
        why="Said so after the mix-up",
        session=WIPED,
        user=WIPED_TRAVELLER,
    ),
)


def scenes(start: datetime) -> Iterator[Scene]:
    """Yield what is taught, in no order."""
    for one in ALL:
        when = start + timedelta(hours=one.at)
        key = f"{KEY_PREFIX}:memory:{one.at}"
        yield Scene(at=when, key=key, by=one.by, perform=_teaching(one))


def _teaching(taught: Taught) -> Callable[[Stage, Act], object]:
    """Remember it, as if the model that flags near texts had been asked."""

    def performed(stage: Stage, act: Act) -> None:
        place = Place(
            scope="user" if taught.user else None,
            session_id=stage.sessions[taught.session] if taught.session else None,
            user_id=taught.user,
            agent_id=taught.agent,
        )
        new = NewMemory(
            content=taught.text,
            place=place,
            type=taught.type,
            tags=taught.tags,
            confidence=taught.confidence,
        )
        finder = Finder(act.scope, place, act.now)
        owner = finder.to_write()
        content = content_of(act, owner, new, source_of(finder, new))
        with transaction.atomic():
            near = _near(owner.document.id, taught)
            remembered(act, finder, owner, content, near, reasoning=taught.why)

    return performed


def _near(document_id: str, taught: Taught) -> tuple[Near, ...]:
    if taught.near is None:
        return ()
    words = taught.near.casefold().split()
    (other,) = Memory.objects.of([document_id]).filter(words=words)
    return (Near(id=other.id, similarity=0.93),)
