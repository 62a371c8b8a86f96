"""Secrets: keys and tokens by their issuers' prefixes, passwords where labelled."""

from apps.data.policies.detectors.detector import SEPARATOR, Candidate, Detector
from apps.data.policies.detectors.vocabulary import NOT_PASSWORDS
from apps.data.policies.expressions import Expression

CHAR = r"[A-Za-z0-9_-]"
REFERENCE = Expression(
    r"^(?:[${<%(\[*]|\\?[\"']?$|(?:os|settings|self|config|cfg|env|environ|process"
    r"|secrets|vault|args|request|data|getenv|get|input|getpass)[.(\[]|\*{3,}|[xX]{4,}$"
    r"|\.{3}|\[?REDACTED|[A-Za-z_.]+\()"
)


def has_letters_and_digits(candidate: Candidate) -> bool:
    """Confirm a token: random text has both; `sk-learn-contrib` and words have not."""
    value = candidate.value
    return any(char.isdigit() for char in value) and any(map(str.isalpha, value))


def is_assigned_token(candidate: Candidate) -> bool:
    return has_letters_and_digits(candidate) and not _is_reference(candidate.value)


def is_random(candidate: Candidate) -> bool:
    """Confirm a key without a dash for every few letters: names of things have those.

    Keys that people make up for examples (`sk-1234567890abcdef`) count.
    """
    pieces = candidate.value.replace("_", "-").split("-")
    longest = max(pieces, key=len)
    return len(longest) >= 12 and any(char.isdigit() for char in longest)


def is_password(candidate: Candidate) -> bool:
    """Confirm what is assigned to a password: in quotes any, else no word of prose."""
    value = candidate.value.rstrip(".,;")
    if len(value) < 4 or _is_reference(value):
        return False
    if value.lower().strip("\"'") in NOT_PASSWORDS:
        return False
    after = candidate.after[:1]
    if candidate.before[-1:] in {'"', "'"}:
        return after in {'"', "'", "\\"}
    if "=" in candidate.before[-4:]:
        return True
    return _mixes(value) or after in {"", "\n", "\r"}


def is_told_password(candidate: Candidate) -> bool:
    """Confirm `the password is …`: no word of prose mixes letters with something."""
    value = candidate.value.rstrip(".,;!?\"'")
    return len(value) >= 4 and _mixes(value) and not _is_reference(value)


def is_connection(candidate: Candidate) -> bool:
    """Confirm credentials in an address: not a place-holder for them."""
    return not _is_reference(candidate.value)


def _is_reference(value: str) -> bool:
    return REFERENCE.first(value.encode()) is not None


def _mixes(value: str) -> bool:
    letters = any(map(str.isalpha, value))
    return letters and any(not char.isalpha() and char not in "'-." for char in value)


DETECTORS = (
    Detector(
        "private_key", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    ),
    Detector("aws_key", r"\b(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ANVA|AIPA)[A-Z0-9]{16}\b"),
    Detector(
        "aws_key",
        r"(?i:aws_?secret_?(?:access_?)?key|secret_?access_?key)"
        rf"{SEPARATOR}(?P<value>[A-Za-z0-9/+]{{40}})(?:[^A-Za-z0-9/+]|$)",
        has_letters_and_digits,
    ),
    Detector("api_key", rf"\bsk-(?P<value>{CHAR}{{16,}})", is_random),
    Detector("api_key", r"\b(?:sb|anc)_[A-Za-z0-9]{24,}\b", has_letters_and_digits),
    Detector(
        "api_key",
        r"(?i:api[ _-]?key|api[ _-]?secret|api[ _-]?token|secret[ _-]?key|x-api-key)"
        rf"{SEPARATOR}(?P<value>[A-Za-z0-9_+/.~=-]{{16,}})",
        is_assigned_token,
    ),
    Detector("github_token", r"\bgh[opsur]_[A-Za-z0-9]{36,}\b"),
    Detector("github_token", r"\bgithub_pat_[A-Za-z0-9_]{22,}\b"),
    Detector("gitlab_token", rf"\bglpat-{CHAR}{{20,}}"),
    Detector(
        "slack_token",
        r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}",
        has_letters_and_digits,
    ),
    Detector(
        "slack_token",
        r"\bhooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,}/[A-Z0-9]{6,}/[A-Za-z0-9]{16,}",
    ),
    Detector("google_key", rf"\bAIza{CHAR}{{35}}"),
    Detector(
        "stripe_key",
        r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}\b",
        has_letters_and_digits,
    ),
    Detector("stripe_key", r"\bwhsec_[A-Za-z0-9+/=]{20,}", has_letters_and_digits),
    Detector("oauth_token", rf"\bya29\.{CHAR}{{20,}}"),
    Detector("oauth_token", rf"\bGOCSPX-{CHAR}{{20,}}"),
    Detector("oauth_token", rf"\b1//0{CHAR}{{20,}}"),
    Detector(
        "oauth_token",
        r"(?i:access_?token|refresh_?token|id_?token|oauth_?token|auth_?token"
        r"|client_?secret)"
        rf"{SEPARATOR}(?P<value>[A-Za-z0-9_+/.~=|-]{{16,}})",
        is_assigned_token,
    ),
    Detector("jwt", rf"\beyJ{CHAR}{{8,}}\.eyJ{CHAR}{{4,}}\.{CHAR}{{8,}}"),
    Detector(
        "bearer_token",
        r"(?i:\bbearer)\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,}=*)",
        is_assigned_token,
    ),
    Detector(
        "password",
        r"(?i:\bauthorization)\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?"
        r"(?i:basic)\s(?P<value>[A-Za-z0-9+/]{8,}={0,2})",
        hides_shape=True,
    ),
    Detector(
        "password",
        r"(?i:pass[ _-]?word|passwort|passwd|(?:\b|_)pwd|pass[ _-]?(?:phrase|code))"
        rf"{SEPARATOR}(?P<value>[^\s\"'<>\\]{{4,}})",
        is_password,
        hides_shape=True,
    ),
    Detector(
        "password",
        r"(?i:\bpass[ -]?(?:word|code|phrase) (?:is|was)):? [\"'\x{60}]?"
        r"(?P<value>[^\s\"'\x{60}<>]{4,})",
        is_told_password,
        hides_shape=True,
    ),
    Detector(
        "connection_string",
        r"\b[a-z][a-z0-9+.-]+://[^\s:@/\"'<>]*:(?P<value>[^\s@/\"'<>]+)@[^\s@\"'<>]",
        is_connection,
        hides_shape=True,
    ),
    Detector(
        "connection_string",
        r"(?i:accountkey|sharedaccesskey)=(?P<value>[A-Za-z0-9+/]{20,}={0,2})",
        hides_shape=True,
    ),
)
