"""Lists: the envelope, and parameters that are refused by name."""

from datetime import UTC, datetime
from typing import Any

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from apps.core import paging
from apps.core.errors import InvalidRequest


def make_request(query: str) -> Request:
    return Request(APIRequestFactory().get(f"/v1/things?{query}"))


def test_a_page_says_that_there_is_more_without_showing_it() -> None:
    page = paging.page(["a", "b", "c"], 2, lambda item: item)

    assert page == {
        "object": "list",
        "data": ["a", "b"],
        "has_more": True,
        "first_id": "a",
        "last_id": "b",
    }


def test_an_empty_page_has_no_ids() -> None:
    page = paging.page([], 20, str)

    assert (page["first_id"], page["last_id"], page["has_more"]) == (None, None, False)


def test_a_page_renders_only_what_it_shows() -> None:
    shown: list[int] = []

    paging.page([1, 2, 3], 2, str, show=shown.append)

    assert shown == [1, 2]


@pytest.mark.parametrize(
    ("query", "limit"), [("", 20), ("limit=1", 1), ("limit=100", 100)]
)
def test_it_reads_the_limit(query: str, limit: int) -> None:
    assert paging.limit_of(make_request(query)) == limit


@pytest.mark.parametrize(
    "text",
    ["0", "-1", "NaN", "1000000000", "101", "", "1.5", "1e1", "%D9%A1", "9" * 5000],
)
def test_it_refuses_a_limit_out_of_bounds(text: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        paging.limit_of(make_request(f"limit={text}"))

    assert refused.value.param == "limit"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T12:00", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31 12:00", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:00:00z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:00:00.5", datetime(2026, 1, 31, 12, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-01-31T12:00:00%2B02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31T12:00:00+02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        (
            "2026-01-31T12:00:00.123456789-0130",
            datetime(2026, 1, 31, 13, 30, 0, 123456, tzinfo=UTC),
        ),
    ],
)
def test_it_reads_moments(text: str, moment: datetime) -> None:
    assert (
        paging.moment_of(make_request(f"created_after={text}"), "created_after")
        == moment
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "10000-01-01",
        "2026-13-01",
        "2026-02-30",
        "1767225600",
        "2026-W01-1",
        "20260131",
        "0001-01-01T00:00:00%2B14:00",
        "9999-12-31T23:59:59-14:00",
        "2026-01-31T25:00",
        "2026-01-31T12:00:00%2B99:00",
        "NaN",
        "%00",
    ],
)
def test_it_refuses_what_is_no_moment(text: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        paging.moment_of(make_request(f"created_after={text}"), "created_after")

    assert refused.value.param == "created_after"


def test_it_reads_a_json_object() -> None:
    request = make_request("metadata=%7B%22tier%22%3A%22gold%22%7D")

    assert paging.json_object_of(request, "metadata") == {"tier": "gold"}


@pytest.mark.parametrize(
    "text", ["", "%7B", "[]", "1", "null", '{"a":NaN}', '{"a":1,"a":2}']
)
def test_it_refuses_what_is_no_json_object(text: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        paging.json_object_of(make_request(f"metadata={text}"), "metadata")

    assert refused.value.param == "metadata"


@pytest.mark.parametrize("text", ["a%00b", "x" * 1001])
def test_it_refuses_text_that_the_database_cannot_compare(text: str) -> None:
    with pytest.raises(InvalidRequest):
        paging.text_of(make_request(f"user_id={text}"), "user_id")


@pytest.mark.parametrize(
    ("query", "flag"),
    [("", False), ("all=true", True), ("all=0", False), ("all=True", True)],
)
def test_it_reads_flags(query: str, flag: bool) -> None:
    assert paging.flag_of(make_request(query), "all") is flag


@pytest.mark.parametrize(
    "read",
    [
        lambda request: paging.moment_of(request, "x"),
        lambda request: paging.text_of(request, "x"),
        lambda request: paging.json_object_of(request, "x"),
        lambda request: paging.integer_of(request, "x", minimum=0, maximum=9),
    ],
)
def test_what_is_not_given_is_none(read: Any) -> None:
    assert read(make_request("")) is None
