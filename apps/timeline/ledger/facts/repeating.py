"""Whether a version brings a tool call that failed as the same call had failed before.

An agent that makes a failed call again, with the same arguments, and has it fail again
is stuck. That is seen in the conversation that it keeps with its versions: the part
`messages`, or a list of that name in its state. Only what a version brings is looked
at, and the whole conversation only where that tells of a failure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from apps.core import json
from apps.core.json import Json
from apps.diffs.changes import Comparison, Kind
from apps.timeline.ledger.facts.called import calls_of, failed_call, parsed

MESSAGES = "messages"
EMPTY = b"[]"
# A conversation that was rewritten, not continued, is compared as a whole: up to here.
MOST_REWRITTEN = 256 * 1024
# Whatever says that it failed has this word.
_FAILURE = re.compile(rb"error", re.IGNORECASE)
_ITEM = re.compile(rf"/{MESSAGES}/\d+")


def repeats_failure(
    before: bytes | memoryview, after: bytes, comparison: Comparison
) -> bool:
    """Say whether the later of two versions brings such a call.

    Given are the parts `messages` of both, as they are written, and how the states
    differ.
    """
    if after != EMPTY and _in_parts(before, after):
        return True
    after_state = comparison.after
    if not isinstance(after_state, dict) or MESSAGES not in after_state:
        return False
    return _in_states(comparison, _kept(after_state))


def failures_repeated(messages: Sequence[Json]) -> list[int]:
    """Return the places of answers to calls that had failed before as they were made.

    An answer is of the newest call of its id: some agents number theirs anew.
    """
    made: dict[str, bytes] = {}
    failed: set[bytes] = set()
    found = []
    for place, message in enumerate(messages):
        for call in calls_of(message):
            if call.id is not None:
                made[call.id] = json.dumps([call.name, call.arguments])
        answered = failed_call(message)
        call_made = made.pop(answered, None) if answered is not None else None
        if call_made is None:
            continue
        if call_made in failed:
            found.append(place)
        failed.add(call_made)
    return found


def _in_parts(before: bytes | memoryview, after: bytes) -> bool:
    end = len(before) - 1
    goes_on = after.startswith(before[:end]) and after[end : end + 1] in b",]"
    if not goes_on and len(before) > len(EMPTY):
        return _is_rewritten_so(before, after)
    brought = after[end:].removeprefix(b",")
    if not _FAILURE.search(brought):
        return False
    new = _messages(b"[" + brought)
    if not any(map(failed_call, new)):
        return False
    every = _messages(after)
    return any(at >= len(every) - len(new) for at in failures_repeated(every))


def _is_rewritten_so(before: bytes | memoryview, after: bytes) -> bool:
    if max(len(before), len(after)) > MOST_REWRITTEN or not _FAILURE.search(after):
        return False
    return _has_more(_messages(bytes(before)), _messages(after))


def _in_states(comparison: Comparison, after: Sequence[Json]) -> bool:
    is_brought = any(
        change.kind is Kind.ADDED
        and _ITEM.fullmatch(change.pointer)
        and failed_call(change.after)
        for change in comparison
    )
    return is_brought and _has_more(_kept(comparison.before), after)


def _has_more(before: Sequence[Json], after: Sequence[Json]) -> bool:
    return len(failures_repeated(after)) > len(failures_repeated(before))


def _kept(state: Json) -> list[Json]:
    kept = state.get(MESSAGES) if isinstance(state, dict) else None
    return kept if isinstance(kept, list) else []


def _messages(data: bytes) -> list[Json]:
    found = parsed(data)
    return found if isinstance(found, list) else []
