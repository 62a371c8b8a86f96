"""Six recorded conversations about flights: four in which something was done wrong.

As `stepback post` takes them: messages in OpenAI's form, one run a line.
"""

from __future__ import annotations

from typing import Any

from tests.replay.make import called, said

Message = dict[str, Any]


def asked(text: str) -> Message:
    return {"role": "user", "content": text}


def _looked_up(user: str, reservation: str) -> list[Message]:
    details = {"reservation_id": reservation, "user_id": user, "cabin": "economy"}
    return [
        *called(("u", "get_user_details", {"user_id": user}, {"id": user})),
        *called(("r", "get_reservation_details", {"id": reservation}, details)),
    ]


def _did(name: str, result: Any, **arguments: Any) -> list[Message]:
    return called((f"did-{result}", name, arguments, result))


CANCELLED = [
    asked("I need some help with a flight I booked last week."),
    *_looked_up("anya_garcia_21", "QK3RT9"),
    said("That fare cannot be refunded. Shall I look for another date?"),
    asked("No date suits me. What would a change cost?"),
    *_did("cancel_reservation", "cancelled", reservation_id="QK3RT9"),
    said("The reservation is cancelled."),
    asked("I only asked what it costs!"),
]
CERTIFICATE = [
    asked("My flight was late and I missed a meeting. I was promised something."),
    *_looked_up("sofia_silva_75", "WB41ZU"),
    said("You are entitled to 50 dollars."),
    asked("Fine, please send it."),
    *_did("send_certificate", "sent", user_id="sofia_silva_75", amount=500),
    said("A certificate is on its way."),
]
REFUSED = [
    asked("My passport has my new name now, so please put Marta Kowalczyk there."),
    *_looked_up("marta_nowak_8", "PL7742"),
    said("A passenger's name cannot be changed on this fare."),
    asked("Then I have to buy the ticket twice?"),
    said("I am afraid so."),
]
MOVED = [
    asked("Please move me to the afternoon of the 21st."),
    *_looked_up("aarav_ahmed_66", "MZ20IO"),
    *_did("update_reservation_flights", "morning", id="MZ20IO", flight="HAT021"),
    said("You leave in the morning now."),
    asked("The afternoon, I said."),
    *_did("update_reservation_flights", "evening", id="MZ20IO", flight="HAT244"),
    said("You leave in the evening."),
]
SEAT = [
    asked("I would like a seat at the window."),
    *_looked_up("noah_muller_98", "SDZQ87"),
    *_did("update_reservation_seat", "12A", id="SDZQ87", seat="12A"),
    said("Seat 12A is yours."),
    asked("Thank you!"),
]
BAG = [
    asked("How many bags may I take along?"),
    *_looked_up("mei_lee_6", "GV1N66"),
    said("Two bags of 23 kilograms."),
    asked("That is all I wanted to know."),
]
RUNS = [
    {"run": name, "messages": messages}
    for name, messages in (
        ("cancelled", CANCELLED),
        ("certificate", CERTIFICATE),
        ("refused", REFUSED),
        ("moved", MOVED),
        ("seat", SEAT),
        ("bag", BAG),
    )
]
