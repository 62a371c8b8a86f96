# Written by make_sync.py from _async/merges.py: do not edit.
"""What merges into a session: a fork, or what some of its versions changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Unpack

from stepback import answers
from stepback._sync.resource import Resource
from stepback.calls import given
from stepback.stories import Json, Merged


class SessionMerges(Resource):
    """Look at the preview, and give its `head` as `expected_version`.

    A conflict is chosen by its id: `ours` (as the session has it), `theirs`, `base` (as
    it was before), `{"value": …}` or, where both inserted, `ours_theirs` and
    `theirs_ours`. To take a merge back is an ordinary rollback.
    """

    def preview_promote(
        self, session_id: str, fork: str, *, fork_version: int | None = None
    ) -> answers.MergePreview:
        """Tell what a fork would bring into the session it was forked from."""
        return self._ask(
            answers.MergePreview.of,
            ("sessions", session_id, "promote", "preview"),
            fork=fork,
            fork_version=fork_version,
        )

    def promote(
        self,
        session_id: str,
        fork: str,
        *,
        expected_version: int,
        fork_version: int | None = None,
        choices: Mapping[str, Json] | None = None,
        state: Mapping[str, Json] | None = None,
        opaque: Mapping[str, Mapping[str, str]] | None = None,
        **merged: Unpack[Merged],
    ) -> answers.State:
        """Merge what a fork changed since it began, or since it was promoted last.

        A checkpointer that merged its opaque parts by itself gives the result, as
        `state` and `opaque`, with the `fork_version` and without choices.

        Raises: MergeConflict with `conflicts`; NothingToMerge; Conflict if the head
        has moved, with a new `preview` in its details.
        """
        body = given(
            fork=fork,
            fork_version=fork_version,
            expected_version=expected_version,
            choices=choices,
            state=state,
            opaque=opaque,
            **merged,
        )
        return self._send(
            "POST", ("sessions", session_id, "promote"), body, answers.State.of
        )

    def preview_revert(
        self, session_id: str, first_version: int, last_version: int
    ) -> answers.MergePreview:
        """Tell what taking versions back would do, with what came later kept."""
        return self._ask(
            answers.MergePreview.of,
            ("sessions", session_id, "revert", "preview"),
            first_version=first_version,
            last_version=last_version,
        )

    def revert(
        self,
        session_id: str,
        first_version: int,
        last_version: int,
        *,
        expected_version: int,
        choices: Mapping[str, Json] | None = None,
        **merged: Unpack[Merged],
    ) -> answers.State:
        """Take back what these versions changed, and keep what came later.

        Raises: as `promote`; UnacceptableRange.
        """
        body = given(
            first_version=first_version,
            last_version=last_version,
            expected_version=expected_version,
            choices=choices,
            **merged,
        )
        return self._send(
            "POST", ("sessions", session_id, "revert"), body, answers.State.of
        )

    def preview_reapply(
        self, session_id: str, first_version: int, last_version: int
    ) -> answers.MergePreview:
        """Tell what applying versions once more would do, as after a rollback."""
        return self._ask(
            answers.MergePreview.of,
            ("sessions", session_id, "reapply", "preview"),
            first_version=first_version,
            last_version=last_version,
        )

    def reapply(
        self,
        session_id: str,
        first_version: int,
        last_version: int,
        *,
        expected_version: int,
        choices: Mapping[str, Json] | None = None,
        **merged: Unpack[Merged],
    ) -> answers.State:
        """Apply once more what these versions changed, as after a rollback.

        Raises: as `promote`; UnacceptableRange.
        """
        body = given(
            first_version=first_version,
            last_version=last_version,
            expected_version=expected_version,
            choices=choices,
            **merged,
        )
        return self._send(
            "POST", ("sessions", session_id, "reapply"), body, answers.State.of
        )

    def preview_restore(
        self, session_id: str, version: int, pointers: Sequence[str]
    ) -> answers.MergePreview:
        """Tell what setting these places back to a version would change."""
        return self._ask(
            answers.MergePreview.of,
            ("sessions", session_id, "restore", "preview"),
            version=version,
            pointers=json.dumps(list(pointers)),
        )

    def restore(
        self,
        session_id: str,
        version: int,
        pointers: Sequence[str],
        *,
        expected_version: int,
        **merged: Unpack[Merged],
    ) -> answers.State:
        """Set places of the state to what a version has there, and no others.

        What stands nowhere there is removed. Raises: UnacceptablePointer;
        NothingToMerge; Conflict as `promote`.
        """
        body = given(
            version=version,
            pointers=list(pointers),
            expected_version=expected_version,
            **merged,
        )
        return self._send(
            "POST", ("sessions", session_id, "restore"), body, answers.State.of
        )
