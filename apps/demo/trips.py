"""The travel agent: trips booked in a chat, by the release that booked them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from apps.core.json import Json, State
from apps.demo.script import Story
from apps.timeline import operations as timeline

AGENT = "travel-agent"
MODEL = "claude-sonnet-4"
GOOD, BAD, FIXED = "1.8.0", "1.8.1", "1.8.2"
# The bad release took over so long before the week ended.
SHIPPED = timedelta(hours=10)
BEFORE_IT, AFTER_IT = 26, 17
CITIES = (
    ("Lisbon", "LIS", "TP", "Hotel Avenida Palace"),
    ("Tokyo", "HND", "NH", "The Gate Hotel Ginza"),
    ("Vancouver", "YVR", "AC", "Skwachays Lodge"),
    ("Marrakesh", "RAK", "AT", "Riad Yasmine"),
    ("Reykjavik", "KEF", "FI", "Canopy Reykjavik"),
    ("Oslo", "OSL", "SK", "Amerikalinjen"),
    ("Rome", "FCO", "AZ", "Hotel Artemide"),
    ("Singapore", "SIN", "SQ", "Hotel Mono"),
    ("Cape Town", "CPT", "SA", "Labotessa"),
    ("Montreal", "YUL", "AC", "Hotel Nelligan"),
    ("Athens", "ATH", "A3", "Electra Palace"),
)
ASKED = (
    "I would like to fly to {city} for {nights} nights, please.",
    "Can you find me a flight and a hotel in {city}? {nights} nights.",
    "We want to see {city} this spring, about {nights} nights.",
    "Need to be in {city} for work, {nights} nights, aisle seat.",
    "Holiday in {city}, {nights} nights, nothing too fancy.",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a trip leads: the city, how one gets there and where one stays."""

    city: str
    airport: str
    carrier: str
    hotel: str


def stories(start: datetime) -> Iterator[Story]:
    """Yield the trips where nothing went wrong: before the bad release, and with it."""
    shipped = timedelta(days=7) - SHIPPED
    for index in range(BEFORE_IT):
        at = (
            start
            + timedelta(hours=9)
            + (shipped - timedelta(hours=12)) * (index / BEFORE_IT)
        )
        yield _ordinary_trip(at, index, GOOD)
    for index in range(AFTER_IT):
        at = start + shipped + (SHIPPED - timedelta(minutes=40)) * (index / AFTER_IT)
        yield _ordinary_trip(at, BEFORE_IT + index, BAD)


def place_of(index: int) -> Place:
    """Return where the trip with this number leads."""
    return Place(*CITIES[index % len(CITIES)])


def price(amount: int) -> Json:
    """Write an amount as the agent's state keeps it."""
    return {"amount": amount, "currency": "GBP"}


def book(index: int, at: datetime, release: str) -> Story:
    """Begin a trip and tell it up to its booking, not yet confirmed."""
    # The same stories every time; nothing secret is drawn.
    draw = Random(f"travel {index}")  # noqa: S311
    place, order = place_of(index), f"TRV-{48_101 + 23 * index}"
    nights = draw.randint(3, 12)
    story = Story(f"booking-{order}", agent=AGENT, at=at, model=MODEL, release=release)
    story.begin(
        {"step": "gathering_info", "order_id": order, "language": "en"},
        user_id=f"u_{20 + index}",
        external_id=f"booking-{order}",
        metadata={"env": "prod"},
        reasoning="Customer opened the chat",
    )
    story.wait(seconds=draw.randint(5, 20))
    story.turn(
        ASKED[index % len(ASKED)].format(city=place.city, nights=nights),
        f"{place.city}, how nice. When would you like to leave?",
    )
    for patch, reasoning in _steps(at, draw, place, nights):
        story.wait(seconds=draw.randint(10, 70))
        story.update(patch, reasoning)
    return story


def _ordinary_trip(at: datetime, index: int, release: str) -> Story:
    story, place = book(index, at, release), place_of(index)
    story.wait(seconds=30)
    story.update(
        {"step": "booked", "confirmation": f"{(index + 7) * 7_919_113 % 16**6:06X}"},
        "Payment captured and ticket issued",
        status="completed",
    )
    story.wait(seconds=20)
    story.turn(
        "Perfect, thank you!",
        f"You are booked to {place.city} ({place.airport}) with {place.carrier},"
        f" staying at {place.hotel}.",
    )
    if index % 2:
        story.wait(minutes=4)
        story.hold(timeline.close, "Trip booked, conversation ended")
    return story


def _steps(
    at: datetime, draw: Random, place: Place, nights: int
) -> Iterator[tuple[State, str]]:
    depart = (at + timedelta(days=draw.randint(25, 90))).date()
    back = depart + timedelta(days=nights)
    fare, room = draw.randint(240, 980), draw.randint(400, 1600)
    yield (
        {"destination": place.airport, "user_request": f"trip to {place.city}"},
        "User named it",
    )
    yield (
        {"dates": {"depart": depart.isoformat(), "return": back.isoformat()}},
        "User gave the dates",
    )
    yield {"step": "searching_flights"}, "Everything needed for a search is known"
    yield (
        {"flight_id": f"{place.carrier}{draw.randint(100, 999)}", "price": price(fare)},
        "User selected the direct flight",
    )
    yield (
        {"hotel": {"name": place.hotel, "room": "D"}, "price": price(fare + room)},
        "User picked the hotel near the centre",
    )
    yield (
        {"step": "confirming_booking", "travellers": [{"id": "t1", "seat": "14C"}]},
        "Took the seat from the profile",
    )
