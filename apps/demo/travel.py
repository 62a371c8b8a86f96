"""The travel agent: a booking whose destination and dates an answer wiped out.

Support noticed, held the agent, stepped back and let it go on; an engineer forked the
version before the damage to reproduce it. Around it, trips where nothing went wrong.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from apps.core.json import Json, State
from apps.demo.people import ENGINEER, OPERATOR
from apps.demo.script import Story
from apps.timeline import operations as timeline

AGENT = "travel-agent"
MODEL = "claude-sonnet-4"
BEFORE, AFTER = "1.8.0", "1.8.1"
TRIPS = (
    ("Lisbon", "LIS", "TP", "Hotel Avenida Palace"),
    ("Tokyo", "HND", "NH", "The Gate Hotel Ginza"),
    ("Vancouver", "YVR", "AC", "Skwachays Lodge"),
    ("Marrakesh", "RAK", "AT", "Riad Yasmine"),
    ("Reykjavik", "KEF", "FI", "Canopy Reykjavik"),
)
PEOPLE = ("Guest A", "Guest B", "Guest C", "Guest D", "Guest E")


def stories(start: datetime) -> Iterator[Story]:
    """Yield the wiped booking, its fork, and the ordinary trips of the week."""
    yield from _wiped_booking(start)
    for index in range(len(TRIPS)):
        yield _ordinary_trip(start, index)


def _wiped_booking(start: datetime) -> list[Story]:
    story = Story(
        "booking-TRV-48213",
        agent=AGENT,
        at=start + timedelta(days=6, hours=18, minutes=2),
        model=MODEL,
        release=BEFORE,
    )
    good = _until_it_is_good(story, (start + timedelta(days=41)).date().isoformat())
    bad = _wiped(story)
    _noticed(story, good, bad)
    fork = _reproduced(story, bad - 1)
    _booked_after_all(story)
    return [story, fork]


def _until_it_is_good(story: Story, depart: str) -> int:
    back = (datetime.fromisoformat(depart) + timedelta(days=7)).date().isoformat()
    story.begin(
        {"step": "gathering_info", "order_id": "TRV-48213", "language": "en"},
        user_id="u_17",
        external_id="booking-TRV-48213",
        metadata={"title": "New York trip, two travellers", "env": "prod"},
        reasoning="Customer opened the chat from the booking page",
    )
    story.wait(seconds=40)
    story.turn(
        "Hi! I need two tickets to New York for a week.",
        "Happy to help. When would you like to leave, and from where?",
    )
    story.wait(seconds=20)
    story.update(
        {
            "step": "searching_flights",
            "user_request": "book flight",
            "destination": "NYC",
            "travellers": [
                {"id": "t1", "name": "Traveller One", "seat": None},
                {"id": "t2", "name": "Traveller Two", "seat": None},
            ],
        },
        "User provided destination",
    )
    story.wait(seconds=75)
    story.update(
        {"origin": "LHR", "dates": {"depart": depart, "return": back}},
        "User gave the dates and wants to leave from London",
    )
    story.wait(seconds=30)
    story.update({"options": _flights()}, "Cached the result of search_flights")
    story.wait(minutes=2)
    story.update(
        {"step": "confirming_booking", "flight_id": "UA123", "price": _price(1284)},
        "User selected flight UA123",
    )
    story.wait(seconds=50)
    return story.update(
        {
            "hotel": {"id": "htl_204", "name": "The Bowery", "nights": 7, "room": "K"},
            "price": _price(3012),
        },
        "Added the hotel that the user liked; waiting for confirmation",
        status="on_track",
    )


def _wiped(story: Story) -> int:
    story.wait(minutes=3)
    story.turn(
        "Actually cancel everything for the hotel, we will stay with friends.",
        "I have cancelled everything. Where would you like to go?",
        calls={"cancel_hotel": {"id": "htl_204"}, "release_fare": {"id": "UA123"}},
    )
    story.wait(seconds=1)
    bad = story.update(
        {
            "step": "gathering_info",
            "user_request": "cancel everything",
            "destination": None,
            "dates": None,
            "hotel": None,
            "price": None,
        },
        "User asked to cancel everything: cleared the trip",
    )
    story.wait(seconds=45)
    story.turn(
        "No! Only the hotel! Keep the flights!!",
        "Sorry to hear that. Which destination do you have in mind?",
    )
    story.wait(seconds=2)
    story.update({"sentiment": "frustrated"}, "User sounds frustrated")
    story.wait(seconds=30)
    story.update(
        {"options": [], "flight_id": None},
        "Options expired because the trip has no destination",
    )
    story.wait(seconds=40)
    story.update(
        {"step": "searching_flights", "destination": "Anywhere", "retries": 1},
        "Fell back to a flexible search after no destination was found",
    )
    return bad


def _noticed(story: Story, good: int, bad: int) -> None:
    story.wait(minutes=11)
    story.roll_back(
        good,
        by=OPERATOR,
        reason="The customer cancelled the hotel only. The agent nulled destination"
        f" and dates in v{bad}; back to the confirmed booking.",
        reason_code="corrupted_state",
        hold=True,
    )
    story.wait(seconds=50)
    story.label(good, "known-good", by=OPERATOR)
    story.wait(seconds=15)
    story.label(bad, "corrupted", by=OPERATOR)
    story.wait(minutes=4)
    story.hold(
        timeline.resume,
        "Told the customer what happened; the agent may go on",
        by=OPERATOR,
    )


def _reproduced(story: Story, number: int) -> Story:
    at = story.at
    story.wait(hours=4)
    fork = story.branch(
        "debug-TRV-48213",
        number,
        by=ENGINEER,
        reason="Replay 'cancel everything' with the prompt that names its scope",
        release=AFTER,
    )
    story.at = at
    fork.wait(minutes=6)
    fork.turn(
        "Actually cancel everything for the hotel, we will stay with friends.",
        "I cancelled the hotel. Your flights to New York stay as they are.",
    )
    fork.wait(seconds=2)
    fixed = fork.update(
        {"user_request": "cancel hotel", "price": _price(1284)},
        "Scope of the cancellation is the hotel: removed it, kept the trip",
        remove=["/hotel"],
    )
    fork.wait(minutes=5)
    fork.label(fixed, "fixed-prompt", by=ENGINEER)
    return fork


def _booked_after_all(story: Story) -> None:
    story.wait(minutes=1)
    story.turn(
        "Thanks. So flights yes, hotel no.",
        "Understood: flights stay, the hotel is cancelled.",
        calls={"hold_fare": {"id": "UA123"}, "email_itinerary": {"to": "u_17"}},
    )
    story.wait(seconds=3)
    story.update(
        {"user_request": "cancel hotel", "price": _price(1284)},
        "Removed the hotel after the rollback, kept destination and dates",
        remove=["/hotel"],
    )
    story.wait(minutes=2)
    story.update(
        {
            "travellers": [
                {"id": "t1", "name": "Traveller One", "seat": "21A"},
                {"id": "t2", "name": "Traveller Two", "seat": "21B"},
            ]
        },
        "User chose seats",
    )
    story.wait(minutes=1)
    story.update(
        {"step": "booked", "confirmation": "QX7L2M"},
        "Payment captured and ticket issued",
        status="completed",
    )
    story.wait(hours=5, minutes=8)
    story.turn(
        "When can I check in?",
        "Online check-in opens 24 hours before departure.",
    )


def _ordinary_trip(start: datetime, index: int) -> Story:
    city, airport, carrier, hotel = TRIPS[index]
    # The same stories every time; nothing secret is drawn.
    draw = Random(f"travel {index}")  # noqa: S311
    order = f"TRV-{48_101 + 23 * index}"
    story = Story(
        f"booking-{order}",
        agent=AGENT,
        at=start + timedelta(days=0.4 + 1.1 * index, minutes=draw.randint(0, 300)),
        model=MODEL,
        release=BEFORE,
    )
    story.begin(
        {"step": "gathering_info", "order_id": order, "language": "en"},
        user_id=f"u_{20 + index}",
        external_id=f"booking-{order}",
        metadata={"title": f"{city} trip", "env": "prod"},
        reasoning="Customer opened the chat",
    )
    for patch, reasoning in _steps(start, draw, index):
        story.wait(seconds=draw.randint(20, 200))
        story.update(patch, reasoning)
    story.wait(seconds=20)
    story.turn(
        "Perfect, thank you!",
        f"You are booked to {city} ({airport}) with {carrier}, staying at {hotel}.",
    )
    if index % 2:
        story.wait(hours=2)
        story.hold(timeline.close, "Trip booked, conversation ended")
    return story


def _steps(start: datetime, draw: Random, index: int) -> Iterator[tuple[State, str]]:
    city, airport, carrier, hotel = TRIPS[index]
    depart = (start + timedelta(days=draw.randint(25, 90))).date()
    back = depart + timedelta(days=draw.randint(4, 14))
    fare, room = draw.randint(240, 980), draw.randint(400, 1600)
    yield {"destination": airport, "user_request": f"trip to {city}"}, "User named it"
    yield (
        {"dates": {"depart": depart.isoformat(), "return": back.isoformat()}},
        "User gave the dates",
    )
    yield {"step": "searching_flights"}, "Everything needed for a search is known"
    yield (
        {"flight_id": f"{carrier}{draw.randint(100, 999)}", "price": _price(fare)},
        "User selected the direct flight",
    )
    yield (
        {"hotel": {"name": hotel, "room": "D"}, "price": _price(fare + room)},
        "User picked the hotel near the centre",
    )
    yield (
        {"travellers": [{"id": "t1", "name": PEOPLE[index], "seat": "14C"}]},
        "Took name and seat from the profile",
    )
    yield (
        {"step": "booked", "confirmation": f"{draw.randrange(16**6):06X}"},
        "Payment captured and ticket issued",
    )


def _flights() -> list[Json]:
    return [
        {"id": "UA123", "carrier": "United", "stops": 0, "price": 642},
        {"id": "BA175", "carrier": "British Airways", "stops": 0, "price": 701},
        {"id": "DL16", "carrier": "Delta", "stops": 1, "price": 588},
    ]


def _price(amount: int) -> Json:
    return {"amount": amount, "currency": "GBP"}
