"""Witnesses: places outside of this machine, or of this folder, that keep notes too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from apps.core.notes.errors import NumberTaken
from apps.core.notes.folder import NOTE, Folder, name_of, name_of_leaves
from apps.core.notes.reading import Place
from apps.core.objects import Objects, ObjectTaken, is_s3, opened


class WritablePlace(Place, Protocol):
    """Where notes are written: create-only."""

    def write(self, number: int, note: bytes) -> None: ...

    def write_leaves(self, number: int, root: bytes, leaves: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Stored:
    """Notes in a store of objects, under the names that they have in a folder."""

    objects: Objects

    def newest(self) -> int:
        """Return the number of the newest note; every name is listed for it.

        Raises: ObjectsAway.
        """
        names = (name.rpartition("/")[2] for name in self.objects.list())
        numbers = (name.removesuffix(NOTE) for name in names if name.endswith(NOTE))
        return max((int(one) for one in numbers if one.isdecimal()), default=0)

    def read(self, number: int) -> bytes | None:
        """Raises: ObjectsAway."""
        return self.objects.get(name_of(number))

    def read_leaves(self, number: int, root: bytes) -> bytes | None:
        """Raises: ObjectsAway."""
        return self.objects.get(name_of_leaves(number, root))

    def write(self, number: int, note: bytes) -> None:
        """Raises: NumberTaken, ObjectsAway."""
        try:
            self.objects.create(name_of(number), note)
        except ObjectTaken as error:
            raise NumberTaken(f"There is a note {number} already.") from error

    def write_leaves(self, number: int, root: bytes, leaves: bytes) -> None:
        """Raises: NumberTaken where there are others, ObjectsAway."""
        try:
            self.objects.create(name_of_leaves(number, root), leaves)
        except ObjectTaken as error:
            if self.read_leaves(number, root) != leaves:
                raise NumberTaken(f"Note {number} has other leaves already.") from error


def place_at(address: str) -> Folder | Stored:
    """Return the place at an address: a folder's path or `s3://bucket/prefix`.

    Raises: AddressRefused.
    """
    if is_s3(address):
        return Stored(opened(address))
    return Folder(Path(address).absolute())


def places_by_name(addresses: Sequence[str]) -> dict[str, str]:
    """Return addresses by what people call them: without endpoint and region.

    Where two would be called alike, each keeps its whole address.
    """
    often = Counter(map(_name_of, dict.fromkeys(addresses)))
    return {
        _name_of(one) if often[_name_of(one)] == 1 else one: one for one in addresses
    }


def _name_of(address: str) -> str:
    return address.partition("?")[0] if is_s3(address) else address
