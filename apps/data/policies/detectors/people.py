"""Text about people: e-mail and street addresses, labelled names, dates of birth.

Names and addresses are found only where a label says what they are, or the form does:
a list of names would flag every Paris and every Mark, and miss most of the world's.
"""

from apps.data.policies.detectors.detector import SEPARATOR, Candidate, Detector
from apps.data.policies.detectors.vocabulary import FILES, NOT_NAMES, NOT_STREETS
from apps.data.policies.expressions import Expression

NAME_LABEL = (
    r"(?i:(?:first|last|middle|full|given|family|maiden|legal)[ _-]?name|surname"
    r"|(?:customer|client|patient|passenger|guest|contact|employee|cardholder"
    r"|card[ _-]?holder|account[ _-]?holder|recipient|tenant)(?:'s)?[ _-]?name)"
)
WORD = r"\p{L}[\p{L}\p{M}'\x{2019}]*[.]?"
NAME = rf"{WORD}(?:[ -]{WORD}){{0,3}}"
MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
YEAR = r"(?:19|20)\d{2}"
DATE = (
    rf"{YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:{YEAR}|\d{{2}})"
    rf"|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? {YEAR}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of )?{MONTH},? {YEAR}|{YEAR}[01]\d[0-3]\d"
)
SUFFIX = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl"
    r"|Square|Sq|Terrace|Ter|Way|Circle|Cir|Parkway|Pkwy|Highway|Hwy|Trail|Crescent)"
)
AFTER_STREET = Expression(
    r"^(?:\.?(?:$|[\s]*[,;:\"'\\)<\]}\n]|\s+(?i:apt|apartment|suite|ste|unit|floor|fl|#)"
    r"|\s+(?:N|S|E|W|NE|NW|SE|SW)\b"
    r"|\s+(?:in|near|and|at|is|as|for|to|from|on|but|with|or|if)\b"
    r"|\s+\p{Lu}[\p{L} ]{2,24},? [A-Z]{2},? \d{5})|\.\s)"
)
STREET_PARTS = Expression(r"(?:^\d{1,5}[ ,]+\p{L}|\p{L}{3,}[ ,]+\d{1,5}\b)")


def is_email(candidate: Candidate) -> bool:
    """Confirm an address: no file, no repository, no host with its password before."""
    local, _, domain = candidate.value.rpartition("@")
    last = domain.rpartition(".")[2].lower()
    if len(last) < 2 or last in FILES or len(local) > 64 or len(domain) > 253:
        return False
    # `git@github.com:owner/name`, `ssh://git@host.com/name`, `https://u:p@host.com`
    return not (_is_path(candidate.after) or _is_host(candidate.before))


def _is_path(after: str) -> bool:
    return after[:1] == ":" and (after[1:2].isalpha() or after[1:2] in {"~", "/"})


def _is_host(before: str) -> bool:
    """Tell whether this stands where an address of the web has name and password."""
    _, scheme, user = before.rpartition("://")
    return bool(scheme) and not any(char.isspace() or char in "/?#" for char in user)


def is_name(candidate: Candidate) -> bool:
    """Confirm a labelled name: in quotes any, else one that begins with a capital."""
    if not _is_name(candidate) or candidate.after[:1] in {"/", "_", "@", ":", "("}:
        return False
    quoted = candidate.before[-1:] in {'"', "'"}
    return quoted or candidate.value[0].isupper()


def is_introduction(candidate: Candidate) -> bool:
    return _is_name(candidate)


def _is_name(candidate: Candidate) -> bool:
    first = candidate.value.replace("-", " ").split(" ")[0].strip(".'")
    return first.lower() not in NOT_NAMES


def is_street(candidate: Candidate) -> bool:
    """Confirm a street: its number stands alone, and it ends where an address may."""
    if candidate.before[-1:].isalnum() or candidate.before[-1:] in {".", "-", "$", "/"}:
        return False
    words = candidate.value.lower().replace(",", " ").split()
    if words[1] in NOT_STREETS:
        return False
    return AFTER_STREET.first(candidate.after.encode()) is not None


def has_street_parts(candidate: Candidate) -> bool:
    return STREET_PARTS.first(candidate.value.encode()) is not None


DETECTORS = (
    Detector(
        "email",
        r"[\p{L}\p{N}._%+'-]+@(?:[\p{L}\p{N}][\p{L}\p{N}-]*\.)+(?:xn--[a-z0-9-]+|\p{L}+)",
        is_email,
    ),
    Detector(
        "name",
        rf"{NAME_LABEL}{SEPARATOR}(?P<value>{NAME})",
        is_name,
        hides_shape=True,
    ),
    Detector(
        "name",
        rf"(?i:\bmy (?:full |first |last |given |family )?name(?:'s| is)|\bi am called)"
        rf"[:,]? [\"']?(?P<value>{NAME})",
        is_introduction,
        hides_shape=True,
    ),
    Detector(
        "birth_date",
        r"(?i:date[ _-]?of[ _-]?birth|birth[ _-]?dat(?:e|um)|birth[ _-]?day"
        r"|geburtsdatum|\bd\.?o\.?b\b\.?|\bborn)"
        rf"[\s\"'\\:=()*,-]{{0,12}}(?:(?i:is|was|on)\s{{1,3}})?(?P<value>{DATE})\b",
    ),
    Detector(
        "address",
        r"(?P<value>\d{1,5}[A-Za-z]?,? (?:[NSEW]\.? )?"
        r"(?:\p{Lu}[\p{L}'\x{2019}.-]*|\d{1,3}(?:st|nd|rd|th))"
        rf"(?: (?:\p{{Lu}}[\p{{L}}'\x{{2019}}.-]*|of|the)){{0,3}} {SUFFIX})\b",
        is_street,
    ),
    Detector(
        "address",
        r"(?P<value>\d{2,5} [a-z]+ (?:street|avenue|boulevard))\b",
        is_street,
    ),
    Detector("address", r"(?i:\bp\.? ?o\.? ?box (?:no\.? )?)\d{1,6}\b"),
    Detector(
        "address",
        r"\p{Lu}[\p{L}-]+(?:(?:stra\x{df}e|strasse|str\.|gasse|allee) \d{1,4} ?[a-z]?"
        r"|[ -]?(?:Stra\x{df}e|Strasse) \d{1,4} ?[a-z]?"
        r"|(?:platz|weg|ufer|damm) \d{1,4} ?[a-z]?,? \d{5})\b",
    ),
    Detector(
        "address",
        r"\b\d{1,4}(?: ?(?:bis|ter))?,? (?i:rue|avenue|boulevard|chemin|impasse"
        r"|all\x{e9}e|quai|cours) (?:de la |de l['\x{2019}]|d['\x{2019}]|de |du |des "
        r"|la |le |les )\p{Lu}[\p{L}-]+",
    ),
    Detector(
        "address",
        r"\b(?:Calle|Avenida|Avda\.|Paseo|Plaza|Via|Viale|Piazza|Corso) "
        r"(?:(?:de|del|della|di|la|las|los) ){0,2}\p{Lu}\p{L}+(?: \p{L}+){0,3}"
        r", \d{1,4}\b",
    ),
    Detector(
        "address",
        r"(?i:street[ _-]?address|address[ _-]?(?:line)?[ _-]?1|"
        r"(?:home|postal|mailing|billing|shipping|delivery)[ _-]?address|\bstreet)"
        rf"{SEPARATOR}(?P<value>[\p{{L}}\p{{N}} .,'-]+)",
        has_street_parts,
    ),
)
