"""What is kept, and what is gone: policies, legal holds, removals and erasures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stepback.errors.missing import NotFound
from stepback.errors.refused import Refused
from stepback.errors.requests import BadRequest


class RetentionPolicyNotFound(NotFound):
    code = "retention_policy_not_found"


class PreviewNotFound(NotFound):
    code = "preview_not_found"


class RemovalNotFound(NotFound):
    code = "removal_not_found"


class LegalHoldNotFound(NotFound):
    code = "legal_hold_not_found"


class ErasureNotFound(NotFound):
    code = "erasure_not_found"


class RootNotFound(NotFound):
    code = "root_not_found"


class Gone(Refused):
    """It was there, and is not any more.

    Of a read the status is 410; of an act that would build on it, 409.
    """

    @property
    def version(self) -> int:
        """The number of the version that is gone, or is empty."""
        return int(self.details["version"])

    @property
    def tombstone(self) -> Mapping[str, Any] | None:
        """What stands for it: `first_version`, `last_version`, `count`, `removal_id`,
        `reason`, `removed_at` and more."""
        found: Mapping[str, Any] | None = self.details.get("tombstone")
        return found


class VersionPruned(Gone):
    """The version is gone, as a policy of retention says: a tombstone stands for it."""

    code = "version_pruned"


class ContentsErased(Gone):
    """Of the version its header stands; what it held is gone."""

    code = "contents_erased"


class PreviewStale(Refused):
    """A policy is enabled with a preview of itself that is not older than a day."""

    code = "preview_stale"


class PreviewNotReady(Refused):
    """It is still being counted: ask again in a moment."""

    code = "preview_not_ready"


class LegalHoldEnded(Refused):
    code = "legal_hold_ended"


class UnderLegalHold(Refused):
    """Something of it is under a legal hold, which has to be ended first."""

    code = "legal_hold"


class UnacceptablePolicy(BadRequest):
    """A policy of retention cannot be like that; `param` says what of it."""

    code = "unacceptable_policy"


class UnacceptableLegalHold(BadRequest):
    """A legal hold cannot be like that; `param` says what of it."""

    code = "unacceptable_legal_hold"


class UnacceptableMask(BadRequest):
    """A mask cannot be like that; `param` says what of it."""

    code = "unacceptable_mask"


class Masked(BadRequest):
    """The key is masked, and the answer would depend on what it may not see."""

    code = "masked"


class UnacceptableExport(BadRequest):
    """Nothing can be exported like that; `param` says what of it."""

    code = "unacceptable_export"


class ExperimentClosed(Refused):
    """The experiment is closed: nothing of it is changed any more."""

    code = "experiment_closed"


class UnacceptableSurvey(BadRequest):
    """This survey cannot be made; `param` says what of it."""

    code = "unacceptable_survey"


class UnacceptableExperiment(BadRequest):
    """This cannot be said of an experiment; `param` says what of it."""

    code = "unacceptable_experiment"


class UnacceptableIncident(BadRequest):
    """This cannot be said of an incident; `param` says what of it."""

    code = "unacceptable_incident"


class UnacceptableErasure(BadRequest):
    """This cannot be erased; `param` says what of it."""

    code = "unacceptable_erasure"
