"""Holding everything against the notes of a witness, and of a key that was kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from django.core.management.base import CommandError, CommandParser

from apps.core.notes import keys, roots
from apps.core.notes.errors import KeyRefused
from apps.core.notes.folder import Folder
from apps.core.notes.index import Index
from apps.core.notes.places import place_at
from apps.core.notes.signed import VerifierKey
from apps.core.objects import AddressRefused, ObjectsAway
from apps.timeline.verification.signed.witnessed import Witnessed, witnessed_at

# Our own notes that differ from a witness's are all named by the first of them.
DIFFERENCES = 20


def add_witness(parser: CommandParser) -> None:
    parser.add_argument(
        "--against",
        metavar="WHERE",
        help="hold everything against the notes of a witness: a folder, or "
        "s3://bucket/prefix; with --key",
    )
    parser.add_argument(
        "--key",
        action="append",
        metavar="PUBLIC",
        help="a public key that you kept, and the only one to be believed; "
        "again for each key that ever signed",
    )


@contextmanager
def witnessed_against(
    where: str, said: Sequence[str], told: Callable[[], None]
) -> Iterator[Witnessed]:
    """Check the notes of a witness by the keys that were said.

    Raises: CommandError where there are none, or no way to read them.
    """
    try:
        place = place_at(where)
        known = [VerifierKey.parse(one) for one in said]
        with witnessed_at(place, known, told) as found:
            if found is None:
                raise CommandError(f"There are no notes at {where}.")
            yield found
    except (AddressRefused, KeyRefused) as error:
        raise CommandError(str(error)) from error
    except (ObjectsAway, OSError) as error:
        raise CommandError(f"The notes at {where} cannot be read: {error}") from error


def differences(witness: Index) -> Iterator[str]:
    """Yield how our own notes are not what the witness has.

    What it does not have yet is no difference: it is brought there.
    """
    ours, theirs = Folder(keys.roots_path()), witness.newest()
    newest = ours.newest()
    if newest < theirs:
        yield (
            f"our own notes end at {newest:,}, and the witness has {theirs:,}: "
            "notes were cut off here, or the folder was put back"
        )
    found = 0
    for number in range(1, min(newest, theirs) + 1):
        note, digest = ours.read(number), witness.digest(number)
        if note is None or digest is None or roots.digest(note) == digest:
            continue
        found += 1
        if found <= DIFFERENCES:
            yield f"our own note {number:,} is another than the witness has"
    if found > DIFFERENCES:
        yield f"{found - DIFFERENCES:,} more of our own notes are others"
