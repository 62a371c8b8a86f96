"""The values of a write on its way into rows: typed, bytes as bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.diffs.facets import Leaves
from apps.timeline import bodies
from apps.timeline.ledger.drafts import TurnDraft
from apps.timeline.ledger.facts import index
from apps.timeline.versions.reading import VersionRow


@dataclass(frozen=True, kw_only=True, slots=True)
class Stamp:
    """The same for all rows of one write.

    `number` is the version that it makes or, a turn alone, finds.
    """

    act: Act
    session_id: str
    number: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What a version says of the body that it shows; its own has no number yet."""

    commitment: bytes
    size: int
    number: int | None
    flags: list[str]


@dataclass(kw_only=True, slots=True)
class NewVersion:
    """The columns of a version that neither the session nor the act has.

    The SQL functions add its place: number, chain and time.
    """

    op: str
    hold: str
    restored_number: int | None
    undo_of: int | None
    reason_code: str | None
    external_id: str | None
    reasoning: str | None
    trace_id: str
    step_number: int | None
    step_parent_id: str | None
    objective_status: str | None
    schema_version: str | None
    release: str | None
    model: str | None
    size: int
    flags: list[str]
    changes: list[dict[str, Any]]
    change_count: int
    changes_truncated: bool
    # The version whose body it shows; its own number is not known here.
    body_number: int | None
    request_key: str | None
    salt: bytes
    reasoning_digest: bytes
    step_digest: bytes
    commitment: bytes
    leaf: bytes
    # The event that tells of it; `details` are clean JSON.
    event_id: str
    action: Action
    resource_type: str
    details: dict[str, Any]
    # On the last version of a batch: where the batch begins.
    first_number: int | None = None
    # The second parent of a merge.
    source_session_id: str | None = None
    source_number: int | None = None
    source_digest: bytes | None = None
    source_opaque: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NewTurn:
    """A turn, ready to be stored, and the event that tells of it."""

    draft: TurnDraft
    trace_id: str
    made_version: bool
    reasoning_digest: bytes
    leaf: bytes
    event_id: str
    details: dict[str, Any]


@dataclass(kw_only=True, slots=True)
class EncodedWrite:
    """One write as the SQL functions are given it; `parameters.py` names them."""

    version: NewVersion | None = None
    # The version's own body, if it does not show another one's.
    body: bodies.Stored | None = None
    raw: bytes | None = None
    # The version whose body it shows, where that is not its own.
    shows: VersionRow | None = None
    turn: NewTurn | None = None
    # What seals the texts of an encrypting project.
    sealer: bodies.Sealer | None = None
    changes: index.ChangeRows = field(default_factory=index.ChangeRows)
    facets: dict[str, Any] | None = None
    terms: index.Terms = field(default_factory=dict)
    # Whether the session waits for a human from now on; None: as before.
    waits: bool | None = None
    # The short scalars of the state, if it is a new one.
    leaves: Leaves | None = None
