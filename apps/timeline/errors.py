"""What can go wrong with a session, in its own words."""

from collections.abc import Sequence
from typing import Any, Self

from apps.core.errors import DomainError, InvalidRequest, NotFound
from apps.timeline.words import Hold


class SessionNotFound(NotFound):
    """There is no such session, or it has expired or was deleted."""

    code = "session_not_found"


class VersionNotFound(NotFound):
    """This session has no such version."""

    code = "version_not_found"


class FileNotFound(NotFound):
    """This version has no file at this path."""

    code = "file_not_found"


class VersionPruned(DomainError):
    """This version was removed: a tombstone stands for it."""

    code = "version_pruned"


class ContentsErased(DomainError):
    """What this version held was erased; its header stands."""

    code = "contents_erased"


class RangeRefused(InvalidRequest):
    """There are no such versions to look through, or none in this order."""

    code = "unacceptable_range"


class TurnNotFound(NotFound):
    """This session has no such turn."""

    code = "turn_not_found"


class SummaryNotFound(NotFound):
    """This session has no such summary."""

    code = "summary_not_found"


class TraceNotFound(NotFound):
    """There is no such trace."""

    code = "trace_not_found"


class LabelNotFound(NotFound):
    """This version does not carry that label."""

    code = "label_not_found"


class PointerNotFound(NotFound):
    """There is nothing at this pointer in that version of the state."""

    code = "pointer_not_found"


class EffectNotFound(NotFound):
    """This session has no such effect."""

    code = "effect_not_found"


class EffectDiffers(DomainError):
    """This key stands for another call: its tool, arguments or class are not these."""

    code = "effect_differs"


class EffectInProgress(DomainError):
    """This effect is begun, and not finished: do not run it."""

    code = "effect_in_progress"


class EffectUnknown(DomainError):
    """It is not known whether this effect happened: somebody has to settle it."""

    code = "effect_unknown"


class EffectNotUnknown(DomainError):
    """It is known what became of this effect: there is nothing to settle."""

    code = "effect_not_unknown"


class EffectAttempt(DomainError):
    """Another attempt of this effect is the newest one."""

    code = "effect_attempt"


class EffectFinished(DomainError):
    """This effect was finished otherwise."""

    code = "effect_finished"


class CacheInvalid(DomainError):
    """This is not how a result of the record is asked for."""

    code = "cache_invalid"


class EffectsCrossed(DomainError):
    """This rollback would go behind effects that happened, or may have."""

    code = "effects_crossed"


class EffectsUnconfirmed(DomainError):
    """Type the last four characters of the id: this crosses what cannot be undone."""

    code = "effects_unconfirmed"


class CompensationNotFound(NotFound):
    """Nothing is owed for such an effect of this session."""

    code = "compensation_not_found"


class CompensationClosed(DomainError):
    """What was owed for this effect is done or waived."""

    code = "compensation_closed"


class VersionSetAside(DomainError):
    """A rollback has set this version aside: what was decided on it counts no more."""

    code = "version_set_aside"


class DeadlinePassed(DomainError):
    """This moment is over already."""

    code = "deadline_passed"


class VersionConflict(DomainError):
    """The session has moved on: its head is not the version you named."""

    code = "version_conflict"


class VersionMismatch(DomainError):
    """If-Match names a version that is not the head."""

    code = "version_mismatch"


class NothingToRollBack(DomainError):
    """The version to restore is the head itself: nothing would change."""

    code = "nothing_to_roll_back"


class ReasonRequired(DomainError):
    """This project requires a reason of a rollback: say why in `reasoning`."""

    code = "reason_required"


class NoRollback(DomainError):
    """That version is no rollback: there is nothing to undo."""

    code = "no_rollback"


class NotAFork(DomainError):
    """That session is no fork of this one."""

    code = "not_a_fork"


class _BringsConflicts:
    """What has the conflicts of a merge as they are, for who shows them."""

    conflicts: tuple[Any, ...] = ()

    def bringing(self, conflicts: Sequence[Any]) -> Self:
        self.conflicts = tuple(conflicts)
        return self


class MergeConflict(_BringsConflicts, DomainError):
    """Both sides changed the same: say for each conflict what is to become of it."""

    code = "merge_conflict"


class ChoiceRefused(_BringsConflicts, DomainError):
    """A choice names no conflict of this merge, or does not fit it."""

    code = "choice_refused"


class NothingToMerge(DomainError):
    """The state has all of this already: nothing would change."""

    code = "nothing_to_merge"


class PointerRefused(DomainError):
    """This place cannot be restored by itself."""

    code = "unacceptable_pointer"


class BodyNotVerified(DomainError):
    """What is stored of this version is not what was committed to: nothing was done."""

    code = "body_not_verified"


class ExternalIdTaken(DomainError):
    """Another session of this project has that external id."""

    code = "external_id_taken"


class HandoffNotVerified(DomainError):
    """This handoff was not issued here, was changed, or no longer fits its version."""

    code = "handoff_not_verified"


class SessionPaused(DomainError):
    """This session is paused: agents cannot write to it until it is resumed."""

    code = "session_paused"


class SessionClosed(DomainError):
    """This session is closed: it can be read and forked, but not written."""

    code = "session_closed"


class BudgetReached(DomainError):
    """A budget paused this session: agents cannot write to it until it is resumed."""

    code = "budget_reached"


class UnacceptableUsage(DomainError):
    """This is not what a turn can have used."""

    code = "unacceptable_usage"


class UsageCurrency(DomainError):
    """The turns of this session cost in another currency."""

    code = "usage_currency"


# The reason code of a version `pause` that a budget has made.
BUDGET = "budget_reached"


def held(hold: str, head: int) -> SessionPaused | SessionClosed:
    """Return what a hold answers to those whom it keeps from writing."""
    return (SessionPaused if hold == Hold.PAUSED else SessionClosed)(head=head)


class NotPaused(DomainError):
    """Only a paused session can be resumed."""

    code = "not_paused"


class ReviewReplaced(DomainError):
    """This review counts no more: somebody has reviewed the session since."""

    code = "review_replaced"


class AlreadyPaused(DomainError):
    """This session is paused already."""

    code = "already_paused"


class DocumentNotFound(NotFound):
    """Nothing was stored here yet."""

    code = "document_not_found"


class KeyNotFound(NotFound):
    """Nothing stands under this key."""

    code = "key_not_found"


class DocumentHeld(DomainError):
    """This data is held: nothing can be written to it."""

    code = "data_held"


class DocumentMoved(DomainError):
    """Something was written since you looked: look again."""

    code = "version_conflict"


class EntryChanged(DomainError):
    """What stands under a key is not what you saw."""

    code = "version_conflict"


class ConfigChanged(DomainError):
    """Another config stands now than what was written was checked against."""

    code = "version_conflict"


class NoRoom(DomainError):
    """There would be more keys than are allowed."""

    code = "too_many_keys"


class RestoreTooLarge(DomainError):
    """More keys were touched since than one restore sets."""

    code = "restore_too_large"


class TaskNotFound(NotFound):
    """The head has no task of this id."""

    code = "task_not_found"


class TaskAmbiguous(DomainError):
    """Several tasks of the head have this id: send the list, with ids that differ."""

    code = "task_ambiguous"


class UnacceptableFact(DomainError):
    """This is no fact that can be kept, or held to what is so."""

    code = "unacceptable_fact"


class AssumptionsChanged(DomainError):
    """What the session rests on has changed, or nobody knows whether it has."""

    code = "assumptions_changed"
