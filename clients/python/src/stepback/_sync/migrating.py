# Written by make_sync.py from _async/migrating.py: do not edit.
"""The state of a session as another schema of its agent has it."""

from __future__ import annotations

from typing import Unpack

from stepback import answers
from stepback._sync.states import SessionStates
from stepback.calls import given
from stepback.errors import Conflict
from stepback.stories import Migrated

# Of these, each lost to somebody who wrote in between.
TRIES = 5


class SessionMigrations(SessionStates):
    """Migrates by the steps that the agent's administrators have declared."""

    def migrate_state(
        self,
        session_id: str,
        to: str,
        *,
        before: str | None = None,
        reasoning: str | None = None,
        **said: Unpack[Migrated],
    ) -> answers.State:
        """Store the head's state under schema `to`, as a version `migrate`.

        `before` is what a state is taken to be of that names no schema. Raises:
        NoMigration, MigrationFailed with `step` and `pointer`, SchemaUnfit,
        NothingToMigrate, Conflict; then nothing is stored.
        """
        body = given(to=to, reasoning=reasoning, **said)
        if before is not None:
            body["from"] = before
        segments = ("sessions", session_id, "state", "migrate")
        return self._send("POST", segments, body, answers.State.of)

    def load_state(
        self, session_id: str, schema: str, *, before: str | None = None
    ) -> answers.State:
        """Read the state under the schema that this code knows, stored as that.

        A head of an older schema is migrated first, once, whoever else loads it at the
        same moment. Raises: as `migrate_state`; Conflict if others never stop writing.
        """
        for _ in range(TRIES):
            found = self.get_state(session_id, schema=schema, before=before)
            if found.migrated_from is None:
                return found
            try:
                return self.migrate_state(
                    session_id, schema, before=before, expected_version=found.version
                )
            except Conflict as conflict:
                last = conflict
        raise last
