"""Effects, approvals, facts: what keeps a call from running, a vote from counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stepback.errors.missing import NotFound
from stepback.errors.refused import Refused
from stepback.errors.requests import BadRequest
from stepback.failures import ApiError


class EffectNotFound(NotFound):
    code = "effect_not_found"


class EffectRefused(Refused):
    """A call that was asked about is not to be made, or was finished otherwise."""

    @property
    def attempt(self) -> int | None:
        """The newest attempt of the effect."""
        found = self.details.get("attempt")
        return None if found is None else int(found)


class EffectInProgress(EffectRefused):
    """It is begun, and not finished: do not run it."""

    code = "effect_in_progress"


class EffectUnknown(EffectRefused):
    """It is not known whether it happened: somebody has to settle it."""

    code = "effect_unknown"


class EffectNotUnknown(EffectRefused):
    """It is known what became of it."""

    code = "effect_not_unknown"


class EffectAttempt(EffectRefused):
    """Another attempt is the newest one."""

    code = "effect_attempt"


class EffectFinished(EffectRefused):
    """It was finished otherwise."""

    code = "effect_finished"


class EffectsCrossed(Refused):
    """The rollback would go behind effects; `details` has their ids, and how many."""

    code = "effects_crossed"


class EffectsUnconfirmed(Refused):
    """People confirm what goes behind effects that cannot be undone."""

    code = "effects_unconfirmed"


class CompensationNotFound(NotFound):
    code = "compensation_not_found"


class CompensationClosed(Refused):
    """It is done or waived."""

    code = "compensation_closed"


class EffectDiffers(EffectRefused):
    """The key stands for another call."""

    code = "effect_differs"


class CacheInvalid(BadRequest):
    """This is not how a result of the record is asked for."""

    code = "cache_invalid"


class UnacceptableRange(BadRequest):
    """There are no such versions to look through, or none in this order."""

    code = "unacceptable_range"


class UnacceptablePointer(BadRequest):
    """This place of a state cannot be restored by itself; `param` names it."""

    code = "unacceptable_pointer"


class NotAFork(BadRequest):
    """That session is no fork of this one."""

    code = "not_a_fork"


class _BringsConflicts(ApiError):
    @property
    def conflicts(self) -> tuple[Mapping[str, Any], ...]:
        """All conflicts as they are now, each with its `id` and what may be picked."""
        return tuple(self.details.get("conflicts", ()))


class ChoiceRefused(_BringsConflicts, BadRequest):
    """A choice is for no conflict that there is, or does not fit it."""

    code = "choice_refused"


class MergeConflict(_BringsConflicts, Refused):
    """Both sides changed the same: choose for each of the `conflicts`."""

    code = "merge_conflict"


class NothingToMerge(Refused):
    """The state has all of it already."""

    code = "nothing_to_merge"


class PatchFailed(Refused):
    """An operation of a JSON Patch does not fit the state: nothing was written."""

    code = "patch_failed"

    @property
    def operation(self) -> int:
        """Which one, counted from 0."""
        return int(self.details["operation"])

    @property
    def pointer(self) -> str:
        """To which place it does not fit."""
        return str(self.details["pointer"])


class VersionSetAside(Refused):
    """A rollback has set the version aside that this was decided on."""

    code = "version_set_aside"


class NotPickable(BadRequest):
    """These sessions are left out of the plan, or not in it."""

    code = "not_pickable"


class DeadlinePassed(BadRequest):
    """This moment is over already."""

    code = "deadline_passed"


class ApprovalNotFound(NotFound):
    code = "approval_not_found"


class ApprovalRuleNotFound(NotFound):
    code = "approval_rule_not_found"


class ApprovalNeeded(Refused):
    """Ask for an approval with `details["tool"]` and `details["arguments"]`."""

    code = "approval_needed"


class ApprovalClosed(Refused):
    """It is decided, or its time is over; `details["outcome"]` says which."""

    code = "approval_closed"


class ApprovalOutdated(Refused):
    code = "approval_outdated"


class AlreadyVoted(Refused):
    code = "already_voted"


class TooManyApprovals(Refused):
    code = "too_many_approvals"


class TooManyApprovalRules(Refused):
    code = "too_many_approval_rules"


class UnacceptableApproval(BadRequest):
    """This cannot be asked for; `param` says what of it."""

    code = "unacceptable_approval"


class UnacceptableArguments(BadRequest):
    """They do not pass the schema; `param` is a JSON pointer to the first place."""

    code = "unacceptable_arguments"


class TaskNotFound(NotFound):
    code = "task_not_found"


class TaskAmbiguous(Refused):
    """Several tasks have this id; `details["places"]` says where."""

    code = "task_ambiguous"


class AssumptionsChanged(Refused):
    """What the session rests on has changed, or nobody knows whether it has.

    `facts` are all that were checked, each with `status`, `was` and, if it was given,
    `now`; `approvals` are those that people are asked again.
    """

    code = "assumptions_changed"

    @property
    def facts(self) -> Sequence[Mapping[str, Any]]:
        return list(self.details["facts"])

    @property
    def approvals(self) -> Sequence[Mapping[str, Any]]:
        return list(self.details["approvals"])


class UnacceptableFact(BadRequest):
    """This is no fact; `param` says which, and what of it."""

    code = "unacceptable_fact"
