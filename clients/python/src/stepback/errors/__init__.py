"""What can go wrong with a call: one class per error code of the server.

A call that fails raises; none returns an empty state in place of one that could not
be read. A code that this release does not know is an `ApiError` with that code. Classes
stand with what fails; all of them are told here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from stepback.errors.acting import AlreadyVoted as AlreadyVoted
from stepback.errors.acting import ApprovalClosed as ApprovalClosed
from stepback.errors.acting import ApprovalNeeded as ApprovalNeeded
from stepback.errors.acting import ApprovalNotFound as ApprovalNotFound
from stepback.errors.acting import ApprovalOutdated as ApprovalOutdated
from stepback.errors.acting import ApprovalRuleNotFound as ApprovalRuleNotFound
from stepback.errors.acting import AssumptionsChanged as AssumptionsChanged
from stepback.errors.acting import CacheInvalid as CacheInvalid
from stepback.errors.acting import ChoiceRefused as ChoiceRefused
from stepback.errors.acting import CompensationClosed as CompensationClosed
from stepback.errors.acting import CompensationNotFound as CompensationNotFound
from stepback.errors.acting import DeadlinePassed as DeadlinePassed
from stepback.errors.acting import EffectAttempt as EffectAttempt
from stepback.errors.acting import EffectDiffers as EffectDiffers
from stepback.errors.acting import EffectFinished as EffectFinished
from stepback.errors.acting import EffectInProgress as EffectInProgress
from stepback.errors.acting import EffectNotFound as EffectNotFound
from stepback.errors.acting import EffectNotUnknown as EffectNotUnknown
from stepback.errors.acting import EffectRefused as EffectRefused
from stepback.errors.acting import EffectsCrossed as EffectsCrossed
from stepback.errors.acting import EffectsUnconfirmed as EffectsUnconfirmed
from stepback.errors.acting import EffectUnknown as EffectUnknown
from stepback.errors.acting import MergeConflict as MergeConflict
from stepback.errors.acting import NotAFork as NotAFork
from stepback.errors.acting import NothingToMerge as NothingToMerge
from stepback.errors.acting import NotPickable as NotPickable
from stepback.errors.acting import PatchFailed as PatchFailed
from stepback.errors.acting import TaskAmbiguous as TaskAmbiguous
from stepback.errors.acting import TaskNotFound as TaskNotFound
from stepback.errors.acting import TooManyApprovalRules as TooManyApprovalRules
from stepback.errors.acting import TooManyApprovals as TooManyApprovals
from stepback.errors.acting import UnacceptableApproval as UnacceptableApproval
from stepback.errors.acting import UnacceptableArguments as UnacceptableArguments
from stepback.errors.acting import UnacceptableFact as UnacceptableFact
from stepback.errors.acting import UnacceptablePointer as UnacceptablePointer
from stepback.errors.acting import UnacceptableRange as UnacceptableRange
from stepback.errors.acting import VersionSetAside as VersionSetAside
from stepback.errors.callers import AgentDeleted as AgentDeleted
from stepback.errors.callers import AgentSuspended as AgentSuspended
from stepback.errors.callers import AuthenticationFailed as AuthenticationFailed
from stepback.errors.callers import PermissionDenied as PermissionDenied
from stepback.errors.files import BlobMissing as BlobMissing
from stepback.errors.files import DigestMismatch as DigestMismatch
from stepback.errors.files import FileNotFound as FileNotFound
from stepback.errors.files import RangeNotSatisfiable as RangeNotSatisfiable
from stepback.errors.guarding import GuardExists as GuardExists
from stepback.errors.guarding import GuardNotFound as GuardNotFound
from stepback.errors.guarding import GuardRefused as GuardRefused
from stepback.errors.guarding import GuardUntried as GuardUntried
from stepback.errors.guarding import TooManyGuards as TooManyGuards
from stepback.errors.guarding import TrialNotFound as TrialNotFound
from stepback.errors.guarding import UnacceptableGuard as UnacceptableGuard
from stepback.errors.keeping import ContentsErased as ContentsErased
from stepback.errors.keeping import ErasureNotFound as ErasureNotFound
from stepback.errors.keeping import ExperimentClosed as ExperimentClosed
from stepback.errors.keeping import Gone as Gone
from stepback.errors.keeping import LegalHoldEnded as LegalHoldEnded
from stepback.errors.keeping import LegalHoldNotFound as LegalHoldNotFound
from stepback.errors.keeping import Masked as Masked
from stepback.errors.keeping import PreviewNotFound as PreviewNotFound
from stepback.errors.keeping import PreviewNotReady as PreviewNotReady
from stepback.errors.keeping import PreviewStale as PreviewStale
from stepback.errors.keeping import RemovalNotFound as RemovalNotFound
from stepback.errors.keeping import RetentionPolicyNotFound as RetentionPolicyNotFound
from stepback.errors.keeping import RootNotFound as RootNotFound
from stepback.errors.keeping import UnacceptableErasure as UnacceptableErasure
from stepback.errors.keeping import UnacceptableExperiment as UnacceptableExperiment
from stepback.errors.keeping import UnacceptableExport as UnacceptableExport
from stepback.errors.keeping import UnacceptableIncident as UnacceptableIncident
from stepback.errors.keeping import UnacceptableLegalHold as UnacceptableLegalHold
from stepback.errors.keeping import UnacceptableMask as UnacceptableMask
from stepback.errors.keeping import UnacceptablePolicy as UnacceptablePolicy
from stepback.errors.keeping import UnacceptableSurvey as UnacceptableSurvey
from stepback.errors.keeping import UnderLegalHold as UnderLegalHold
from stepback.errors.keeping import VersionPruned as VersionPruned
from stepback.errors.missing import AgentNotFound as AgentNotFound
from stepback.errors.missing import CheckpointNotFound as CheckpointNotFound
from stepback.errors.missing import ConfigVersionNotFound as ConfigVersionNotFound
from stepback.errors.missing import DeliveryNotFound as DeliveryNotFound
from stepback.errors.missing import DocumentNotFound as DocumentNotFound
from stepback.errors.missing import ExceptionNotFound as ExceptionNotFound
from stepback.errors.missing import ExperimentNotFound as ExperimentNotFound
from stepback.errors.missing import ExportNotFound as ExportNotFound
from stepback.errors.missing import IncidentNotFound as IncidentNotFound
from stepback.errors.missing import KeyNotFound as KeyNotFound
from stepback.errors.missing import LabelNotFound as LabelNotFound
from stepback.errors.missing import MemoryNotFound as MemoryNotFound
from stepback.errors.missing import NotFound as NotFound
from stepback.errors.missing import NotInIncident as NotInIncident
from stepback.errors.missing import PlanNotFound as PlanNotFound
from stepback.errors.missing import PointerNotFound as PointerNotFound
from stepback.errors.missing import ResourceNotFound as ResourceNotFound
from stepback.errors.missing import RuleNotFound as RuleNotFound
from stepback.errors.missing import SessionNotFound as SessionNotFound
from stepback.errors.missing import SummaryNotFound as SummaryNotFound
from stepback.errors.missing import SurveyNotFound as SurveyNotFound
from stepback.errors.missing import TraceNotFound as TraceNotFound
from stepback.errors.missing import TurnNotFound as TurnNotFound
from stepback.errors.missing import VersionNotFound as VersionNotFound
from stepback.errors.missing import WebhookNotFound as WebhookNotFound
from stepback.errors.refused import AgentExists as AgentExists
from stepback.errors.refused import AlreadyMember as AlreadyMember
from stepback.errors.refused import AlreadyPaused as AlreadyPaused
from stepback.errors.refused import Conflict as Conflict
from stepback.errors.refused import DataHeld as DataHeld
from stepback.errors.refused import ExceptionExists as ExceptionExists
from stepback.errors.refused import ExternalIdTaken as ExternalIdTaken
from stepback.errors.refused import KeyAlreadyRevoked as KeyAlreadyRevoked
from stepback.errors.refused import LastAdmin as LastAdmin
from stepback.errors.refused import LinkNotUsable as LinkNotUsable
from stepback.errors.refused import NameTaken as NameTaken
from stepback.errors.refused import NoArchive as NoArchive
from stepback.errors.refused import NoRollback as NoRollback
from stepback.errors.refused import NotForMasked as NotForMasked
from stepback.errors.refused import NothingPlanned as NothingPlanned
from stepback.errors.refused import NothingToRetry as NothingToRetry
from stepback.errors.refused import NothingToRollBack as NothingToRollBack
from stepback.errors.refused import NothingToUndo as NothingToUndo
from stepback.errors.refused import NotPaused as NotPaused
from stepback.errors.refused import PlanChanged as PlanChanged
from stepback.errors.refused import PlanConfirmed as PlanConfirmed
from stepback.errors.refused import PlanNotLooked as PlanNotLooked
from stepback.errors.refused import PlanNotRunning as PlanNotRunning
from stepback.errors.refused import PlanRunning as PlanRunning
from stepback.errors.refused import ReasonRequired as ReasonRequired
from stepback.errors.refused import Refused as Refused
from stepback.errors.refused import RestoreRunning as RestoreRunning
from stepback.errors.refused import RestoreStopped as RestoreStopped
from stepback.errors.refused import RestoreTooLarge as RestoreTooLarge
from stepback.errors.refused import ReviewReplaced as ReviewReplaced
from stepback.errors.refused import RuleNotFiring as RuleNotFiring
from stepback.errors.refused import SearchByMeaningOff as SearchByMeaningOff
from stepback.errors.refused import SecondFactorNeeded as SecondFactorNeeded
from stepback.errors.refused import SecondFactorRefused as SecondFactorRefused
from stepback.errors.refused import SecondFactorSetUp as SecondFactorSetUp
from stepback.errors.refused import SessionClosed as SessionClosed
from stepback.errors.refused import SessionPaused as SessionPaused
from stepback.errors.refused import TooManyExceptions as TooManyExceptions
from stepback.errors.refused import TooManyKeys as TooManyKeys
from stepback.errors.refused import VersionConflict as VersionConflict
from stepback.errors.refused import VersionMismatch as VersionMismatch
from stepback.errors.refused import WebhookDisabled as WebhookDisabled
from stepback.errors.requests import BadRequest as BadRequest
from stepback.errors.requests import ContentTooLarge as ContentTooLarge
from stepback.errors.requests import HandoffNotVerified as HandoffNotVerified
from stepback.errors.requests import IdempotencyKeyReused as IdempotencyKeyReused
from stepback.errors.requests import InvalidKey as InvalidKey
from stepback.errors.requests import InvalidPolicy as InvalidPolicy
from stepback.errors.requests import InvalidRequest as InvalidRequest
from stepback.errors.requests import LengthRequired as LengthRequired
from stepback.errors.requests import MalformedJson as MalformedJson
from stepback.errors.requests import MethodNotAllowed as MethodNotAllowed
from stepback.errors.requests import NotAcceptable as NotAcceptable
from stepback.errors.requests import PayloadTooLarge as PayloadTooLarge
from stepback.errors.requests import RequestTimeout as RequestTimeout
from stepback.errors.requests import UnacceptableJson as UnacceptableJson
from stepback.errors.requests import Unknown as Unknown
from stepback.errors.requests import UnknownField as UnknownField
from stepback.errors.requests import UnknownParameter as UnknownParameter
from stepback.errors.requests import UnsupportedMediaType as UnsupportedMediaType
from stepback.errors.schemas import MigrationFailed as MigrationFailed
from stepback.errors.schemas import MigrationNotFound as MigrationNotFound
from stepback.errors.schemas import NoMigration as NoMigration
from stepback.errors.schemas import NothingToMigrate as NothingToMigrate
from stepback.errors.schemas import SchemaBehind as SchemaBehind
from stepback.errors.schemas import SchemaExists as SchemaExists
from stepback.errors.schemas import SchemaNotFound as SchemaNotFound
from stepback.errors.schemas import SchemaUnfit as SchemaUnfit
from stepback.errors.schemas import SchemaUnknown as SchemaUnknown
from stepback.errors.schemas import SchemaUsed as SchemaUsed
from stepback.errors.schemas import TooManySchemas as TooManySchemas
from stepback.errors.schemas import UnacceptableMigration as UnacceptableMigration
from stepback.errors.schemas import UnacceptableSchema as UnacceptableSchema
from stepback.errors.servers import BodyNotVerified as BodyNotVerified
from stepback.errors.servers import InsufficientStorage as InsufficientStorage
from stepback.errors.servers import InternalError as InternalError
from stepback.errors.servers import KeysUnavailable as KeysUnavailable
from stepback.errors.servers import MeaningUnavailable as MeaningUnavailable
from stepback.errors.servers import RateLimitExceeded as RateLimitExceeded
from stepback.errors.servers import ServerError as ServerError
from stepback.errors.servers import ServiceUnavailable as ServiceUnavailable
from stepback.errors.sharing import FenceStale as FenceStale
from stepback.errors.sharing import HeartbeatNotFound as HeartbeatNotFound
from stepback.errors.sharing import Leased as Leased
from stepback.errors.sharing import LeaseLapsed as LeaseLapsed
from stepback.errors.sharing import LeaseLost as LeaseLost
from stepback.errors.sharing import SharedNotFound as SharedNotFound
from stepback.errors.sharing import UnacceptableHeartbeat as UnacceptableHeartbeat
from stepback.errors.spending import BudgetNotFound as BudgetNotFound
from stepback.errors.spending import BudgetReached as BudgetReached
from stepback.errors.spending import TooManyBudgets as TooManyBudgets
from stepback.errors.spending import UnacceptableBudget as UnacceptableBudget
from stepback.errors.spending import UnacceptablePrices as UnacceptablePrices
from stepback.errors.spending import UnacceptableUsage as UnacceptableUsage
from stepback.errors.spending import UsageCurrency as UsageCurrency
from stepback.failures import ApiError as ApiError
from stepback.failures import CheckpointNotStored as CheckpointNotStored
from stepback.failures import ConnectionFailed as ConnectionFailed
from stepback.failures import RestoreFailed as RestoreFailed
from stepback.failures import StepbackError as StepbackError
from stepback.failures import UnexpectedAnswer as UnexpectedAnswer
from stepback.failures import VerificationFailed as VerificationFailed


def _classes(base: type[ApiError]) -> Iterator[type[ApiError]]:
    for one in base.__subclasses__():
        yield one
        yield from _classes(one)


class Codes:
    """Which class stands for which code."""

    by_code: ClassVar[Mapping[str, type[ApiError]]] = {
        one.code: one for one in _classes(ApiError) if one.code
    }
