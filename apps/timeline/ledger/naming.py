"""Writes that name blobs: leases before the append, uses in its transaction.

A write that names none does not come by here. The lease is renewed first, and lasts
longer than any append: who collects blobs sees the lease, or the uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.blobs import operations as blobs
from apps.blobs.errors import BlobMissing
from apps.core.errors import UnacceptableJson
from apps.timeline.bodies import Part, files
from apps.timeline.ledger.drafts import Build, Receipt, Write
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

Append = Callable[..., Receipt]
# What each version of a write names, and how large the caller says that it is.
Named = Sequence[Mapping[str, int | None]]


def appending(append: Append, *bundles: tuple[Part, ...]) -> Append:
    """Return what appends versions with these parts: `append`, if they name no blob."""
    named = [files.chunks_of(parts) for parts in bundles]
    if not any(named):
        return append

    def appended(*, act: Act, session_id: str, build: Any, **given: Any) -> Receipt:
        act = leased(act, named)
        if act.scope.agents is not None:
            build = _granted(act, build, named)
        with transaction.atomic():
            receipt = append(act=act, session_id=session_id, build=build, **given)
            numbers = [one.number for one in receipt.made]
            if numbers:
                by_number = dict(zip(numbers, named, strict=True))
                blobs.name(act=act, session_id=session_id, named=by_number)
        return receipt

    return appended


def leased(act: Act, named: Named) -> Act:
    """Renew the leases of what a write names.

    What is missing is a fault of the request, raised unless this is its repetition,
    whose blobs may have been collected since.

    Raises: BlobMissing, UnacceptableJson; with an idempotency key they travel in the
    act.
    """
    try:
        sizes = blobs.renew(act=act, digests={one for each in named for one in each})
        _require_sizes(named, sizes)
    except (BlobMissing, UnacceptableJson) as fault:
        if act.request.key is None:
            raise
        return replace(act, request=replace(act.request, fault=fault))
    return act


def _require_sizes(named: Named, sizes: Mapping[str, int]) -> None:
    for each in named:
        for digest, size in each.items():
            if size is not None and size != sizes[digest]:
                raise UnacceptableJson(
                    f"The blob {digest} has {sizes[digest]:,} bytes, not {size:,}.",
                    param="artifacts",
                )


def _granted(
    act: Act, build: Build | tuple[Build, ...], named: Named
) -> Build | tuple[Build, ...]:
    """Hold a key for some agents to what it may name, once the head is known."""
    if isinstance(build, tuple):
        return tuple(
            _granting(act, one, each) for one, each in zip(build, named, strict=True)
        )
    return _granting(act, build, named[0])


def _granting(act: Act, build: Build, named: Mapping[str, int | None]) -> Build:
    def built(head: VersionRow) -> Write:
        carried = files.chunks_of(reading.parts(head)) if named else {}
        blobs.require_granted(act=act, digests=named, carried=carried)
        return build(head)

    return built


def store_named(
    act: Act,
    named: Mapping[str, int | None],
    store: Callable[[], Receipt],
    *,
    carried: Mapping[str, int | None],
) -> Receipt:
    """Store the first version of a session, with the uses of what it names.

    Raises: BlobMissing, UnacceptableJson, and what `store` raises.
    """
    if not named:
        return store()
    leased(act, [named]).request.require_sound()
    blobs.require_granted(act=act, digests=named, carried=carried)
    with transaction.atomic():
        receipt = store()
        if not receipt.is_replay:
            by_number = {receipt.number: named}
            blobs.name(act=act, session_id=receipt.session_id, named=by_number)
    return receipt
