"""What becomes of input that nobody understands, in the words of RFC 7240."""

from enum import StrEnum


class Handling(StrEnum):
    """Strict: it is refused. Lenient: the rest is done, and the answer names it."""

    STRICT = "strict"
    LENIENT = "lenient"
