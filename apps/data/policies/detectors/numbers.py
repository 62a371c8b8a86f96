"""Numbers with a check: cards, IBANs, social security numbers, telephones."""

import phonenumbers
from stdnum import iban, luhn
from stdnum.us import ssn

from apps.data.policies.detectors.detector import (
    MOST_CONFIRMED,
    SEPARATOR,
    Candidate,
    Detector,
    is_amid_numbers,
    stands_alone,
)

# Issuers by the first digits, with the lengths of their cards. Visa's 13 digits ended
# long ago, and are the length of EAN codes and of milliseconds since 1970.
ISSUERS: tuple[tuple[int, int, int, frozenset[int]], ...] = (
    (4, 4, 1, frozenset({16, 19})),  # Visa
    (51, 55, 2, frozenset({16})),  # Mastercard
    (2221, 2720, 4, frozenset({16})),  # Mastercard
    (34, 34, 2, frozenset({15})),  # American Express
    (37, 37, 2, frozenset({15})),  # American Express
    (6011, 6011, 4, frozenset({16, 19})),  # Discover
    (644, 659, 3, frozenset({16, 19})),  # Discover
    (300, 305, 3, frozenset({14})),  # Diners Club
    (36, 36, 2, frozenset({14})),  # Diners Club
    (38, 39, 2, frozenset({14})),  # Diners Club
    (3528, 3589, 4, frozenset({16})),  # JCB
    (620, 629, 3, frozenset({16, 17, 18, 19})),  # UnionPay
    (5018, 5018, 4, frozenset({16, 18, 19})),  # Maestro
    (5020, 5020, 4, frozenset({16, 18, 19})),  # Maestro
    (5038, 5038, 4, frozenset({16, 18, 19})),  # Maestro
    (6304, 6304, 4, frozenset({16, 18, 19})),  # Maestro
    (6759, 6763, 4, frozenset({16, 18, 19})),  # Maestro
)
# Whose national numbers are known where a label says that it is a number to call.
REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "NL", "AT", "CH", "IN", "AU", "BR", "JP")
PHONE_LABEL = (
    r"(?i:phone|telefon|(?:\b|_)(?:tel\.?|mobile|cell|fax)|whatsapp"
    r"|\b(?:call|text|reach) me(?: at| on)?)"
    r"(?i:[ _-]?(?:number|no\.?|nr\.?|#))?"
)


def is_card(candidate: Candidate) -> bool:
    """Confirm a card: Luhn's check digit, and a length that its issuer gives out."""
    digits = candidate.digits
    return (
        _issuer_has(digits)
        and len(set(digits)) > 1
        and stands_alone(candidate)
        and luhn.is_valid(digits)
    )


def _issuer_has(digits: str) -> bool:
    return any(
        low <= int(digits[:length]) <= high and len(digits) in lengths
        for low, high, length, lengths in ISSUERS
    )


def is_ssn(candidate: Candidate) -> bool:
    return stands_alone(candidate) and ssn.is_valid(candidate.digits)


def is_iban(candidate: Candidate) -> bool:
    """Confirm an IBAN: country, length and check digits.

    Groups of four may be followed by a word that looks like one more group.
    """
    if not stands_alone(candidate):
        return False
    words = candidate.value.upper().split(" ")
    return any(iban.is_valid("".join(words[:end])) for end in _ends(words))


def _ends(words: list[str]) -> range:
    return range(len(words), max(len(words) - 3, 0), -1)


def is_international_phone(candidate: Candidate) -> bool:
    number = candidate.value
    if number.startswith("00"):
        number = "+" + number[2:]
    return stands_alone(candidate) and _is_valid(number, None)


def is_american_phone(candidate: Candidate) -> bool:
    """Confirm a number as it is written in North America.

    The area code 555 is nobody's, and what people write in examples.
    """
    if not stands_alone(candidate) or is_amid_numbers(candidate):
        return False
    national = candidate.digits[-10:]
    return national.startswith("555") or _is_valid(national, "US")


def is_labelled_phone(candidate: Candidate) -> bool:
    number = candidate.value
    if not stands_alone(candidate) or len(set(candidate.digits)) == 1:
        return False
    if number.startswith("+"):
        return _is_valid(number, None)
    digits = candidate.digits
    if digits.startswith("555") and len(digits) in {7, 10}:
        return True
    return any(_is_valid(number, region) for region in REGIONS)


def _is_valid(number: str, region: str | None) -> bool:
    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_valid_number(parsed)


DETECTORS = (
    Detector(
        "card",
        r"\b(?:\d{14,19}"
        r"|\d{4}(?:-\d{4}){3}(?:-\d{3})?|\d{4}(?: \d{4}){3}(?: \d{3})?"
        r"|\d{4}(?:\.\d{4}){3}|\d{4}[ .-]\d{6}[ .-]\d{4,5})\b",
        is_card,
        most=MOST_CONFIRMED,
    ),
    Detector("ssn", r"\b\d{3}-\d{2}-\d{4}\b", is_ssn, most=MOST_CONFIRMED),
    Detector(
        "ssn",
        r"(?i:\bssn|social[ _-]?security(?:[ _-]?(?:number|no\.?|nr\.?|#))?)"
        rf"(?:{SEPARATOR}|(?i:\s(?:is|was|number is)\s)|\s)"
        r"(?P<value>\d{3}[ .-]?\d{2}[ .-]?\d{4})\b",
        is_ssn,
        most=MOST_CONFIRMED,
    ),
    Detector(
        "iban",
        r"\b(?i:[a-z]{2})\d{2}(?:(?: [A-Za-z0-9]{4}){2,7}(?: [A-Za-z0-9]{1,3})?"
        r"|[A-Za-z0-9]{11,30})\b",
        is_iban,
        most=MOST_CONFIRMED,
    ),
    Detector(
        "phone",
        r"(?:\+[ ]?|\b00)[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?"
        r"\d(?:[ ./-]?\d){5,12}\b",
        is_international_phone,
        most=MOST_CONFIRMED,
    ),
    Detector(
        "phone",
        r"(?:\b1[ .-])?(?:\([2-9]\d{2}\) ?|\b[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}\b",
        is_american_phone,
        most=MOST_CONFIRMED,
    ),
    Detector(
        "phone",
        rf"{PHONE_LABEL}(?:{SEPARATOR}|(?i:\sis\s)|\s)"
        r"(?P<value>\+?\(?\d(?:[ ()./-]{0,2}\d){6,14})\b",
        is_labelled_phone,
        # Thirteen regions are tried for each.
        most=MOST_CONFIRMED // 10,
    ),
)
