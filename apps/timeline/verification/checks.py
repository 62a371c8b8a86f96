"""What a version's row must satisfy, given the row before it: pure, no body is read.

Each check yields what is wrong with the one version, in words that follow its number.
"""

from __future__ import annotations

from itertools import chain

from apps.timeline.hooks import QUIET
from apps.timeline.verification.findings import Kind, Problems
from apps.timeline.verification.removals import NONE, Removals, hollow_version
from apps.timeline.verification.rows import Beginning, StoredVersion
from apps.timeline.versions import proof
from apps.timeline.versions.proof import Claim
from apps.timeline.words import MERGING, WAITS_FOR_APPROVAL, Hold, Op

# What a session is held by after the verbs that change it; all others keep the
# hold, unless a guard pauses it in the same version.
_HOLD_AFTER: dict[str, set[str]] = {
    Op.PAUSE: {Hold.PAUSED},
    Op.RESUME: {Hold.OPEN},
    Op.CLOSE: {Hold.CLOSED},
    Op.DELETE: {Hold.DELETED},
}
# What guards do not look at, or only once it is there.
_HELD_BY_NONE = QUIET | {Op.CREATE, Op.FORK}


def problems(
    version: StoredVersion,
    before: StoredVersion | None,
    previous_chain: bytes,
    removed: Removals = NONE,
) -> Problems:
    """Yield all that is wrong; `previous_chain` is what its chain must build on.

    Without the version `before`, which a removal took, what needs it is not asked.
    """
    crossed = before is None and removed.has(version.number - 1)
    return chain(
        _of_any(version, before, previous_chain, removed),
        () if crossed else _holding(version, before),
        _restoring(version, removed),
        _showing(version, removed),
        () if crossed else _asking(version, before),
        _merging(version),
        _migrating(version, before),
    )


def of_document(
    version: StoredVersion,
    before: StoredVersion | None,
    previous_chain: bytes,
    removed: Removals = NONE,
) -> Problems:
    """Yield what is wrong with a version of a keyed document, its entries aside."""
    return chain(
        _of_any(version, before, previous_chain, removed),
        _showing_its_own(version),
    )


def _of_any(
    version: StoredVersion,
    before: StoredVersion | None,
    previous_chain: bytes,
    removed: Removals = NONE,
) -> Problems:
    """Yield what is wrong by the rules of every history."""
    return chain(
        _numbering(version, before, removed),
        _chaining(version, previous_chain),
        _claims(version),
        hollow_version(version) if removed.emptied(version) else _texts(version),
        _timing(version, before, removed),
    )


def beginnings(session: Beginning, first: StoredVersion) -> Problems:
    """Yield what is wrong with how the session began."""
    if first.op != (Op.FORK if session.is_fork else Op.CREATE):
        yield Kind.ORIGIN, f"such a session does not begin with {first.op}"
    is_there = session.origin_chain_there is not None or session.is_origin_removed
    if session.is_fork and (session.origin_chain is None or not is_there):
        yield Kind.ORIGIN, "the version that it was forked from is missing"
    elif session.origin_chain_there not in (None, session.origin_chain):
        yield Kind.CHAIN, "it goes on from another chain than its origin's"
    elif session.origin_project_id not in (None, session.project_id):
        yield Kind.ORIGIN, "it was forked from a session of another project"
    if first.created_at != session.created_at:
        yield Kind.TIME, "it is not as old as its session"


def _numbering(
    version: StoredVersion, before: StoredVersion | None, removed: Removals
) -> Problems:
    # Across a tombstone the chain says whether anything is missing before that.
    is_next = before is None and removed.has(version.number - 1)
    expected = before.number + 1 if before else version.number if is_next else 0
    if version.number != expected:
        yield Kind.NUMBER, f"v{expected} is missing before it"
    if removed.has(version.number):
        yield Kind.NUMBER, "a tombstone says that it is gone, and it is there"
    parent = version.number - 1 if version.number else None
    if version.parent_number != parent:
        yield Kind.NUMBER, f"its parent is said to be v{version.parent_number}"


def _chaining(version: StoredVersion, previous_chain: bytes) -> Problems:
    if proof.chain(previous_chain, version.number, version.leaf) != version.chain:
        yield Kind.CHAIN, "its chain does not follow from the one before and its leaf"


def _claims(version: StoredVersion) -> Problems:
    claim = Claim(
        project_id=version.project_id,
        session_id=version.session_id,
        op=version.op,
        hold=version.hold,
        restored_number=version.restored_number,
        undo_of=version.undo_of,
        external_id=version.external_id,
        actor_kind=version.actor_kind,
        actor_id=version.actor_id,
        trace_id=version.trace_id,
        request_key=version.request_key,
        requested_at=version.requested_at,
        reasoning_digest=version.reasoning_digest,
        step_digest=version.step_digest,
        commitment=version.commitment,
        source_session_id=version.source_session_id,
        source_number=version.source_number,
        source_digest=version.source_digest,
        source_opaque=version.source_opaque,
    )
    if claim.leaf() != version.leaf:
        yield Kind.LEAF, "its leaf does not follow from what it claims"


def _texts(version: StoredVersion) -> Problems:
    if proof.salted(version.salt, version.reasoning) != version.reasoning_digest:
        yield Kind.TEXT, "its reasoning is not what was digested"
    texts = *proof.step_values(version), version.reason_code
    step = proof.salted(version.salt, *texts)
    if step != version.step_digest:
        yield Kind.TEXT, "its step metadata is not what was digested"


def _timing(
    version: StoredVersion, before: StoredVersion | None, removed: Removals
) -> Problems:
    if before is None and removed.has(version.number - 1):
        # Time may have stood still until a version that is gone.
        if version.created_at < version.requested_at:
            yield Kind.TIME, "it was stored before it was asked for"
        return
    # The append takes the later of the two, so that time never runs backwards.
    expected = version.requested_at
    if before is not None:
        expected = max(expected, before.created_at)
        if version.created_at < before.created_at:
            yield Kind.TIME, "it is older than the version before it"
            return
    if version.created_at != expected:
        yield Kind.TIME, "it was not stored when it was asked for"


def _holding(version: StoredVersion, before: StoredVersion | None) -> Problems:
    held = before.hold if before else Hold.OPEN
    allowed = _HOLD_AFTER.get(version.op, {held})
    if version.op == Op.ROLLBACK or _is_of_guard(version):
        allowed = {held, Hold.PAUSED}
    if version.hold not in allowed:
        yield Kind.HOLD, f"{version.op} made {held} into {version.hold}"
    if held in (Hold.CLOSED, Hold.DELETED) and version.op != Op.DELETE:
        yield Kind.HOLD, f"it was written although the session was {held}"


def _is_of_guard(version: StoredVersion) -> bool:
    """Say whether a guard may have paused the session in it: then it has a reason.

    One that was emptied has none any more.
    """
    has_reason = bool(version.reason_code) or not version.salt
    return version.op not in _HELD_BY_NONE and has_reason


def _restoring(version: StoredVersion, removed: Removals) -> Problems:
    if version.restored_number is None:
        if version.op == Op.ROLLBACK:
            yield Kind.ROLLBACK, "it does not say what it restored"
        return
    restored = f"v{version.restored_number}"
    if version.op != Op.ROLLBACK:
        yield Kind.ROLLBACK, f"{version.op} restores nothing, but names {restored}"
    if not 0 <= version.restored_number < version.number:
        yield Kind.ROLLBACK, f"it cannot have restored {restored}"
        return
    if version.target_commitment is None and removed.has(version.restored_number):
        return
    if removed.moved and version.target_commitment == version.commitment:
        return  # the body has moved, and is the same
    target = (version.target_body_number, version.target_commitment)
    if (version.body_number, version.commitment) != target:
        yield Kind.ROLLBACK, f"it does not show what {restored} shows"


def _merging(version: StoredVersion) -> Problems:
    """Hold a second parent to the operation: a merge names one, nothing else does."""
    named = (version.source_session_id, version.source_number)
    if version.op in MERGING:
        if None in named:
            yield Kind.ORIGIN, f"{version.op} does not say what was merged"
    elif named != (None, None):
        yield Kind.ORIGIN, f"{version.op} merges nothing, but names a second parent"
    is_own = version.source_session_id == version.session_id
    if is_own and not 0 <= (version.source_number or 0) < version.number:
        yield Kind.ORIGIN, f"it cannot have merged v{version.source_number}"


def _migrating(version: StoredVersion, before: StoredVersion | None) -> Problems:
    """Hold a migration to the schema of the version before it."""
    if version.op != Op.MIGRATE or not version.salt:
        return
    source, target = version.reason_code, version.schema_version
    if source is None or target is None:
        yield Kind.TEXT, "it does not say from which schema to which it migrated"
    known = before.schema_version if before and before.salt else None
    if known is not None and source != known:
        yield (
            Kind.TEXT,
            "it migrated from another schema than that of the one before it",
        )


def _showing_its_own(version: StoredVersion) -> Problems:
    if version.body_number != version.number or version.stored_bytes is None:
        yield Kind.BODY, "the body that it stored is missing"


def _showing(version: StoredVersion, removed: Removals) -> Problems:
    """Hold the body that it shows against the version which stored that body.

    Its bytes are held against that version's commitment, once.
    """
    if version.body_number == version.number:
        if version.stored_bytes is None:
            yield Kind.BODY, "the body that it stored is missing"
        return
    if version.stored_bytes is not None:
        yield Kind.BODY, "it does not show the body that was stored with it"
    if removed.has(version.body_number):
        yield Kind.BODY, f"it shows body {version.body_number}, which is removed"
    elif version.body_number > version.number:
        yield Kind.BODY, f"it shows body {version.body_number}, which is later"
    elif version.stored_commitment != version.commitment:
        yield Kind.BODY, f"body {version.body_number} is not what it committed to"


def _asking(version: StoredVersion, before: StoredVersion | None) -> Problems:
    """Hold a wait and a decision to the state that people were shown."""
    if version.op not in (Op.WAIT, Op.DECIDE):
        return
    shown = None if before is None else before.body_number
    if version.body_number != shown:
        yield Kind.BODY, f"{version.op} shows another state than the version before it"
    if version.op == Op.WAIT and version.objective_status != WAITS_FOR_APPROVAL:
        yield Kind.TEXT, "it does not say that it waits for an approval"
