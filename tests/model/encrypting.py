"""Encryption among the acts of the random histories: no answer tells of it.

A history begins in clear, as that of a project that is older than its keys; at some
step the project encrypts, and what it had stored is sealed session by session.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis.stateful import precondition, rule

from apps.accounts import encryption
from apps.accounts import operations as accounts
from apps.accounts.models import DataKey, Project
from apps.timeline import bodies
from apps.timeline.models import Body, Turn
from apps.timeline.models import Session as SessionRow
from apps.timeline.verification import findings
from tests.acts import act_by
from tests.encryption.test_older import seal as seal_older_rows
from tests.feeding import project_all
from tests.model import histories
from tests.model.model import Session, Store

ENCRYPTS_AFTER = 3  # steps: before, there is little in clear
# Histories share a project, and its key; each lets it begin without.
FIRST_KEY = 1


class Encrypting:
    """The rules of encryption; the machine has the sessions."""

    store: Store
    steps: int
    is_encrypting = False
    _session: Callable[[int], Session]

    @precondition(lambda self: self.steps >= ENCRYPTS_AFTER and not self.is_encrypting)
    @rule()
    def encrypt(self) -> None:
        """Have what is written from now on sealed."""
        project = self._project()
        if DataKey.objects.filter(project_id=project.id).exists():
            Project.objects.filter(id=project.id).update(data_key=FIRST_KEY)
        else:
            accounts.encrypt_project(act=act_by(), project=project)
        self.is_encrypting = True

    @precondition(lambda self: self.is_encrypting)
    @rule(at=histories.which)
    def seal(self, at: int) -> None:
        """Seal what a session had in clear, and have its keys be looked up again."""
        session = self._session(at)
        if session.is_removed:
            return
        project_all()
        seal_older_rows(self._project(), session.id)
        encryption.forget()
        bodies.cache.forget(session.id)
        assert in_clear(session.id) == []
        assert list(findings(session.id)) == []

    def seal_everything(self) -> None:
        """Seal all that is there, so that all of it is read sealed at the end."""
        for at, session in enumerate(self.store.sessions):
            if self.is_encrypting and not session.is_removed:
                self.seal(at)

    def begin_in_clear(self) -> None:
        Project.objects.update(data_key=None)

    def _project(self) -> Project:
        row = SessionRow.objects.get(id=self.store.sessions[0].id)
        return Project.objects.get(id=row.project_id)


def in_clear(session_id: str) -> list[Any]:
    """Return the codecs of what is stored of a session and not sealed."""
    rows: list[Any] = []
    for kind in (Body, Turn):
        found: Any = kind.objects.filter(session_id=session_id, codec__gt=0)
        rows += [row.codec for row in found if not row.codec & bodies.SEALED]
    return rows
