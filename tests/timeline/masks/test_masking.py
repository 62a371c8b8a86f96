"""Masking of values, whatever they are: what is covered is gone, the rest is as it was.

States are drawn at random with canaries at covered places and in covered texts.
"""

import copy
import json
import os
import re
from random import Random

import pytest
from stdnum import iban, luhn

from apps.accounts.masks import Mask, Pattern, Style
from apps.timeline.masking import HIDDEN, Masking, cards, patterns

SECRET = b"k" * 32
CANARY = "canarybird7361"
CARD, IBAN, EMAIL = "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "bob@x.org"
ROUNDS = 300


def at(pointer, style=Style.HIDE):
    return Mask(style=style, pointer=pointer)


def of(pattern, *words, style=Style.HIDE):
    return Mask(style=style, pattern=pattern, words=words)


def shown(value, *masks, shown_at=("",), secret=SECRET):
    return Masking(masks=masks, secret=secret, shown_at=shown_at).masked(value)


ALL = (
    at("/customer/card"),
    at("/**/secret"),
    at("/list/*/name"),
    of(Pattern.EMAIL),
    of(Pattern.CARD),
    of(Pattern.IBAN),
    of(Pattern.WORDS, CANARY),
)
TEXTS = (
    "",
    "plain",
    "Ähre 5",
    f"to {EMAIL}!",
    f"x{CANARY.upper()}y",
    CARD,
    f"by {IBAN} ok",
)


def drawn(random, depth=0):
    """Return a value; what is covered by `ALL` holds the canary, a card or a mail."""
    kind = random.randrange(8 if depth < 4 else 5)
    if kind == 0:
        return random.choice([None, True, False])
    if kind == 1:
        return random.choice([0, -1.5, 2**70, 4111111111111111])
    if kind < 5:
        return random.choice(TEXTS)
    if kind == 5:
        return [drawn(random, depth + 1) for _ in range(random.randrange(4))]
    keys = random.sample(["a", "b~/", CANARY, EMAIL, "secret", "*"], 3)
    return {
        key: {CANARY: [CANARY]} if key == "secret" else drawn(random, depth + 1)
        for key in keys
    }


def test_nothing_of_what_is_covered_remains_and_what_is_passed_in_is_untouched():
    random = Random(int(os.environ.get("STEPBACK_SEED", "0")))
    for _ in range(ROUNDS):
        state = {
            "customer": {"card": drawn(random), "ok": drawn(random)},
            "list": [{"name": CANARY}, {"name": [CANARY]}, drawn(random)],
            "rest": drawn(random),
        }
        before = copy.deepcopy(state)

        answer = shown(state, *ALL)

        assert state == before
        said = json.dumps(answer, ensure_ascii=False).lower()
        for gone in (CANARY, CARD, CARD.replace(" ", ""), IBAN.lower(), EMAIL):
            assert gone not in said
        assert shown(answer, *ALL) == answer
        assert answer.keys() == state.keys()
        assert len(answer["list"]) == len(state["list"])
        assert shown(state) == state


def test_a_star_is_one_member_and_two_are_any_depth():
    state = {"a": {"b": 1, "c": {"b": 2}}, "b": 3, "l": [{"b": 4}, {"c": 5}]}

    assert shown(state, at("/a/*")) == state | {"a": {"b": HIDDEN, "c": HIDDEN}}
    assert shown(state, at("/*/b"))["b"] == 3
    assert shown(state, at("/l/0/b"))["l"] == [{"b": HIDDEN}, {"c": 5}]
    assert shown(state, at("/**/b")) == {
        "a": {"b": HIDDEN, "c": {"b": HIDDEN}},
        "b": HIDDEN,
        "l": [{"b": HIDDEN}, {"c": 5}],
    }
    assert shown(state, at("/a/**")) == shown(state, at("/a/*"))
    assert shown({"x": {"a": {"y": {"b": 1}}}}, at("/**/a/**/b")) == {
        "x": {"a": {"y": {"b": HIDDEN}}}
    }
    assert shown({"": {"": 1, "x": 2}}, at("//")) == {"": {"": HIDDEN, "x": 2}}
    assert shown({"*": 1, "**": 2}, at("/*")) == {"*": HIDDEN, "**": HIDDEN}
    assert shown({"a/b": {"~": 1}}, at("/a~1b/~0")) == {"a/b": {"~": HIDDEN}}


def test_a_place_counts_where_a_state_is_shown_and_nowhere_else():
    answer = {"state": {"id": 1}, "id": 2, "data": [{"state": {"id": 3}, "id": 4}]}

    assert shown(answer, at("/id"), shown_at=["/state", "/data/*/state"]) == {
        "state": {"id": HIDDEN},
        "id": 2,
        "data": [{"state": {"id": HIDDEN}, "id": 4}],
    }


@pytest.mark.parametrize(
    ("mask", "text", "left"),
    [
        (of(Pattern.EMAIL), "Ask bob.b+1@mail.x.org, now", "Ask [masked], now"),
        (of(Pattern.EMAIL), "<Bob <bob@x.org>>", "<Bob <[masked]>>"),
        (of(Pattern.EMAIL), "@everybody a @ b", "@everybody a @ b"),
        (of(Pattern.CARD), f"card {CARD}.", "card [masked]."),
        (of(Pattern.CARD), "no4111-1111-1111-1111x", "no[masked]x"),
        (of(Pattern.CARD), f"1234 {CARD} 99", "1234 [masked] 99"),
        (of(Pattern.CARD), "4111 1111 1111 1112", "4111 1111 1111 1112"),
        (
            of(Pattern.IBAN),
            f"to {IBAN} please, in March",
            "to [masked] please, in March",
        ),
        (
            of(Pattern.IBAN),
            f"AB12 is no {IBAN.replace(' ', '')}",
            "AB12 is no [masked]",
        ),
        (
            of(Pattern.IBAN),
            "DE88 3704 0044 0532 0130 00",
            "DE88 3704 0044 0532 0130 00",
        ),
        (of(Pattern.WORDS, "Ann", "Ann Lee"), "ANN LEE, ann", "[masked], [masked]"),
        (of(Pattern.WORDS, "a.c"), "abc a.c", "abc [masked]"),
    ],
)
def test_a_pattern_finds_what_it_means_in_texts_and_keys(mask, text, left):
    assert shown([text, {text: text}], mask) == [left, {left: left}]


def test_a_number_is_masked_as_its_text_and_keys_that_are_alike_are_numbered():
    cards = {"4111111111111111": 4111111111111111, "5555555555554444": 12, "n": 1.5}

    assert shown(cards, of(Pattern.CARD)) == {
        "[masked]": "[masked]",
        "[masked] 2": 12,
        "n": 1.5,
    }


def test_the_last_four_are_shown_of_what_is_long_enough():
    state = {
        "a": "12345678",
        "b": 4111111111111111,
        "c": "1234567",
        "d": [1],
        "e": True,
    }

    assert shown(state, at("/*", Style.LAST4)) == {
        "a": "[masked …5678]",
        "b": "[masked …1111]",
        "c": HIDDEN,
        "d": HIDDEN,
        "e": HIDDEN,
    }


def test_equal_values_have_one_digest_which_another_project_has_not():
    state = {"a": "Ann", "b": "Ann", "c": "Bob", "d": {"x": 1}}

    told = shown(state, at("/*", Style.DIGEST))

    assert told["a"] == told["b"]
    assert len({*told.values()}) == 3
    assert shown(state, at("/*", Style.DIGEST), secret=b"other") != told


def test_long_texts_without_a_match_cost_one_look():
    """A search that began anew at each character would take hours for these."""
    long = 200_000
    for text in ("a" * long, "1" * long, "a@" * long, "DE12" * long, "4000 " * 9_000):
        shown(text, of(Pattern.EMAIL), of(Pattern.CARD), of(Pattern.IBAN))
    pointer = "/**" + "/**/a" * 15 + "/b"
    deep = "x"
    for _ in range(100):
        deep = {"a": deep}
    assert shown(deep, *[at(pointer)] * 100) == deep


PIECES = (
    *(EMAIL, CARD, CARD.replace(" ", ""), IBAN, CANARY, CANARY.upper(), 'say "hi"'),
    *("a\\b", "\n", "\x01", " ", "7", "é", "\u212a", "n", "secret", "card"),
)
ODD = (of(Pattern.WORDS, 'say "hi"'), at("/a/0"), at("/secret/**"), at("/a/*/card"))


def odd(random, depth=0):
    """Return a value whose texts and keys are made of what is written otherwise."""
    kind = random.randrange(6 if depth < 4 else 3)
    if kind < 2:
        return "".join(random.choices(PIECES, k=random.randrange(4)))
    if kind == 2:
        return random.choice([None, True, 4111111111111111, 7, 1.5])
    if kind == 3:
        return [odd(random, depth + 1) for _ in range(random.randrange(4))]
    keys = ("secret", "card", "a", "list", "name", *PIECES)
    return {
        random.choice(keys): odd(random, depth + 1) for _ in range(random.randrange(5))
    }


def test_what_is_masked_as_it_is_written_is_what_is_masked_as_a_value():
    random = Random(os.environ.get("STEPBACK_SEED", "13"))
    n_drawn = 0
    for _ in range(3 * ROUNDS):
        masks = random.sample([*ALL, *ODD], k=random.randrange(5))
        masking = Masking(masks=masks, secret=SECRET, shown_at=("/state",))
        answer = {"id": "x", "state": odd(random)}

        written = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        found = json.loads(masking.written(written.encode()))

        assert found == masking.masked(answer), (masks, answer)
        n_drawn += found != answer
    assert n_drawn > ROUNDS // 3


def looked_at(text):
    """Return where cards stand by asking the library of all groups of digits."""
    found = []
    for run in cards._DIGITS.finditer(text):
        groups = [one.span() for one in re.finditer("[0-9]+", run.group())]
        for first, (start, _) in enumerate(groups):
            for end in range(first, min(first + 6, len(groups))):
                stop = groups[end][1]
                digits = re.sub("[ -]", "", run.group()[start:stop])
                is_card = 13 <= len(digits) <= 19 and luhn.is_valid(digits)
                if is_card and digits[0] in "23456":
                    found.append((run.start() + start, run.start() + stop))
    return found


def ibans_looked_at(text):
    """Return where account numbers stand by looking at each sign."""
    return [
        (begin.start(), begin.start() + end)
        for begin in re.finditer(r"(?<![A-Za-z0-9])(?=[A-Za-z]{2}[0-9]{2})", text)
        for end in [length_of_iban(text[begin.start() :])]
        if end and iban.is_valid(text[begin.start() : begin.start() + end])
    ]


def length_of_iban(text):
    rest = patterns._rest_of(text[:2].upper())
    found = rest and rest.match(text, 4)
    return found.end() if found else None


# In groups as in states; beyond ASCII, and longer than a part of a text.
SIGNS = ("0123456789 ", "012345 -a", "0123456789 -é\ud800٣x", "4 -", "49-., ")


def test_cards_are_found_where_a_look_at_each_group_finds_them():
    chance = Random(os.environ.get("STEPBACK_SEED"))
    n_found = 0
    for _ in range(3_000):
        signs = chance.choice(SIGNS)
        size = chance.choice((20, 60, 700, 5_000 if chance.random() < 0.1 else 30))
        pieces = chance.choices([*signs, *([CARD] * chance.randrange(2))], k=size)
        text = "".join(pieces)
        expected = looked_at(text)
        assert list(cards.cards(text)) == expected, text
        n_found += len(expected)
    assert n_found > 1_000


def test_account_numbers_are_found_where_a_look_at_each_sign_finds_them():
    chance = Random(os.environ.get("STEPBACK_SEED"))
    pieces = [IBAN, IBAN.replace(" ", "").lower(), "DE89 ", "fr", *"x09 -é\ud800,"]
    n_found = 0
    for _ in range(2_000):
        text = "".join(chance.choices(pieces, k=chance.randrange(30)))
        expected = ibans_looked_at(text)
        assert list(patterns._ibans(text)) == expected, text
        n_found += len(expected)
    assert n_found > 1_000
