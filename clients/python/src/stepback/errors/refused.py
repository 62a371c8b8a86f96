"""The session has moved on, or it cannot be done as things are."""

from __future__ import annotations

from stepback.failures import ApiError


class Conflict(ApiError):
    """The session has moved on: read the head, and build on that."""

    @property
    def expected_version(self) -> int:
        return int(self.details["expected_version"])

    @property
    def head(self) -> int:
        """The number of the head that was there instead."""
        return int(self.details["head"])

    @property
    def head_written_by(self) -> str:
        return str(self.details["head_written_by"])

    @property
    def head_written_at(self) -> str:
        return str(self.details["head_written_at"])

    @property
    def changed_paths(self) -> tuple[str, ...]:
        """Which JSON pointers changed since the version you named, the first 50."""
        return tuple(self.details["changed_paths"])


class VersionConflict(Conflict):
    """`expected_version` is not the head."""

    code = "version_conflict"


class VersionMismatch(Conflict):
    """`If-Match` is not the head."""

    code = "version_mismatch"


class Refused(ApiError):
    """It cannot be done as things are."""


class ExternalIdTaken(Refused):
    """Another session, or version of this one, has that name."""

    code = "external_id_taken"

    @property
    def session_id(self) -> str | None:
        """The session that has the name, if this key may see it."""
        found = self.details.get("session_id")
        return None if found is None else str(found)


class AgentExists(Refused):
    code = "agent_exists"


class SessionClosed(Refused):
    """The session can be read and forked, but not written."""

    code = "session_closed"


class SessionPaused(Refused):
    """Agents cannot write until the session is resumed."""

    code = "session_paused"


class DataHeld(Refused):
    """The agent's data is held: nothing can be written to it."""

    code = "data_held"


class TooManyKeys(Refused):
    code = "too_many_keys"


class RestoreTooLarge(Refused):
    code = "restore_too_large"


class RestoreRunning(Refused):
    """A checkpoint of the agent is being restored already: wait until that is over."""

    code = "restore_running"


class RestoreStopped(Refused):
    """A restore by steps was refused half-way; the steps before that stand."""

    code = "restore_stopped"


class ExceptionExists(Refused):
    """The agent has an exception for the same already: end it first."""

    code = "exception_exists"


class TooManyExceptions(Refused):
    code = "too_many_exceptions"


class NothingToRollBack(Refused):
    """The version to restore is the head itself."""

    code = "nothing_to_roll_back"


class ReasonRequired(Refused):
    """The project requires a reason of every rollback, and this one gave none."""

    code = "reason_required"


class NoRollback(Refused):
    code = "no_rollback"


class AlreadyPaused(Refused):
    code = "already_paused"


class NotPaused(Refused):
    code = "not_paused"


class WebhookDisabled(Refused):
    code = "webhook_disabled"


class PlanConfirmed(Refused):
    """A plan is done once."""

    code = "plan_confirmed"


class PlanNotLooked(Refused):
    """The dry run is still under way: read the plan until its status is draft."""

    code = "plan_not_looked"


class PlanChanged(Refused):
    """Another digest than the plan has now: look at it again."""

    code = "plan_changed"


class PlanNotRunning(Refused):
    """The plan is not under way, or was stopped."""

    code = "plan_not_running"


class PlanRunning(Refused):
    """The plan is still under way: stop it first, or wait."""

    code = "plan_running"


class RuleNotFiring(Refused):
    """Nobody need take it on."""

    code = "rule_not_firing"


class SearchByMeaningOff(Refused):
    code = "search_by_meaning_off"


class NothingPlanned(Refused):
    """Every session of the plan is left out."""

    code = "nothing_planned"


class NothingToUndo(Refused):
    code = "nothing_to_undo"


class NothingToRetry(Refused):
    code = "nothing_to_retry"


class ReviewReplaced(Refused):
    """Somebody has reviewed the session since."""

    code = "review_replaced"


class NoArchive(Refused):
    """The plan is no export, is not over yet, or exported nothing."""

    code = "no_archive"


class NameTaken(Refused):
    code = "name_taken"


class AlreadyMember(Refused):
    code = "already_member"


class LastAdmin(Refused):
    code = "last_admin"


class KeyAlreadyRevoked(Refused):
    code = "key_already_revoked"


class LinkNotUsable(Refused):
    code = "link_not_usable"


class SecondFactorNeeded(Refused):
    code = "second_factor_needed"


class NotForMasked(Refused):
    code = "not_for_masked"


class SecondFactorRefused(Refused):
    code = "second_factor_refused"


class SecondFactorSetUp(Refused):
    code = "second_factor_set_up"
