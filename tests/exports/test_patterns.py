"""Values that are masked in texts, and what only looks like one."""

import json

import pytest

from apps.exports.telling.masking import masked
from apps.exports.telling.patterns import masked_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Mail ann.lee+x@mail.example.org.", "Mail [email]."),
        ("Card 4111 1111 1111 1111, please", "Card [card], please"),
        ("4111-1111-1111-1111", "[card]"),
        ("to GB82 WEST 1234 5698 7654 32 today", "to [iban] today"),
        ("DE89370400440532013000", "[iban]"),
    ],
)
def test_addresses_cards_and_accounts_are_masked(text: str, shown: str) -> None:
    assert masked_text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Order 4111 1111 1111 1112",
        "DE88370400440532013000",
        "at 12:30 @home",
        "0000000000000000",
        "Reservation EHGLP3 of mia_li_3668",
    ],
)
def test_what_fails_its_check_stays(text: str) -> None:
    assert masked_text(text) == text


def test_json_in_a_text_stays_json() -> None:
    text = json.dumps({"a\nann@mail.example": ["\nben@mail.example"]})
    hidden = masked({"arguments": text, "card": 4111111111111111, "n": 12})
    assert isinstance(hidden, dict)
    assert json.loads(str(hidden["arguments"])) == {"a\n[email]": ["\n[email]"]}
    assert (hidden["card"], hidden["n"]) == ("[card]", 12)


def test_names_that_are_masked_alike_are_numbered_and_none_is_lost() -> None:
    people = {
        "ann@mail.example": 1,
        "[email] 2": 2,
        "ben@mail.example": {"4111111111111111": "a", "4111 1111 1111 1111": "b"},
    }

    hidden = {
        "[email]": 1,
        "[email] 2": 2,
        "[email] 3": {"[card]": "a", "[card] 2": "b"},
    }
    assert masked(people) == hidden
    told = masked({"arguments": json.dumps(people)})
    assert isinstance(told, dict)
    assert json.loads(str(told["arguments"])) == hidden
