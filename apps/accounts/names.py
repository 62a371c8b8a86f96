"""What may be a name: checked before the database is asked, with a sentence each."""

import re

from apps.core.errors import InvalidRequest

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
USERNAME = re.compile(r"[a-z0-9][a-z0-9._@+-]*")
LONGEST_NAME = 120
LONGEST_SLUG = 50
LONGEST_USERNAME = 64


def valid_name(text: str, *, param: str = "name") -> str:
    """Return a name for people, trimmed.

    Raises: InvalidRequest when it is empty, too long or has control characters.
    """
    name = text.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidRequest(
            f"A {param} has 1 to {LONGEST_NAME} printable characters.", param=param
        )
    return name


def valid_slug(text: str) -> str:
    """Return a project's name in URLs.

    Raises: InvalidRequest for anything but words of a-z and 0-9 with hyphens between.
    """
    if not SLUG.fullmatch(text) or len(text) > LONGEST_SLUG:
        raise InvalidRequest(
            "A slug has small letters, digits and single hyphens between them,"
            f" {LONGEST_SLUG} at most.",
            param="slug",
        )
    return text


def valid_username(text: str) -> str:
    """Return the name somebody signs in with, in small letters.

    Raises: InvalidRequest for characters that look alike or break a URL.
    """
    username = text.strip().lower()
    if not USERNAME.fullmatch(username) or len(username) > LONGEST_USERNAME:
        raise InvalidRequest(
            "A user name has letters, digits and . _ @ + - after a letter or digit,"
            f" {LONGEST_USERNAME} at most.",
            param="username",
        )
    return username
