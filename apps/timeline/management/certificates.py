"""Verifying the certificate of an erasure, of which apps above know."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from apps.timeline.hooks.keeping import CERTIFICATES

NAMED = 20


def add_certificate(parser: CommandParser) -> None:
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="a certificate of an erasure: verify that alone, with --user",
    )
    parser.add_argument(
        "--user",
        metavar="ID",
        help="whom the certificate is about: the person, or the session",
    )


def verify_certificate(file: str | None, user: str | None) -> None:
    """Raises: CommandError where it does not hold, or cannot be read."""
    if not file or not user:
        raise CommandError("--certificate and --user are said together.")
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}") from error
    found = [one for check in CERTIFICATES.values() for one in check(data, user)]
    if found:
        raise CommandError(" ".join(found[:NAMED]))
