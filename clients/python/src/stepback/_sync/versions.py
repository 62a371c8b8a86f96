# Written by make_sync.py from _async/versions.py: do not edit.
"""What tells about the versions of a session. A read that fails raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.stories import (
    Order,
)


class SessionVersions(Resource):
    """Versions: read, compared, explained and proved."""

    def list_versions(
        self,
        session_id: str,
        *,
        limit: int = 20,
        order: Order = "desc",
        starting_after: int | None = None,
        include_state: bool = False,
    ) -> answers.Page[answers.Version]:
        """List versions, newest first unless asked otherwise."""
        return self._ask(
            page_of(answers.Version.of),
            ("sessions", session_id, "versions"),
            limit=limit,
            order=order,
            starting_after=starting_after,
            include_state=include_state,
        )

    def get_version(
        self,
        session_id: str,
        version: int,
        *,
        schema: str | None = None,
        before: str | None = None,
    ) -> answers.Version:
        """Read one version with its state; -1 is the one before the head.

        With `schema` as that one has it, migrated for the answer alone; `before` is
        what a state is taken to be of that names no schema.
        """
        segments = ("sessions", session_id, "versions", version)
        return self._ask(
            answers.Version.of, segments, schema=schema, schema_from=before
        )

    def history(
        self,
        session_id: str,
        *,
        limit: int = 50,
        starting_after: int | None = None,
        include_state: bool = True,
        include_traces: bool = True,
    ) -> answers.History:
        """Return the newest versions, with turns and traces beside them."""
        return self._ask(
            answers.History.of,
            ("sessions", session_id, "history"),
            limit=limit,
            starting_after=starting_after,
            include_state=include_state,
            include_traces=include_traces,
        )

    @overload
    def diff(
        self,
        session_id: str,
        from_version: int,
        to_version: int | None = ...,
        *,
        other: str | None = ...,
        format: Literal["list"] = ...,
    ) -> answers.Changes: ...

    @overload
    def diff(
        self,
        session_id: str,
        from_version: int,
        to_version: int | None = ...,
        *,
        other: str | None = ...,
        format: Literal["patch"],
    ) -> answers.Patch: ...

    def diff(
        self,
        session_id: str,
        from_version: int,
        to_version: int | None = None,
        *,
        other: str | None = None,
        format: Literal["list", "patch"] = "list",
    ) -> answers.Changes | answers.Patch:
        """Compare two versions, in either direction; `to_version` is the head if unset.

        With `other`, `to_version` is a version of that session.
        """
        read: Any = answers.Patch.of if format == "patch" else answers.Changes.of
        found: answers.Changes | answers.Patch = self._transport.run(
            Call(
                method="GET",
                path=calls.path("sessions", session_id, "changes"),
                read=read,
                query={
                    "from": from_version,
                    "to": to_version,
                    "other": other,
                    "format": format,
                },
            )
        )
        return found

    def divergence(
        self, session_id: str, other: str | None = None
    ) -> answers.Divergence:
        """Tell the last version that two sessions share, and how their steps differ.

        `first_differences` in action, in arguments, in state, with both sides' steps;
        only if `read_all` is there no other.
        """
        return self._ask(
            answers.Divergence.of, ("sessions", session_id, "divergence"), other=other
        )

    def check(
        self, session_id: str, check: str, *, version: int | None = None
    ) -> answers.Checked:
        """Ask whether a version, the head if unset, is as a check says.

        Such as `state.total<=1500 AND NOT state.destination=null`.
        """
        return self._ask(
            answers.Checked.of,
            ("sessions", session_id, "check"),
            check=check,
            version=version,
        )

    def bisect(
        self,
        session_id: str,
        check: str | Mapping[str, Any],
        *,
        from_version: int | None = None,
        to_version: int | None = None,
        lineage: Literal["live", "all"] | None = None,
        order: Literal["newest", "oldest"] | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
    ) -> answers.Bisection:
        """Tell which versions turned a check true and false, and who wrote them.

        The check is what should hold. With `exact` there is no other flip; else go on
        with `starting_after=found.next` until there is none.
        """
        return self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "bisect"),
                read=answers.Bisection.of,
                reads=True,
                body=given(
                    **{"from": from_version},
                    to=to_version,
                    check=check,
                    lineage=lineage,
                    order=order,
                    limit=limit,
                    starting_after=starting_after,
                ),
            )
        )

    def bundle(
        self,
        session_id: str,
        *,
        version: int | None = None,
        masks: Sequence[str] | None = None,
    ) -> bytes:
        """Read a session whole, with its effects, as lines of JSON to be replayed.

        `masks` are pointers of what is hidden in all of it, also where a copy stands.
        `stepback.bundles.make_bundle` makes a file of it.
        """
        return self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "bundle"),
                read=bytes,
                reads=True,
                is_raw=True,
                body=given(version=version, masks=None if masks is None else [*masks]),
            )
        )

    def blame(
        self,
        session_id: str,
        pointer: str,
        *,
        version: int | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
    ) -> answers.Blame:
        """Tell who set the value at a JSON pointer, from what to what, and why."""
        return self._ask(
            answers.Blame.of,
            ("sessions", session_id, "blame"),
            pointer=pointer,
            version=version,
            limit=limit,
            starting_after=starting_after,
        )

    def verify(
        self,
        session_id: str,
        *,
        after: int | None = None,
        after_turn: int | None = None,
        limit: int | None = None,
    ) -> answers.Verification:
        """Have the proof of the history recomputed from what is stored."""
        return self._ask(
            answers.Verification.of,
            ("sessions", session_id, "verify"),
            after=after,
            after_turn=after_turn,
            limit=limit,
        )
