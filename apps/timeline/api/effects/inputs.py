"""What callers may send of effects."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.errors import InvalidRequest
from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.core.time.moments import moment
from apps.timeline.api.inputs.states import StateField
from apps.timeline.errors import CacheInvalid
from apps.timeline.operations import Cache, Finish, Forget, NewEffect
from apps.timeline.words import CacheScope, EffectClass, EffectStatus

CLASSES = ", ".join(EffectClass)
FINISHED = (EffectStatus.DONE, EffectStatus.FAILED, EffectStatus.UNKNOWN)


class UndoInput(InputSerializer):
    """What takes an effect back, or makes up for it."""

    tool = TextField(required=True, allow_null=False, allow_blank=False)
    arguments = ObjectField(help_text="What it is called with.")


@extend_schema_field(UndoInput)
class UndoField(StateField):
    """A call that takes an effect back."""


@extend_schema_field({})
class ResultField(serializers.Field[Any, Any, Any, Any]):
    """Any JSON value."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, allow_null=True, **options)

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class CacheInput(InputSerializer):
    """Which results of the record may answer a read."""

    ttl = WholeNumberField(
        required=True,
        allow_null=False,
        help_text="How old the result may be, in seconds; at most 90 days.",
    )
    scope = TextField(
        help_text=f"{', '.join(CacheScope)}; session if unset. `agent` also takes what "
        "the agent's other sessions offer, and offers them this result."
    )
    set_aside = FlagField(
        help_text="Take also what a rollback has set aside; not if unset."
    )


@extend_schema_field(CacheInput)
class CacheField(ObjectField):
    """For a read: a result of the record may answer it."""


@extend_schema_serializer(component_name="BeginEffect")
class EffectInput(InputSerializer):
    """A call that is about to be made."""

    key = TextField(
        required=True,
        allow_null=False,
        allow_blank=False,
        help_text="Your name of this effect, unique in the session: the same for the "
        "same act, also when a process is started again. At most 200 characters.",
    )
    tool = TextField(required=True, allow_null=False, allow_blank=False)
    arguments = StateField(help_text="Up to 256 KiB are kept, of more their digest.")
    call_id = TextField(
        allow_blank=False,
        help_text="The id under which the call is reported in a turn; your `key` if "
        "unset.",
    )
    undo = UndoField(help_text="For what is reversible or compensable: at most 16 KiB.")
    undo_until = TextField(help_text="Until when that works, in ISO 8601.")
    takes_provider_key = FlagField(
        help_text="The tool takes `provider_key` and does one key once: then what is "
        "unknown may be tried again."
    )
    number = WholeNumberField(
        min_value=0,
        help_text="The version that this was decided on, else 409 once a rollback has "
        "set it aside; the head if unset.",
    )
    deadline = TextField(
        help_text="In ISO 8601: a begun effect reads as unknown from then on. In 15 "
        "minutes if unset, at most in 30 days."
    )
    cache = CacheField(
        help_text="For the class read alone: a result that the record has answers it."
    )

    def get_fields(self) -> dict[str, Any]:
        said = TextField(help_text=f"{CLASSES}; unset counts as irreversible.")
        return super().get_fields() | {"class": said}

    def effect(self) -> NewEffect:
        """Raises: InvalidRequest."""
        given = self.validated_data
        undo = given.get("undo")
        if undo is not None:
            _require_undo(undo)
        return NewEffect(
            key=given["key"],
            tool=given["tool"],
            arguments=given.get("arguments") or {},
            effect_class=given.get("class"),
            call_id=given.get("call_id"),
            undo=undo,
            undo_until=_moment_in(given, "undo_until"),
            takes_provider_key=bool(given.get("takes_provider_key")),
            number=given.get("number"),
            deadline=_moment_in(given, "deadline"),
            cache=_cache(given.get("cache")),
        )


@extend_schema_serializer(component_name="FinishEffect")
class FinishInput(InputSerializer):
    """What came of a call."""

    attempt = WholeNumberField(
        required=True,
        allow_null=False,
        min_value=1,
        help_text="The attempt that `begin` answered.",
    )
    status = TextField(
        required=True,
        allow_null=False,
        help_text="done; failed: nothing happened; unknown: it may have happened.",
    )
    result = ResultField(help_text="Any JSON, at most 256 KiB.")
    result_reference = TextField(
        help_text="Where a larger result is kept; with `result_digest`."
    )
    result_digest = TextField(help_text="Your digest of it.")
    external_id = TextField(help_text="The provider's id of what was done.")

    def finish(self) -> Finish:
        """Raises: InvalidRequest."""
        names = ("result", "result_reference", "result_digest", "external_id")
        given = self.validated_data
        return Finish(status=given["status"], **{one: given.get(one) for one in names})


@extend_schema_serializer(component_name="ChangeCompensation")
class CompensationInput(InputSerializer):
    """What became of what is owed for an effect."""

    status = TextField(
        required=True,
        allow_null=False,
        help_text="requested: whoever follows webhooks is asked to put it right; done; "
        "failed: it was tried, and is still owed; waived: it stays as it is.",
    )
    reason = TextField(help_text="Needed to waive it. At most 2,000 characters.")


@extend_schema_serializer(component_name="ForgetResults")
class ForgetInput(InputSerializer):
    """Which results answer nobody from now on."""

    reason = TextField(
        required=True, allow_null=False, help_text="Why; at most 2,000 characters."
    )
    tool = TextField(allow_blank=False, help_text="All calls of this tool.")
    arguments = StateField(help_text="With `tool`: this call of it alone.")

    def get_fields(self) -> dict[str, Any]:
        said = FlagField(help_text="All of them.")
        return super().get_fields() | {"all": said}

    def forget(self) -> Forget:
        """Raises: InvalidRequest."""
        given = self.validated_data
        return Forget(
            reason=given["reason"],
            tool=given.get("tool"),
            arguments=given.get("arguments"),
            key=given.get("key"),
            everything=bool(given.get("all")),
        )


@extend_schema_serializer(component_name="ForgetSessionResults")
class ForgetSessionInput(ForgetInput):
    """Which results of a session answer nobody from now on."""

    key = TextField(allow_blank=False, help_text="The call of the effect of this key.")


def _cache(given: dict[str, Any] | None) -> Cache | None:
    """Raises: CacheInvalid, also for a member that a cache does not have."""
    if given is None:
        return None
    for name in given.keys() - CacheInput().fields.keys():
        message = "cache takes ttl, scope and set_aside."
        raise CacheInvalid(message, param=f"cache.{name[:100]}")
    checked = CacheInput(data=given)
    if not checked.is_valid():
        name, said = next(iter(checked.errors.items()))
        raise CacheInvalid(f"cache.{name}: {said[0]}", param=f"cache.{name}")
    found = checked.validated_data
    return Cache(
        ttl=found["ttl"],
        scope=found.get("scope") or CacheScope.SESSION,
        set_aside=bool(found.get("set_aside")),
    )


def _require_undo(undo: dict[str, Any]) -> None:
    """Raises: InvalidRequest, also for names that a call does not have."""
    for name in undo.keys() - UndoInput().fields.keys():
        message = "undo takes tool and arguments."
        raise InvalidRequest(message, param=f"undo.{name[:100]}")
    checked = UndoInput(data=undo)
    if not checked.is_valid():
        name, said = next(iter(checked.errors.items()))
        raise InvalidRequest(f"undo.{name}: {said[0]}", param=f"undo.{name}")


def _moment_in(given: dict[str, Any], name: str) -> datetime | None:
    """Raises: InvalidRequest."""
    text = given.get(name)
    if text is None:
        return None
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise InvalidRequest(f"{name} takes a time in ISO 8601.", param=name) from None
