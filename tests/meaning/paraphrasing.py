"""Says a reasoning of the recorded runs by other words: the questions of a proof.

Committed before anything was measured with it. Numbers and names stay, for which there
are no other words; of a long reasoning the first two sentences are asked.
"""

from __future__ import annotations

import re

OTHER_WORDS = {
    "total": "overall",
    "price": "sum to pay",
    "prices": "fares",
    "cost": "expense",
    "costs": "expenses",
    "payment": "money handed over",
    "payments": "money handed over",
    "paid": "settled",
    "pay": "settle",
    "charged": "billed",
    "flight": "trip by plane",
    "flights": "plane trips",
    "economy": "coach",
    "business": "premium",
    "basic": "lowest",
    "class": "category",
    "cabin": "seating",
    "reservation": "booked itinerary",
    "reservations": "booked itineraries",
    "booking": "purchase",
    "cheapest": "least expensive",
    "available": "on offer",
    "user": "customer",
    "user's": "customer's",
    "passenger": "traveller",
    "passengers": "travellers",
    "indicates": "says",
    "indicate": "say",
    "amount": "figure",
    "additional": "extra",
    "option": "choice",
    "options": "choices",
    "fees": "surcharges",
    "taxes": "duties",
    "discrepancy": "mismatch",
    "difference": "gap",
    "recalculate": "work out again",
    "calculate": "work out",
    "calculated": "worked out",
    "travel": "journey",
    "insurance": "cover",
    "find": "look for",
    "stop": "layover",
    "direct": "nonstop",
    "ticket": "fare",
    "certificate": "voucher",
    "card": "plastic",
    "error": "failure message",
    "canceled": "called off",
    "cancel": "call off",
    "cancellation": "calling off",
    "refund": "money back",
    "refunded": "given back",
    "correct": "right",
    "incorrect": "wrong",
    "created": "made",
    "ensure": "make sure",
    "determine": "see",
    "confirm": "double-check",
    "verify": "double-check",
    "adjust": "alter",
    "change": "alteration",
    "segment": "leg",
    "selected": "chosen",
    "bags": "luggage",
    "member": "club customer",
    "date": "day",
    "compare": "set against each other",
    "remaining": "left over",
    "balance": "credit",
    "compensation": "making up for it",
    "provided": "given",
    "delayed": "late",
    "insists": "demands",
    "details": "particulars",
    "need": "have",
    "might": "could",
    "due": "owing",
    "eligible": "entitled",
    "human": "real person",
    "agent": "clerk",
    "original": "earlier",
    "new": "other",
    "upgrading": "moving up",
    "upgrade": "move up",
    "adding": "putting in",
    "including": "together with",
    "system": "computer",
    "cheaper": "less expensive",
    "gift": "present",
    "initially": "at first",
    "cover": "meet",
    "use": "take",
    "using": "taking",
}
_WORD = re.compile(r"[A-Za-z']+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def asked_otherwise(reasoning: str) -> str:
    """Return a question for what was reasoned, with other words where there are any."""
    first = " ".join(_SENTENCE.split(reasoning)[:2])
    said = _WORD.sub(lambda found: _other(found[0]), first)
    return f"When did it think that {said}"


def _other(word: str) -> str:
    return OTHER_WORDS.get(word.lower(), word)
