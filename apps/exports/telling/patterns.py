"""Values that are masked in texts: mail addresses, numbers of cards and accounts.

Pure. A number is one of a card by Luhn's check, of an account by ISO 7064's: digits
that only look like one stay, since they are a customer's order or a telephone.
"""

from __future__ import annotations

import re

MAIL = re.compile(
    r"(?<![\w.+-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?!\w)"
)
CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]){11,30}")
SHORTEST_ACCOUNT = 15


def masked_text(text: str) -> str:
    """Return the text with each such value replaced by what it was."""
    if "@" in text:
        text = MAIL.sub("[email]", text)
    text = ACCOUNT.sub(_account, text)
    return CARD.sub(_card, text)


def _card(found: re.Match[str]) -> str:
    digits = [int(one) for one in found[0] if one.isdigit()]
    return "[card]" if _luhn(digits) else found[0]


def _luhn(digits: list[int]) -> bool:
    doubled = [sum(divmod(2 * one, 10)) for one in digits[-2::-2]]
    return any(digits) and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _account(found: re.Match[str]) -> str:
    """Replace the longest beginning that is an account; words may follow it."""
    text = found[0]
    for end in range(len(text), SHORTEST_ACCOUNT - 1, -1):
        follows = text[end : end + 1]
        if text[end - 1] != " " and not follows.isalnum() and _is_account(text[:end]):
            return f"[iban]{text[end:]}"
    return text


def _is_account(text: str) -> bool:
    packed = text.replace(" ", "").upper()
    if len(packed) < SHORTEST_ACCOUNT or not packed.isascii():
        return False
    return int("".join(str(int(one, 36)) for one in packed[4:] + packed[:4])) % 97 == 1
