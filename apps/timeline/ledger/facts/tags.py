"""What a session is tagged with, so that it is found by it."""

from __future__ import annotations

from enum import StrEnum

# How many first characters of a version's name are a tag. Few: names that programs
# make begin alike for a while, so most of these are there already.
BEGINNINGS = (3, 8)
# The same of labels and releases: a session has few of those, so that almost every
# beginning that people write is a tag of its own.
EVERY_BEGINNING = tuple(range(3, 17))


class SearchTag(StrEnum):
    """What a session is tagged with; most tags are never taken away."""

    FLAG = "flag"  # some version has this flag
    LABEL = "label"  # some version has this label; goes with the last of them
    LABELLED = "labelled"  # some version has a label that begins so
    TRACE = "trace"  # a version or turn came with this trace id
    EXTERNAL = "external"  # some version has this name
    NAMED = "named"  # some version has a name that begins so
    RELEASE = "release"  # some version is of this release; and so on
    RELEASED = "released"  # some version is of a release that begins so
    MODEL = "model"
    STEP = "step"
    OBJECTIVE = "objective"
    REASON = "reason"
    OP = "op"
    # The head is of this schema, has a task of this name or status, or more than are
    # tags: what it was of before is taken away.
    SCHEMA = "schema"
    TASK = "task"
    TASKS_CUT = "tasks_cut"
    # Some version of this operation says no reason.
    UNREASONED = "unreasoned"
    FORKED = "forked"  # it began as a fork
    ROLLED_BACK = "rolled_back"
    # Some version touched more than its change rows tell.
    TRUNCATED = "truncated"
    # The head has more short scalars than terms; the value is the depth of the cut.
    CUT = "cut"


# The tags of the beginnings of names, and how long those are.
BEGINNING_TAGS = {
    SearchTag.EXTERNAL: (SearchTag.NAMED, BEGINNINGS),
    SearchTag.LABEL: (SearchTag.LABELLED, EVERY_BEGINNING),
    SearchTag.RELEASE: (SearchTag.RELEASED, EVERY_BEGINNING),
}


def beginnings(name: str, tag: SearchTag) -> list[str]:
    """Return which beginnings of a name its session is tagged with."""
    return [name[:length] for length in BEGINNING_TAGS[tag][1] if length <= len(name)]
