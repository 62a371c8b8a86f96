"""Encode the versions of a batch, each on the one before it, as if that were stored.

Pure computation, like `encoding`. Only the body before the next is kept decoded: a
hundred small changes of a large state must not take a hundred times its memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from apps.agents.acts import Act
from apps.core import json
from apps.core.admission import gate
from apps.core.errors import DomainError, InvalidRequest, PayloadTooLarge
from apps.timeline.errors import ExternalIdTaken
from apps.timeline.hooks import Judging
from apps.timeline.ledger.drafts import Build, Draft, Write, WriteCommand
from apps.timeline.ledger.encoding.calls import VERSION
from apps.timeline.ledger.encoding.rows import following, of_version, of_write
from apps.timeline.ledger.encoding.values import EncodedWrite
from apps.timeline.ledger.encoding.writes import encode_write
from apps.timeline.ledger.facts.index import Terms
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

MAX_BATCH = 100
# What its versions may come to, each as a whole: about 6 s of a processor. It cannot
# end early, so what is more than a hundred states of 2.5 MiB is refused.
MAX_BATCH_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class EncodedBatch:
    """The writes of a batch; of their bodies the last one alone is here decoded."""

    items: list[EncodedWrite]

    @property
    def raw(self) -> bytes | None:
        """Return the last version's own body, if it has one."""
        return self.items[-1].raw

    @property
    def external_ids(self) -> list[str | None]:
        """Return the names of the versions, in their order."""
        return [one.version.external_id for one in self.items if one.version]


@contextmanager
def item(index: int) -> Iterator[None]:
    """Make whatever is refused inside name the item of the batch.

    `state` becomes `versions[3].state`, a pointer into the item one into the request.

    Raises: the same kind of DomainError, its details with `item`.
    """
    try:
        yield
    except DomainError as error:
        name = f"versions[{index}]"
        details = {**error.details, "item": index}
        message = f"{name}: {error.message}"
        param = _param(index, name, error.param)
        of_item = type(error)(message, param=param, **details)
        of_item.to_keep = error.to_keep
        raise of_item from error


def require_count(count: int) -> None:
    """Refuse a batch of nothing, or of too much.

    Raises: InvalidRequest naming the limit.
    """
    if not 1 <= count <= MAX_BATCH:
        raise InvalidRequest(
            f"A batch takes 1 to {MAX_BATCH} versions, not {count:,}.",
            param="versions",
        )


def encode(
    builds: Sequence[Build],
    *,
    head: VersionRow,
    act: Act,
    judging: Judging | None = None,
) -> EncodedBatch:
    """Build and encode all versions; the key and the first number go on the last.

    Raises: what a build raises, and ExternalIdTaken, each naming the item.
    """
    first_number = head.number + 1
    # An item shares what it leaves as it was: 0.1 ms to compare a megabyte, not 8.
    head = replace(head, parsed=reading.parsed(head))
    keyless = replace(act, request=replace(act.request, key=None))
    items: list[EncodedWrite] = []
    names: set[str] = set()
    room = MAX_BATCH_BYTES
    for index, build in enumerate(builds):
        is_last = index == len(builds) - 1
        with item(index):
            draft = _draft(build(head))
            _require_new(draft.step.external_id, names)
            encoded = encode_write(
                Write(draft=draft),
                head=head,
                act=act if is_last else keyless,
                judging=judging,
            )
            room -= len(encoded.raw or b"")
            _require_room(room, index)
        head = _following(head, draft, encoded, act)
        items.append(encoded)
        if not is_last:
            encoded.raw = None
        del draft
        if not is_last and gate.is_wanted():
            head = replace(head, parsed=None)
            gate.make_way()
            head = replace(head, parsed=reading.parsed(head))
    if items[-1].version is not None:
        items[-1].version.first_number = first_number
    return EncodedBatch(items)


def _require_room(room: int, index: int) -> None:
    if room < 0 and index:
        raise PayloadTooLarge(
            f"The versions of a batch come to at most {MAX_BATCH_BYTES >> 20} MiB: "
            f"send {index} at once, and this one in the next batch."
        )


def _param(index: int, name: str, param: str | None) -> str:
    if not param:
        return name
    if not param.startswith("/"):
        return f"{name}.{param}"
    is_field = "/" not in param[1:]
    return f"{name}.{param[1:]}" if is_field else f"/versions/{index}{param}"


def _draft(write: Write) -> Draft:
    if write.draft is None or write.turn is not None:
        raise TypeError("A batch holds versions, and nothing else.")
    return write.draft


def _require_new(external_id: str | None, names: set[str]) -> None:
    if external_id is None:
        return
    if external_id in names:
        raise ExternalIdTaken(
            "Another version of this batch has that external id.", param="external_id"
        )
    names.add(external_id)


def _following(
    head: VersionRow, draft: Draft, encoded: EncodedWrite, act: Act
) -> VersionRow:
    """Return what the next item builds on: `head` as it will be, once all is stored."""
    if encoded.version is None:
        raise TypeError("A batch holds versions, and nothing else.")
    known = (
        {"parsed": head.parsed, "leaves": head.leaves}
        if encoded.body is None
        else {"parsed": draft.state, "leaves": encoded.leaves}
    )
    at = head.created_at
    return following(head, encoded, encoded.version, act=act, created_at=at, **known)


def of_batch(
    command: WriteCommand, head: VersionRow, writes: Sequence[EncodedWrite]
) -> dict[str, Any]:
    """Return the parameters of `calls.APPEND_BATCH`: what each version has, in lists.

    The head's terms and facets are those of the last.
    """
    each = [of_version(write) for write in writes]
    changes = [(at, write.changes) for at, write in enumerate(writes, 1)]
    facets = [write.facets for write in writes if write.facets is not None]
    terms: Terms = {}
    for write in writes:
        terms |= write.terms
    # The checks are those of one write, and are of the head.
    return of_write(command, head, writes[-1]) | {
        **{f"each_{name}": [one[name] for one in each] for name in VERSION},
        "items": [at for at, rows in changes for _ in rows.path_keys],
        "path_keys": [key for _, rows in changes for key in rows.path_keys],
        "roles": [role for _, rows in changes for role in rows.roles],
        "kinds": [kind for _, rows in changes for kind in rows.kinds],
        "value_keys": [key for _, rows in changes for key in rows.value_keys],
        "term_keys": list(terms),
        "term_values": list(terms.values()),
        "facets": json.dumps(facets[-1]).decode() if facets else None,
    }
