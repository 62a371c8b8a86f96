"""The names of shared documents, and how one begins.

A document has whole states, as a session has, and is no session: no door made for
sessions shows it, no list has it, and it is no agent's session, so that neither an
agent's schemas nor its rules of waiting hold for it. Its id follows from its name:
nobody has to look it up, and two who begin it at once begin the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core.provenance import Request
from apps.timeline.bodies import bundles
from apps.timeline.errors import ExternalIdTaken, SharedNotFound
from apps.timeline.ledger.beginning.creation import SessionCreation
from apps.timeline.ledger.documents.values import document_id
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.facts.about import About
from apps.timeline.versions.reading import Step
from apps.timeline.words import Hold, Kind, Op

# Neither part has a slash, which would make two names of one address.
NAME = r"(?:public|agent/[^/\x00-\x1f\x7f]{1,255})/[^/\x00-\x1f\x7f]{1,200}"
_NAME = re.compile(NAME)
# What no agent's a document is.
NOBODY = ""


@dataclass(frozen=True, slots=True)
class SharedName:
    """`public/…`, or `agent/<agent>/…`, which that agent alone writes."""

    text: str

    @classmethod
    def of(cls, text: str) -> SharedName:
        """Raises: SharedNotFound for what can be no name."""
        if not _NAME.fullmatch(text):
            raise SharedNotFound(param="name")
        return cls(text)

    @property
    def agent(self) -> str | None:
        """Return the external id of the agent that may write it; None: all may."""
        space, _, rest = self.text.partition("/")
        return None if space == "public" else rest.rpartition("/")[0]

    def id_in(self, scope: Scope) -> str:
        return document_id(scope.project, f"shared {self.text}", prefix="shr")


def shared_scope(scope: Scope) -> Scope:
    """Return where documents are found: all of the project's, for whoever reads it."""
    return Scope(scope.project, None, kind=Kind.SHARED.value)


def acting(act: Act) -> Act:
    """Return the act as the ledger takes it for a document."""
    return replace(act, scope=shared_scope(act.scope))


def begin(act: Act, name: SharedName) -> None:
    """Make the document with version 0, the empty state, unless it is there.

    The request's key is for what is written next: version 0 is made by whoever comes
    first, and is the same whoever that is.
    """
    own = replace(acting(act), request=Request(id=act.request.id))
    draft = Draft(
        op=Op.CREATE,
        hold=Hold.OPEN,
        step=Step(),
        parts=bundles.assembled({}, given=()),
    )
    begun = _Beginning(own, About(external_id=name.text), name)
    try:
        begun.store(_nobody, draft, state={}, before={}, metadata={})
    except ExternalIdTaken:
        return


def _nobody() -> Agent:
    return Agent(id=NOBODY, waiting=None, has_schemas=False)


@dataclass(frozen=True, slots=True)
class _Beginning(SessionCreation):
    """The steps of beginning a document: its name alone decides its id."""

    name: SharedName

    def _claimed(self, metadata: bytes) -> str:
        return self.name.id_in(self.act.scope)

    def _taken(self, session_id: str) -> ExternalIdTaken:
        return ExternalIdTaken(param="name")
