"""The bookings that a release wiped out, and what became of them.

Release 1.8.1 of the travel agent clears the whole trip when a customer cancels only the
hotel. One customer's story is told in full: support noticed, held the agent, stepped
back and let it go on; an engineer forked the version before the damage to reproduce it
with the next release. Of the others most were stepped back too, one customer waits.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from apps.core.json import Json, State
from apps.demo.people import ENGINEER, OPERATOR
from apps.demo.script import Story
from apps.demo.trips import AGENT, BAD, FIXED, MODEL, book, place_of, price
from apps.timeline import operations as timeline

# What the release leaves of a trip.
CLEARED: State = {"destination": None, "dates": None, "hotel": None, "price": None}
# When each of the others began, in hours before the week ended, and after how many
# minutes somebody stepped it back; None is a customer who still waits.
OTHERS = ((9.2, 34), (7.6, 21), (3.1, 12), (0.8, None))


def stories(start: datetime) -> Iterator[Story]:
    """Yield the customer's story and its fork, then the others."""
    yield from _wiped_booking(start)
    end = start + timedelta(days=7)
    for index, (hours, minutes) in enumerate(OTHERS):
        yield _another(end - timedelta(hours=hours), index, minutes)


def _wiped_booking(start: datetime) -> list[Story]:
    story = Story(
        "booking-TRV-48213",
        agent=AGENT,
        at=start + timedelta(days=6, hours=18, minutes=2),
        model=MODEL,
        release=BAD,
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
        metadata={"env": "prod"},
        title="London to New York for two",
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
        {"step": "confirming_booking", "flight_id": "UA123", "price": price(1284)},
        "User selected flight UA123",
    )
    story.wait(seconds=50)
    return story.update(
        {
            "hotel": {"id": "htl_204", "name": "The Bowery", "nights": 7, "room": "K"},
            "price": price(3012),
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
            **CLEARED,
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
        release=FIXED,
    )
    story.at = at
    fork.wait(minutes=6)
    fork.turn(
        "Actually cancel everything for the hotel, we will stay with friends.",
        "I cancelled the hotel. Your flights to New York stay as they are.",
    )
    fork.wait(seconds=2)
    fixed = fork.update(
        {"user_request": "cancel hotel", "price": price(1284)},
        "Scope of the cancellation is the hotel: removed it, kept the trip",
        remove=["/hotel"],
    )
    fork.wait(minutes=5)
    fork.label(fixed, "fixed-prompt", by=ENGINEER)
    fork.label(fixed, "known-good", by=ENGINEER)
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
        {"user_request": "cancel hotel", "price": price(1284)},
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
    booked = story.update(
        {"step": "booked", "confirmation": "QX7L2M"},
        "Payment captured and ticket issued",
        status="completed",
    )
    story.wait(minutes=3)
    story.label(booked, "known-good", by=OPERATOR)
    story.wait(hours=5, minutes=8)
    story.turn(
        "When can I check in?",
        "Online check-in opens 24 hours before departure.",
    )


def _another(at: datetime, index: int, minutes: int | None) -> Story:
    """Tell of a booking wiped out; without minutes nobody has stepped it back."""
    number = 100 + index
    story = book(number, at, BAD)
    good = story.number
    story.wait(minutes=2)
    story.turn(
        "Sorry, please cancel only the hotel. We found a flat.",
        "I have cancelled your trip. Where would you like to go?",
        calls={"cancel_hotel": {"city": place_of(number).city}},
    )
    story.wait(seconds=1)
    story.update(
        {"step": "gathering_info", **CLEARED},
        "User asked to cancel: cleared the trip",
    )
    story.wait(seconds=40)
    story.turn("The HOTEL. Where are my flights?", "Which destination do you mean?")
    story.wait(seconds=2)
    if minutes is None:
        story.update(
            {"escalated": True, "sentiment": "angry"},
            "User asked for a person",
            status="WAITING_FOR_HUMAN",
        )
        return story
    story.update({"sentiment": "frustrated"}, "User sounds frustrated")
    story.wait(minutes=minutes)
    story.roll_back(
        good,
        by=OPERATOR,
        reason="1.8.1 again: only the hotel was to be cancelled",
        reason_code="corrupted_state",
    )
    return story


def _flights() -> list[Json]:
    return [
        {"id": "UA123", "carrier": "United", "stops": 0, "price": 642},
        {"id": "BA175", "carrier": "British Airways", "stops": 0, "price": 701},
        {"id": "DL16", "carrier": "Delta", "stops": 1, "price": 588},
    ]
