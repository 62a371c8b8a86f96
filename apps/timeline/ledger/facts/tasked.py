"""By which tasks a session is found: their names, their statuses, and both together.

Names are ids and titles, in any case. They are tags of the head's tasks, written when
those change and taken away with them; digests like all other tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from apps.core.json import Json
from apps.timeline import bodies
from apps.timeline.bodies import tasks
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.index import KEYED_VALUE, Terms
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

# A longer list is neither counted for lists nor searched: each write that changes it
# would be slower.
LARGEST = 256 * 1024
# How many tasks of a head are tags; those behind them are not found.
MOST = 100
NAMED_BY = ("id", "title", "name")

Written = bytes | memoryview | None


def terms(key: bytes, before: Written, after: Written) -> Terms:
    """Return what other tasks of the head change about its tags; None: there are none.

    What is not there any more is taken away.
    """
    was, now = _tags(key, before), _tags(key, after)
    return dict.fromkeys(was - now) | {one: one for one in now - was}


def written_of(version: VersionRow) -> Written:
    """Return a version's tasks as they are written, of its part or of its state."""
    part = bodies.part_view(reading.raw_of(version), tasks.PART)
    if part is not None or not tasks.may_list(reading.state(version)):
        return part
    return tasks.written_in(reading.parsed(version))


def task_key(key: bytes, name: str = "", status: str = "") -> bytes:
    """Return the tag of sessions with a task of this name, of this status, or both."""
    # With the length, so that no status reads as the beginning of a name.
    named = f"{len(status)}:{status}{folded(name)}"
    return index.tag_key(key, SearchTag.TASK, named)


def cut_key(key: bytes) -> bytes:
    """Return the tag of sessions some of whose tasks are not tags."""
    return index.tag_key(key, SearchTag.TASKS_CUT)


def folded(name: str) -> str:
    """Return a name as it is looked for: without its case, and white space around."""
    return name.strip().casefold()


def status_of(task: Json) -> str:
    """Return the status of a task, in the word for it where there are several."""
    return tasks.STATUSES[2] if tasks.is_completed(task) else tasks.status_of(task)


def names_of(task: Json) -> Iterator[str]:
    """Yield the names that a task can be asked for by."""
    said = (
        [task.get(name) for name in NAMED_BY] if isinstance(task, Mapping) else [task]
    )
    for one in said:
        if isinstance(one, bool) or not isinstance(one, str | int):
            continue
        if isinstance(one, int) and one.bit_length() > 64:
            continue
        if len(str(one)) <= KEYED_VALUE and (name := folded(str(one))):
            yield name


def _tags(key: bytes, written: Written) -> set[bytes]:
    if written is None:
        return set()
    if len(written) > LARGEST:
        return {cut_key(key)}
    listed: Sequence[Json] = tasks.tasks_of(written)
    found = {cut_key(key)} if len(listed) > MOST else set()
    for task in listed[:MOST]:
        status = status_of(task)[:KEYED_VALUE]
        found.add(task_key(key, status=status))
        for name in names_of(task):
            found |= {task_key(key, name), task_key(key, name, status)}
    return found
