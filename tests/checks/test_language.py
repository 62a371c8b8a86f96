"""The text of a check: what it says, and what is refused where."""

from typing import Any

import pytest

from apps.checks import (
    CheckRefused,
    Outcome,
    evaluate,
    pointers_of,
    read_text,
    write_text,
)

ORDER: dict[str, Any] = {
    "total": 1500,
    "step": 4,
    "status": "open",
    "email": "ann@example.com",
    "destination": None,
    "tags": ["vip", "new"],
    "odd key": {"a/b": 1},
    "items": [
        {"sku": "A", "price": 0.1, "parts": [{"n": 1}]},
        {"sku": "B", "price": 0.2, "parts": []},
    ],
    "sum": 0.3,
    "when": "2026-11-24T10:00:00Z",
}


@pytest.mark.parametrize(
    "text",
    [
        "state.total<=1500",
        "/total=1500.0",
        "state.status=open",
        'state.status="open"',
        'state.status in [closed, "open"]',
        "state.tags contains vip",
        "state.status CONTAINS pe",
        "there:state.destination",
        "state.destination=null",
        "NOT there:state.nothing",
        "type:state.items=array",
        "format:state.email=email AND format:state.when=date-time",
        "size:state.items=2 and size:state.status=4",
        "sum:state.items(item.price)=state.sum",
        "unique:state.items(item.sku)",
        "EACH state.items (item.price>0 AND EACH item.parts (item.n=1))",
        'state."odd key"."a/b"=1',
        "/odd key=1 OR state.total>1",
        "(state.total<1 OR state.step>=was.step) AND state.step>was.step",
        'state.when>="2026-01-01"',
    ],
)
def test_what_is_so_holds(text: str) -> None:
    # A pointer ends at white space; its key is no place then, but the rest holds.
    if text.startswith("/odd"):
        with pytest.raises(CheckRefused):
            read_text(text)
        return
    verdict = evaluate(read_text(text), ORDER, before={"step": 3})

    assert verdict.outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    "text",
    [
        "state.total<1500",
        'state.total="1500"',
        "state.nothing=null",
        "state.nothing<=1",
        "state.status>1",
        "state.tags=vip",
        "sum:state.tags=0",
        "unique:state.items(item.nothing)",
        "EACH state.status (item=1)",
        "EACH state.items (item.parts CONTAINS 1)",
        "format:state.total=number",
        "state.step>was.nothing",
        "size:state.total>0",
    ],
)
def test_what_is_missing_or_of_another_type_fails(text: str) -> None:
    verdict = evaluate(read_text(text), ORDER, before={"step": 3})

    assert verdict.outcome is Outcome.FAILS


DATES = {
    True: ("2026-01-31", "0000-02-29", "2024-02-29"),
    False: ("2026-W01-1", "2026-031", "20260131", "2026-02-29", "\uff12026-01-31", ""),
}
MOMENTS = {
    True: (
        *("2026-01-31T10:00:00Z", "2026-01-31t10:00:00.123456789z"),
        *("2026-01-31 10:00:00-00:00", "1998-12-31T23:59:60Z"),
        *("1998-12-31T15:59:60-08:00", "1999-01-01T01:29:60+01:30"),
    ),
    False: (
        *("2026-W01-1T10:00:00Z", "2026-01-31T10:00Z", "2026-01-31T10Z"),
        *("2026-01-31T10:00:00", "2026-01-31T10:00:00,5Z", "2026-01-31T10:00:00.Z"),
        *("2026-01-31T10:00:00+0100", "2026-01-31T10:00:00+01:00:30"),
        *("2026-01-31T24:00:00Z", "2026-01-31T10:60:00Z", "2026-01-31T12:00:60Z"),
        *("2026-01-31T23:59:60+01:00", "2026-01-31T10:00:61Z"),
        *("2026-02-29T10:00:00Z", "2026-01-31T10:00:00+24:00", "20260131T100000Z"),
        *("2026-01-31T10:00:00Z\n", "2026-01-31T10:00:00+01:60", "10:00:00Z"),
    ),
}


@pytest.mark.parametrize(
    ("name", "text", "is_so"),
    [
        (name, text, is_so)
        for name, texts in (("date", DATES), ("date-time", MOMENTS))
        for is_so, some in texts.items()
        for text in some
    ]
    + [("url", "http://a:65535/", True), ("url", "http://a:99999/", False)],
)
def test_dates_and_times_are_those_of_rfc_3339(
    name: str, text: str, is_so: bool
) -> None:
    verdict = evaluate(read_text(f"format:state.at={name}"), {"at": text})

    assert (verdict.outcome is Outcome.HOLDS) is is_so


def test_a_first_version_has_nothing_before_it() -> None:
    assert evaluate(read_text("NOT there:was"), {}).outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    ("text", "position", "suggestion"),
    [
        ("", 0, None),
        ("state.total", 11, None),
        ("total<5", 0, "state.total"),
        ("state.a=1 AND state.b=2 OR state.c=3", 24, None),
        ("sise:state.items<3", 0, "size:"),
        ("type:state.a=strung", 13, "string"),
        ('state.a="open', 8, None),
        ("state.a=1 state.b=2", 10, None),
        ("state.a in []", 12, None),
        ("item.a=1", 0, None),
        ("unique:state.items(state.sku)", 19, None),
        ("EACH state.a (EACH item.b (EACH item.c (item=1)))", 39, None),
        ("state.a=1e999", 8, None),
        ("state.url=http://x", 10, None),
        ("/a~2=1", 0, None),
        ("NOT " * 17 + "state.a=1", 68, None),
        (" AND ".join(["state.a=1"] * 65), 64 * 14, None),
        ("state.a=" + "x" * 501, 8, None),
        ("state.a=" + "9" * 600, 8, None),
        ("state.a=1" + " " * 4_000, 0, None),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(
    text: str, position: int, suggestion: str | None
) -> None:
    with pytest.raises(CheckRefused) as refused:
        read_text(text)

    assert refused.value.where.position == position
    assert refused.value.suggestion == suggestion


def test_a_key_with_a_nul_is_written_without_one() -> None:
    check = read_text(r'state."a\u0000b"=1')

    text = write_text(check)

    assert text == r'state."a\u0000b"=1'
    assert read_text(text) == check


def test_it_names_lists_and_not_what_is_in_them() -> None:
    check = read_text(
        "EACH state.items (item.a=1) AND state.b>=was.b AND sum:/c(item.d)<size:/e"
    )

    assert pointers_of(check) == ("/b", "/c", "/e", "/items")
