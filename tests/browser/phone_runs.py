"""Six conversations about flights: four in which something was done wrong.

As `stepback post` takes them: messages in OpenAI's form, one run a line. They are made
by hand; where there are recorded runs, the same six are found among those by what they
contain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.replay import runs
from tests.replay.calls import Call, calls, does, named
from tests.replay.make import called, said
from tests.replay.runs import Run
from tests.replay.steps import Step, steps

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Story:
    """A call: what is said, and what the page it leads to has to show.

    `pane` stands in the version of the deed, `main` anywhere on the page; `entries` are
    as many versions that say so. `is_fine`: that nothing looks wrong is the answer.
    """

    run: str
    says: str
    pane: Sequence[str] = ()
    main: Sequence[str] = ()
    entries: tuple[str, int] | None = None
    is_fine: bool = False


NAMES = ("cancelled", "certificate", "refused", "moved", "fine", "untouched")
MADE = {
    "cancelled": Story(
        run="cancelled",
        says="QK3RT9",
        pane=("cancel_reservation", "/called/2"),
        main=("last week",),
    ),
    "certificate": Story(
        run="certificate", says="sofia_silva_75", pane=("send_certificate", "500")
    ),
    "refused": Story(
        run="refused",
        says='"please put Marta Kowalczyk there"',
        main=("please put Marta Kowalczyk there", "cannot be changed on this fare"),
        is_fine=True,
    ),
    "moved": Story(
        run="moved",
        says="MZ20IO",
        pane=("HAT244",),
        entries=("Called update_reservation_flights", 2),
    ),
    "fine": Story(run="seat", says="noah_muller_98", is_fine=True),
    "untouched": Story(run="bag", says="GV1N66", is_fine=True),
}
# What customers say who want a name changed; how much is quoted, and seen of it.
_RENAMING = re.compile(r"(?=.*\b(?:name|passenger)\b)(?=.*\bchange\b)", re.I | re.S)
_QUOTED, _SEEN = 90, 45


def recorded(path: Path) -> dict[str, Story]:
    """Find the same stories among recorded runs.

    Raises: LookupError for one that none of them tells.
    """
    found = _Recorded(path)
    told = {name: next(getattr(found, name)(), None) for name in NAMES}
    if missing := [name for name, story in told.items() if story is None]:
        raise LookupError(f"No recorded run tells of: {', '.join(missing)}.")
    return {name: story for name, story in told.items() if story is not None}


class _Recorded:
    """The recorded runs, and the calls that they give rise to."""

    def __init__(self, path: Path) -> None:
        told = list(runs.read(path))
        self.runs: dict[str, Run] = {run.name: run for run in told}
        self.steps: dict[str, list[Step]] = {run.name: list(steps(run)) for run in told}
        self.calls = [call for call in calls(told) if call.kind != "quote"]

    def cancelled(self) -> Iterator[Story]:
        """Yield what was cancelled in a run that failed."""
        for call, deeds in self._done("reservation", is_good=False):
            if deeds == ["cancel_reservation"]:
                yield Story(
                    run=call.run, says=call.said, pane=("cancel_reservation", call.said)
                )

    def certificate(self) -> Iterator[Story]:
        """Yield a certificate that was sent in a run that failed."""
        for call, deeds in self._done("user", is_good=False):
            if deeds == ["send_certificate"] and self._is_last(call):
                yield Story(
                    run=call.run, says=call.said, pane=("send_certificate", call.said)
                )

    def refused(self) -> Iterator[Story]:
        """Yield what a customer asked for who wanted a name changed, in vain."""
        for name, run in self.runs.items():
            if self._deeds(name):
                continue
            for message in run.messages:
                text = " ".join(str(message.get("content")).split())
                if message["role"] == "user" and _RENAMING.match(text):
                    quote = text[:_QUOTED].rpartition(" ")[0]
                    yield Story(run=name, says=json.dumps(quote), main=(quote[:_SEEN],))

    def moved(self) -> Iterator[Story]:
        """Yield a reservation that was changed more than once."""
        for call, deeds in self._done("reservation"):
            if len(deeds) > 1 and "update_reservation_flights" in deeds:
                begin = "update_reservation"
                n = sum(
                    any(one.name.startswith(begin) for one in step.calls)
                    for step in self.steps[call.run]
                )
                yield Story(
                    run=call.run,
                    says=call.said,
                    pane=(deeds[-1],),
                    entries=(f"Called {begin}", n),
                )

    def fine(self) -> Iterator[Story]:
        """Yield a reservation with which all went as it should."""
        for call, _ in self._done("reservation", is_good=True):
            yield Story(run=call.run, says=call.said, is_fine=True)

    def untouched(self) -> Iterator[Story]:
        """Yield what was only looked at, in a run that went as it should."""
        for call in self.calls:
            if call.number is None and self._is_good(call):
                yield Story(run=call.run, says=call.said, is_fine=True)

    def _done(
        self, kind: str, *, is_good: bool | None = None
    ) -> Iterator[tuple[Call, list[str]]]:
        """Yield the calls about a thing to which something was done, and by what.

        Those first of which one run alone did anything: it is what is meant.
        """
        for call in sorted(self.calls, key=self._n_doing):
            if call.kind != kind or call.number is None:
                continue
            if is_good in (None, self._is_good(call)):
                yield call, self._deeds(call.run, call.said)

    def _deeds(self, run: str, about: str | None = None) -> list[str]:
        return [
            one.name
            for step in self.steps[run]
            for one in step.calls
            if does(one) and about in (None, *named(one))
        ]

    def _n_doing(self, call: Call) -> int:
        return sum(bool(self._deeds(run, call.said)) for run in self.runs)

    def _is_good(self, call: Call) -> bool:
        return self.runs[call.run].facts["reward"] == 1

    def _is_last(self, call: Call) -> bool:
        """Say whether no later call of a tool names the thing."""
        assert call.number is not None
        later = self.steps[call.run][call.number :]
        return not any(call.said in named(one) for step in later for one in step.calls)
