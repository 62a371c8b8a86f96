"""What callers may send about shared documents and their leases."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import InputSerializer, TextField, WholeNumberField
from apps.timeline.api.inputs.states import HeadInput, ReplaceInput, UpdateInput
from apps.timeline.operations.shared import LONGEST_HOLDER, LONGEST_LEASE

FENCE = (
    "That of your lease: 409 `fence_stale` once a newer one was handed out. Without it "
    "409 `leased` while anybody holds the lease."
)


class FencedInput(serializers.Serializer[Any]):
    """What every write of a shared document takes."""

    fence = WholeNumberField(min_value=1, help_text=FENCE)


@extend_schema_serializer(component_name="UpdateShared")
class UpdateSharedInput(FencedInput, UpdateInput):
    """PATCH: keys to merge into the document's state, pointers to remove."""


@extend_schema_serializer(component_name="ReplaceShared")
class ReplaceSharedInput(FencedInput, ReplaceInput):
    """PUT: the document's state as a whole."""


@extend_schema_serializer(component_name="RollbackShared")
class RollbackSharedInput(FencedInput, HeadInput):
    """Which version of the document to restore, and why."""

    refused = {"hold": "a shared document is held by its lease."}

    version = WholeNumberField(
        required=True,
        allow_null=False,
        min_value=-(2**31),
        help_text="The number to restore; -1 is the version before the head.",
    )
    reason_code = TextField(help_text="A short code for statistics.")


def _seconds() -> WholeNumberField:
    return WholeNumberField(
        required=True,
        allow_null=False,
        min_value=1,
        max_value=LONGEST_LEASE,
        help_text="How long it holds from now, by the server's clock.",
    )


def _fence() -> WholeNumberField:
    return WholeNumberField(
        required=True,
        allow_null=False,
        min_value=1,
        help_text="The one that you were handed out.",
    )


@extend_schema_serializer(component_name="TakeLease")
class TakeInput(InputSerializer):
    """Who wants to hold the document, and how long."""

    holder = TextField(
        required=True,
        allow_null=False,
        allow_blank=False,
        max_length=LONGEST_HOLDER,
        help_text="Tells those apart who use one key: name each process. Who holds the "
        "lease and asks again is handed out the same fence.",
    )
    seconds = _seconds()


@extend_schema_serializer(component_name="RenewLease")
class RenewInput(InputSerializer):
    """Which lease is to hold on, and how long."""

    fence = _fence()
    seconds = _seconds()


@extend_schema_serializer(component_name="ReleaseLease")
class ReleaseInput(InputSerializer):
    """Which lease is given back."""

    fence = _fence()
