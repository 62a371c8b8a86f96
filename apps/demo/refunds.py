"""The refund agent: fourteen cases of a web shop, most of them settled as they should.

One refund got a misplaced decimal point and was stepped back; one case waits, paused,
for a person; one lost the customer's address on the way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from apps.core.json import Json, State
from apps.demo.people import OPERATOR
from apps.demo.script import Story
from apps.timeline import operations as timeline

AGENT = "refund-agent"
MODEL = "gpt-4.1-mini"
RELEASE = "2.3.0"
CASES = 14
TENFOLD_CASE, PAUSED_CASE, LOSSY_CASE = 9, 12, 6

CUSTOMERS = (
    ("Customer 1", "Leeds"),
    ("Customer 2", "Turin"),
    ("Customer 3", "Kassel"),
    ("Customer 4", "Valencia"),
    ("Customer 5", "Bergen"),
    ("Customer 6", "Busan"),
    ("Customer 7", "Lagos"),
)
ITEMS = (
    ("SKU-1180", "Trail running shoes", 119),
    ("SKU-2044", "Espresso grinder", 199),
    ("SKU-3307", "Rain jacket", 89),
    ("SKU-4512", "Noise-cancelling headset", 249),
    ("SKU-5099", "Desk lamp", 54),
)
REASONS = (
    ("arrived damaged", "damaged"),
    ("does not fit", "size"),
    ("arrived two weeks late", "late"),
    ("is not what was pictured", "not_as_described"),
)


@dataclass(frozen=True, slots=True)
class _Case:
    """What is drawn for one customer."""

    order: str
    name: str
    city: str
    item: dict[str, Json]
    price: int
    complaint: str
    code: str


def stories(start: datetime) -> Iterator[Story]:
    """Yield one story per case, two a day, the last one shortly before the end."""
    for index in range(CASES):
        # The same cases every time; nothing secret is drawn.
        draw = Random(f"refunds {index}")  # noqa: S311
        case = _case(index, draw)
        story = Story(
            f"refund-{case.order}",
            agent=AGENT,
            at=start + timedelta(hours=6 + 12.2 * index, minutes=draw.randint(0, 90)),
            model=MODEL,
            release=RELEASE,
        )
        _intake(story, case, draw, index)
        _settle(story, case, draw, index)
        yield story


def _case(index: int, draw: Random) -> _Case:
    name, city = CUSTOMERS[index % len(CUSTOMERS)]
    sku, title, price = ITEMS[draw.randrange(len(ITEMS))]
    complaint, code = REASONS[index % len(REASONS)]
    return _Case(
        order=f"ORD-{77_310 + 17 * index}",
        name=name,
        city=city,
        item={"sku": sku, "title": title, "price": price, "quantity": 1},
        price=price,
        complaint=complaint,
        code=code,
    )


def _intake(story: Story, case: _Case, draw: Random, index: int) -> None:
    title = case.item["title"]
    story.begin(
        {"case": "open", "order_id": case.order, "channel": "chat"},
        user_id=f"cust_{3000 + 7 * index}",
        external_id=story.name,
        metadata={"env": "prod"},
        title=f"Refund of {title}",
        reasoning="Customer asked for a refund",
    )
    story.wait(seconds=draw.randint(5, 30))
    story.turn(
        f"My order {case.order}: the {title} {case.complaint}. I want my money back.",
        "I am sorry about that. Let me look at your order.",
    )
    for patch, reasoning in _looked_up(case, draw):
        story.wait(seconds=draw.randint(3, 45))
        story.update(patch, reasoning)


def _looked_up(case: _Case, draw: Random) -> Iterator[tuple[State, str]]:
    yield (
        {
            "customer": {
                "name": case.name,
                "address": {"city": case.city, "verified": False},
                "orders": draw.randint(1, 40),
            }
        },
        "Loaded the customer by order number",
    )
    yield (
        {"order": {"items": [case.item], "paid": case.price, "currency": "EUR"}},
        "Called get_order",
    )
    yield (
        {"reason": {"code": case.code, "text": case.complaint}},
        "Classified the complaint",
    )
    yield (
        {"policy": {"id": "returns-2026-04", "window_days": 30, "applies": True}},
        "Delivery is inside the return window",
    )
    yield (
        {"risk": {"score": round(draw.uniform(0.01, 0.35), 2), "model": "risk-4"}},
        "Called score_refund_risk",
    )


def _settle(story: Story, case: _Case, draw: Random, index: int) -> None:
    if index == PAUSED_CASE:
        _ask_a_person(story)
        return
    if index == LOSSY_CASE:
        _lose_the_address(story)
    story.wait(seconds=draw.randint(10, 60))
    good = story.update(
        {"decision": {"refund": case.price, "currency": "EUR", "by": "policy"}},
        "Full refund: the policy applies and the risk is low",
        status="on_track",
    )
    if index == TENFOLD_CASE:
        _pay_tenfold(story, case, good)
    _pay(story, case, draw, is_closed=index % 3 != 1)


def _pay(story: Story, case: _Case, draw: Random, *, is_closed: bool) -> None:
    story.wait(seconds=draw.randint(2, 20))
    refund = f"re_{draw.randrange(16**10):010x}"
    story.update(
        {"refund": {"id": refund, "amount": case.price, "status": "pending"}},
        "Called issue_refund",
    )
    story.wait(seconds=draw.randint(20, 90))
    story.update(
        {"refund": {"id": refund, "amount": case.price, "status": "paid"}},
        "The payment provider confirmed the refund",
    )
    story.wait(seconds=draw.randint(5, 20))
    story.turn(
        "When will I get it?",
        f"{case.price} EUR are on their way, in two to three working days.",
    )
    story.update({"case": "settled"}, "Customer was told", status="completed")
    if is_closed:
        story.wait(minutes=30)
        story.hold(timeline.close, "No answer for half an hour")


def _pay_tenfold(story: Story, case: _Case, good: int) -> None:
    story.wait(seconds=20)
    story.update(
        {"decision": {"refund": case.price * 10, "currency": "EUR", "by": "model"}},
        "Customer wrote the amount with two decimals; took it over",
    )
    story.wait(seconds=4)
    story.update(
        {"approval": {"needed": True, "limit": 500}},
        "Amount exceeds the limit for automatic refunds",
    )
    story.wait(minutes=6)
    story.roll_back(
        good,
        by=OPERATOR,
        reason=f"Decimal point lost: {case.price * 10} instead of {case.price} EUR.",
        reason_code="wrong_value",
    )


def _ask_a_person(story: Story) -> None:
    story.wait(seconds=12)
    story.update(
        {"risk": {"score": 0.81, "model": "risk-4", "note": "third claim in a month"}},
        "Second look at the risk after the claim history came in",
        status="at_risk",
    )
    story.wait(minutes=2)
    story.hold(
        timeline.pause,
        "Third claim in a month: I want to read the chat before money moves",
        by=OPERATOR,
    )


def _lose_the_address(story: Story) -> None:
    story.wait(seconds=9)
    story.update(
        {"customer": {"name": "Customer 6", "address": None, "orders": 3}},
        "Refreshed the customer record from the CRM",
    )
