"""The parameters by which a state is asked for as another schema has it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rest_framework.request import Request

from apps.core.errors import InvalidRequest
from apps.core.paging import text_of
from apps.timeline.api import parameters
from apps.timeline.bodies import Part
from apps.timeline.queries.migrating import shown_under
from apps.timeline.versions.reading import VersionRow

SCHEMA = [
    parameters.text(
        "schema",
        "The state as this schema of the agent has it; migrated for the answer alone, "
        "nothing is written.",
    ),
    parameters.text(
        "schema_from", "With `schema`: what a state is of that names no schema."
    ),
]


@dataclass(frozen=True, slots=True)
class Under:
    """The schema that a state is asked for under."""

    to: str
    source: str | None

    @classmethod
    def of(cls, request: Request) -> Under | None:
        """Return what a request asks for.

        Raises: InvalidRequest.
        """
        to, source = text_of(request, "schema"), text_of(request, "schema_from")
        if to is None and source is not None:
            raise InvalidRequest("schema_from goes with schema.", param="schema_from")
        return None if to is None else cls(to, source)

    def shown(self, version: VersionRow) -> bytes:
        """Return the version's state as that schema has it."""
        return shown_under(version, self.to, source=self.source)

    def parts(self, version: VersionRow, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Return the version's parts with the state as that schema has it."""
        shown = self.shown(version)
        return tuple(
            replace(one, data=shown) if one.name == "state" else one for one in parts
        )

    def told(self, version: VersionRow) -> dict[str, Any]:
        """Return what is said beside it."""
        of = version.schema_version
        before = self.source if of is None else of
        return {
            "schema_version": self.to,
            "migrated_from": None if before == self.to else before,
        }
