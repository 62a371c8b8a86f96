"""All open things of a kind, page by page."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.accounts.models import Project
from apps.console.pages.project.attention.items import Item, items_of
from apps.console.pages.project.attention.kinds import ABOUT, About
from apps.core.errors import InvalidRequest
from apps.timeline.queries import MOST_COUNTED, OpenPlace, list_open_items, open_counts
from apps.timeline.words import OpenKind

PAGE = 50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemPage:
    """A page of all things of one kind; `after` is where the next one begins."""

    about: About
    count: str
    items: list[Item]
    after: str | None


def all_of(
    project: Project, kind: OpenKind, *, after: str | None, now: datetime
) -> ItemPage:
    """Return a page of all open items of a kind, the newest first.

    Raises: InvalidRequest for a place that is none.
    """
    counts = open_counts(project.id, now=now)
    place = _read_place(after) if after else None
    found = list_open_items(project.id, kind, after=place, limit=PAGE, now=now)
    shown = found[:PAGE]
    return ItemPage(
        about=ABOUT[kind],
        count=counted(counts[kind]),
        items=items_of(kind, shown),
        after=_place(shown[-1].place) if len(found) > PAGE else None,
    )


def counted(count: int) -> str:
    return f"{count:,}" if count <= MOST_COUNTED else f"{MOST_COUNTED:,}+"


def _place(place: OpenPlace) -> str:
    """Encode the keyset of an item: when, which version, which session."""
    age = (place.at - EPOCH) // timedelta(microseconds=1)
    return f"{age}.{place.number}.{place.session_id}"


def _read_place(text: str) -> OpenPlace:
    """Raises: InvalidRequest for a place that is none."""
    age, _, rest = text.partition(".")
    number, _, session_id = rest.partition(".")
    try:
        at = EPOCH + timedelta(microseconds=int(age))
        return OpenPlace(at=at, number=int(number), session_id=session_id)
    except (ValueError, OverflowError):
        raise InvalidRequest("This is no place in the list.", param="after") from None
